/** The catalogue of apps, its syncs, and what the pages of a sync need. */
import type { Env } from "./bindings.ts";
import { inboxesFromEnv } from "./channels.ts";
import { databaseFromEnv } from "./database.ts";
import { openWebFromEnv } from "./egress.ts";
import { blobsFromEnv } from "./files.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { catalogueSourceFromEnv, servingKeyFromEnv } from "./tenant-provider.ts";
import { fetchLogo } from "../apps/fetch-logo.ts";
import { openAppCatalogue } from "../apps/open-catalogue.ts";
import { type CatalogueSyncsDeps, openCatalogueSyncs } from "../apps/open-syncs.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { judgeAction } from "../../core/apps/effects/judge.ts";
import type { SyncDeps } from "../../core/apps/sync/state.ts";
import type { AppCatalogue, CatalogueSyncs } from "../../core/ports/app-catalogue.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";

/** The published catalogue. The isolate's requests share what it holds. */
export const appCatalogueFromEnv: (env: Env) => AppCatalogue = oncePerEnv((env) =>
  openAppCatalogue({ table: databaseFromEnv(env).appCatalogue, blobs: blobsFromEnv(env), now: Date.now }),
);

const ownSyncsFromEnv: (env: Env) => CatalogueSyncs = oncePerEnv((env) =>
  openSyncs(env, async (tenant) => {
    const found = await (tenant === undefined ? catalogueSourceFromEnv(env) : servingKeyFromEnv(env, tenant));
    return found.ok ? ok(found.value !== null) : found;
  }),
);

/** Starts and lists syncs, with the environment's provider or with `source`. */
export function catalogueSyncsFromEnv(env: Env, source?: CatalogueSource | null): CatalogueSyncs {
  return source === undefined ? ownSyncsFromEnv(env) : openSyncs(env, () => Promise.resolve(ok(source !== null)));
}

function openSyncs(env: Env, hasProvider: CatalogueSyncsDeps["hasProvider"]): CatalogueSyncs {
  return openCatalogueSyncs({
    table: databaseFromEnv(env).appCatalogue,
    inboxOf: inboxesFromEnv(env),
    hasProvider,
    now: Date.now,
  });
}

export function syncDepsFromEnv(env: Env, source: CatalogueSource): SyncDeps {
  const table = databaseFromEnv(env).appCatalogue;
  const web = openWebFromEnv(env, { tenant: OPERATOR_TENANT, user: SETUP });
  const read = async (url: string): Promise<Result<Uint8Array>> => await fetchLogo(web, url);
  return { source, table, blobs: blobsFromEnv(env), judge: judgeAction, fetchLogo: read, now: Date.now };
}
