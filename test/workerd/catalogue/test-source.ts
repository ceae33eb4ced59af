/** The provider of apps of this Worker's syncs, which a test sets. */
import type { CatalogueSource } from "../../../core/ports/apps.ts";

let source: CatalogueSource | null = null;

export function setSource(next: CatalogueSource | null): void {
  source = next;
}

export function getSource(): CatalogueSource | null {
  return source;
}
