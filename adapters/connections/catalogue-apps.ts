/** The apps of the catalogue to which people connect through its provider. Reads the snapshot that the isolate holds. */
import { ok } from "../../core/base/errors.ts";
import { toCatalogueClient } from "../../core/connections/catalogue-app.ts";
import type { AppCatalogue } from "../../core/ports/app-catalogue.ts";
import type { CatalogueApps } from "./app-directory.ts";

/** `hasProvider` false: they are found, and nobody can connect them. */
export function openCatalogueApps(catalogue: AppCatalogue, hasProvider: boolean): CatalogueApps {
  return {
    async find(names) {
      const snapshot = await catalogue.snapshot();
      if (!snapshot.ok) return snapshot;
      const wanted = new Set(names);
      const apps = (snapshot.value?.apps ?? []).filter(
        ({ app, provider }) => provider === "composio" && wanted.has(app),
      );
      return ok(await Promise.all(apps.map((app) => toCatalogueClient(app, { hasProvider }))));
    },
  };
}
