/** The apps of the catalogue to which people connect through its provider. Reads the snapshot that the isolate holds. */
import { ok, type Result } from "../../core/base/errors.ts";
import { toCatalogueClient } from "../../core/connections/catalogue-app.ts";
import type { AppCatalogue } from "../../core/ports/app-catalogue.ts";
import type { CatalogueApps } from "./app-directory.ts";

/** `findKey` names the key that serves the tenant; null: apps are found, and nobody can connect them. */
export function openCatalogueApps(
  catalogue: AppCatalogue,
  findKey: () => Promise<Result<string | null>>,
): CatalogueApps {
  return {
    async find(names) {
      const snapshot = await catalogue.snapshot();
      if (!snapshot.ok) return snapshot;
      const wanted = new Set(names);
      const apps = (snapshot.value?.apps ?? []).filter(
        ({ app, provider }) => provider === "composio" && wanted.has(app),
      );
      if (apps.length === 0) return ok([]);
      const key = await findKey();
      return key.ok ? ok(await Promise.all(apps.map((app) => toCatalogueClient(app, key.value)))) : key;
    },
  };
}
