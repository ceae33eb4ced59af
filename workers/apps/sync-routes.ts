/** Syncs of the catalogue, and what an administrator looks at when something is missing. */
import { createRoute } from "@hono/zod-openapi";
import { appCatalogueFromEnv, catalogueSyncsFromEnv } from "../../adapters/env/app-catalogue.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { iso } from "../../core/base/iso.ts";
import type { CatalogueSnapshot, ListedAction, SyncKind } from "../../core/ports/app-catalogue.ts";
import { TOOLS_MS } from "../../core/tenant/cost-rates.ts";
import { toConnectionView } from "../connections/view.ts";
import { answers, emptyBody, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { chargeCost } from "../http/charge-cost.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import {
  cacheStatusSchema,
  connectionRecordsSchema,
  HISTORY_LIMIT,
  historyQuery,
  syncHistorySchema,
  syncJobSchema,
  syncQuery,
} from "./schemas.ts";
import { toSyncView } from "./view.ts";

const shared = { tags: ["Apps"], ...withKey, middleware: [requireScope("admin")] };
const started = { 202: { description: "The sync that runs.", json: syncJobSchema } };

/** Records of one reply. */
const MAX_RECORDS = 1000;
/** A kind of sync is started at most this often: its requests are those of all tenants together. */
const START_EVERY_MS = 10 * 60_000;
/** Syncs among which the last of a kind is looked for: more than can start in that time. */
const RECENT_SYNCS = 10;
/** Names of one reply. */
const MAX_NAMES = 100;
/** The list of all actions costs as much as this many lists of tools. */
const ALL_ACTIONS_CHARGES = 3;

const sync = createRoute({
  ...shared,
  method: "post",
  operationId: "catalogue.sync",
  path: "/api/tools/sync",
  summary: "Sync the catalogue of apps",
  description:
    "Returns the sync that is under way, or the last one of this type if it began less than ten minutes ago, also if it failed. The catalogue is the same for all tenants.",
  request: { query: syncQuery, body: emptyBody },
  responses: answers(started, [415, 422]),
});

const backfill = createRoute({
  ...shared,
  method: "post",
  operationId: "catalogue.backfillParameters",
  path: "/api/tools/backfill-params",
  summary: "Read the missing parameters of actions",
  description: "Like a sync, for at most 30 apps whose actions have no parameters.",
  request: { body: emptyBody },
  responses: answers(started, [415, 422]),
});

const history = createRoute({
  ...shared,
  method: "get",
  operationId: "catalogue.listSyncs",
  path: "/api/tools/sync-history",
  summary: "List the syncs of the catalogue",
  description: "Also at `/api/tools/sync/history`.",
  request: { query: historyQuery },
  responses: answers({ 200: { description: "The newest syncs.", json: syncHistorySchema } }, [422]),
});

const cacheStatus = createRoute({
  ...shared,
  method: "get",
  operationId: "catalogue.getCacheStatus",
  path: "/api/tools/debug/cache-status",
  summary: "Show the age of the catalogue and what it lacks",
  responses: answers({ 200: { description: "The catalogue of this isolate.", json: cacheStatusSchema } }),
});

const connections = createRoute({
  ...shared,
  method: "get",
  operationId: "catalogue.listConnections",
  path: "/api/tools/debug/connections",
  summary: "List all connection records of the tenant",
  description: "Without tokens. `GET /v1/connections` has pages and filters.",
  responses: answers({ 200: { description: "The records.", json: connectionRecordsSchema } }),
});

export function catalogueSyncRoutes(app: App): void {
  app.openapi(sync, async (c) => c.json(await startSync(c, c.req.valid("query").sync_type ?? "full"), 202));

  app.openapi(backfill, async (c) => c.json(await startSync(c, "backfill"), 202));

  app.openapi(history, async (c) => {
    const { limit = HISTORY_LIMIT.usual } = c.req.valid("query");
    return c.json({ jobs: unwrap(await catalogueSyncsFromEnv(c.env).history(limit)).map(toSyncView) }, 200);
  });

  app.openapi(cacheStatus, async (c) => {
    const snapshot = unwrap(await appCatalogueFromEnv(c.env).snapshot());
    if (snapshot === null) return c.json(EMPTY_CACHE, 200);
    chargeCost(c.env, getTenant(c), ALL_ACTIONS_CHARGES * TOOLS_MS);
    return c.json(formatCache(snapshot, unwrap(await snapshot.actions()), Date.now()), 200);
  });

  app.openapi(connections, async (c) => {
    const query = { person: null, all: true, limit: MAX_RECORDS };
    const found = unwrap(await connectionTableFromEnv(c.env, getTenant(c)).list(query));
    const records = found.flatMap((one) => toConnectionView(one, Date.now()) ?? []);
    return c.json({ connections: records, total: records.length }, 200);
  });
}

/** Starts a sync, or returns the last one of this kind if it began just now. */
async function startSync(c: AppContext, kind: SyncKind) {
  const syncs = catalogueSyncsFromEnv(c.env);
  const recent = unwrap(await syncs.history(RECENT_SYNCS)).find((one) => one.kind === kind);
  if (recent !== undefined && Date.now() - recent.startedAt < START_EVERY_MS) return toSyncView(recent);
  const act = await createAuditEntry(c, "catalogue.sync", kind);
  unwrap(await databaseFromEnv(c.env).audit.add(getTenant(c), act));
  return toSyncView(unwrap(await syncs.start(kind, getTenant(c))));
}

const EMPTY_CACHE = {
  hash: null,
  last_synced: null,
  age_seconds: null,
  apps: 0,
  actions: 0,
  triggers: 0,
  apps_without_actions: [],
  apps_without_parameters: [],
};

function formatCache(
  { hash, syncedAt, stats, apps }: CatalogueSnapshot,
  actions: readonly ListedAction[],
  now: number,
) {
  const byApp = Map.groupBy(actions, ({ app }) => app);
  const offered = apps.filter(({ status, actionCount }) => status === "active" && actionCount > 0);
  const without = offered.filter(({ app }) => !byApp.has(app));
  const bare = offered.filter(({ app }) => byApp.get(app)?.every(({ parameters }) => parameters.length === 0) === true);
  return {
    hash,
    last_synced: iso(syncedAt),
    age_seconds: Math.max(0, Math.floor((now - syncedAt) / 1000)),
    apps: stats.apps,
    actions: stats.actions,
    triggers: stats.triggers,
    apps_without_actions: without.slice(0, MAX_NAMES).map(({ app }) => app),
    apps_without_parameters: bare.slice(0, MAX_NAMES).map(({ app }) => app),
  };
}
