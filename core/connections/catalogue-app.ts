/** Apps of the catalogue as people connect to them, and what their provider knows an owner by. */
import { sha256Hex } from "../base/sha256.ts";
import type { AppClient } from "./app-client.ts";

/** What people connect to at the provider. Its settings do not change, so neither does the hash that a consent covers. */
export async function hashCatalogueApp(app: string): Promise<string> {
  return await sha256Hex(JSON.stringify(["composio", app]));
}

/** The owner of an account at a provider that stores tokens. Without a person: the tenant's shared one. */
export function toEntity(tenant: string, person: string | null): string {
  return `${tenant}.${person ?? "shared"}`;
}

/** True for an app whose accounts the provider of the catalogue stores. */
export function isCatalogueApp({ provider }: Pick<AppClient, "provider">): boolean {
  return provider === "composio";
}
