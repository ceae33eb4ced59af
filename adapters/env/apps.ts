/** The provider of apps. */
import type { Env } from "./bindings.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";

/** Where apps and their actions are described; null without a provider. */
export function catalogueSourceFromEnv(_env: Env): CatalogueSource | null {
  return null;
}
