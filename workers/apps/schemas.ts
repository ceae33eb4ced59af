/** The shapes of the catalogue of apps in the API. Their names are those of document 002. */
import { z } from "zod";
import { APP_PROVIDERS } from "../../core/apps/catalogue.ts";
import { INTEGRATION_STATES, KEY_OWNERS } from "../../core/apps/integrations.ts";
import { PROVIDERS } from "../../core/connections/account.ts";
import { SYNC_KINDS } from "../../core/ports/app-catalogue.ts";
import { SECURITY_LEVELS } from "../../core/tool/tool.ts";
import { connectionSchema } from "../connections/schemas.ts";
import { effectSchema } from "../http/pending-schemas.ts";
import { optionalQuery } from "../http/list-query.ts";

const time = z.iso.datetime();
const jsonSchema = z.record(z.string(), z.unknown());
const MAX_NAME = 200;
const MAX_SEARCH = 500;

/** Apps of one page of the marketplace. */
export const APP_LIMIT = { most: 1000, usual: 100, withTriggers: 10 } as const;
/** Actions of one page. */
export const ACTION_LIMIT = { most: 20_000, usual: 5000 } as const;
export const HISTORY_LIMIT = { most: 100, usual: 20 } as const;

const search = optionalQuery(z.string().max(MAX_SEARCH)).describe(
  "Words in any order and any case, in the name, the title or the description.",
);
const offset = optionalQuery(z.coerce.number().int().min(0).max(1_000_000));
const include = optionalQuery(z.literal("triggers")).describe("`triggers` fills the field of that name.");
const limitTo = (most: number) => optionalQuery(z.coerce.number().int().min(1).max(most));

export const marketplaceQuery = z.strictObject({
  app: optionalQuery(z.string().max(MAX_NAME)).describe("The name of one app, in any case."),
  category: optionalQuery(z.string().max(MAX_NAME)).describe("In any case."),
  search,
  provider: optionalQuery(z.enum(APP_PROVIDERS)).describe("`composio`: of the catalogue. `mcp`: of the directory."),
  limit: limitTo(APP_LIMIT.most).describe(
    "100 when omitted. With `include=triggers`, at most 10, which is also the default.",
  ),
  offset,
  include,
});
export const connectedQuery = z.strictObject({ include });
export const actionsQuery = z.strictObject({
  search,
  limit: limitTo(ACTION_LIMIT.most).describe("5000 when omitted."),
  offset,
});
export const syncQuery = z.strictObject({
  sync_type: optionalQuery(z.enum(["full", "incremental"])).describe("`full` when omitted."),
});
export const historyQuery = z.strictObject({ limit: limitTo(HISTORY_LIMIT.most).describe("20 when omitted.") });
export const appParams = z.object({ app: z.string().max(MAX_NAME).describe("The app's name, in any case.") });

const connectionStatus = z.enum(["pending", "active", "expired", "revoked", "failed"]);

const triggerSummarySchema = z
  .strictObject({ name: z.string(), display_name: z.string(), description: z.string() })
  .meta({ id: "AppTriggerSummary" });

const appFields = {
  id: z.string().describe("The name again."),
  app_name: z.string().describe("The name in lower case, such as `gmail`."),
  display_name: z.string(),
  description: z.string(),
  logo_url: z.string().nullable().describe("A path of this server, which serves the logo; null without one."),
  categories: z.array(z.string()),
  auth_schemes: z.array(z.string()).describe("Such as `OAUTH2` and `API_KEY`; empty: no account is needed."),
  action_count: z.int().describe("Of an app of the directory: the tools that tasks have, 0 until its server was read."),
  trigger_count: z.int(),
  provider: z.enum(PROVIDERS).describe("By whom its accounts and actions are reached."),
  directory: z
    .strictObject({
      url: z.string().describe("Of its MCP server."),
      document: z.string().describe("The public document that has this address."),
      checked_on: z.iso.date().describe("When that was read. Nothing was tried then."),
    })
    .nullable()
    .describe("Null for an app of the catalogue. Set: its maker runs an MCP server, and no provider is needed."),
  is_added: z.boolean().describe("True if the app is added to the workspace."),
  is_connected: z.boolean().describe("True if an own or a shared connection is active."),
  connect_states: z
    .strictObject({ me: connectionStatus.nullable(), shared: connectionStatus.nullable() })
    .describe("The best state among the caller's own connections, and among the shared ones; null without any."),
  triggers: z.array(triggerSummarySchema).describe("Empty unless `include=triggers`."),
};

const marketplaceAppSchema = z
  .strictObject({ ...appFields, status: z.literal("active").describe("Removed apps are not listed.") })
  .meta({ id: "MarketplaceApp" });

const connectedAppSchema = z
  .strictObject({
    ...appFields,
    status: z
      .enum(["added", ...connectionStatus.options])
      .describe("The best state of its connections; `added` if the app is added and not connected."),
    connected_at: time.nullable().describe("When that connection was created; null without one."),
    connection_id: z.string().nullable(),
    is_listed: z.boolean().describe("True if the marketplace lists it. An import or an MCP server is not listed."),
  })
  .meta({ id: "ConnectedApp" });

export const marketplaceSchema = z
  .strictObject({
    apps: z.array(marketplaceAppSchema),
    total_apps: z.int().describe("All apps that match, on every page."),
    total_actions: z.int().describe("The actions of all apps that match."),
    categories: z.array(z.string()).describe("Of the whole catalogue, the largest first."),
    last_synced: time.nullable().describe("Null before the first sync."),
  })
  .meta({ id: "Marketplace" });

export const connectedAppsSchema = z
  .strictObject({ apps: z.array(connectedAppSchema), total: z.int() })
  .meta({ id: "ConnectedApps" });

export const statsSchema = z
  .strictObject({
    total_apps: z.int(),
    total_actions: z.int(),
    total_triggers: z.int(),
    categories: z.array(z.strictObject({ category: z.string(), apps: z.int() })).describe("The largest first."),
    connected_apps: z.int().describe("Apps with an active connection, an own or a shared one."),
    last_synced: time.nullable(),
  })
  .meta({ id: "CatalogueStats" });

export const actionSchema = z
  .strictObject({
    name: z.string().describe("Such as `GMAIL_SEND_EMAIL`."),
    display_name: z.string(),
    description: z.string(),
    app_name: z.string(),
    parameters: jsonSchema.describe("The schema of its arguments."),
    enabled: z.boolean().describe("True if the tenant enabled it for its agents."),
    tags: z.array(z.string()),
    effect: effectSchema,
    security: z.enum(SECURITY_LEVELS),
    because: z.string().describe("Why Otto gives it this effect and this level."),
    is_overridden: z.boolean().describe("True if an administrator of the tenant set its effect or its level."),
    capabilities: z.array(z.string()).describe("Such as `message.send`."),
    is_destructive: z.boolean(),
  })
  .meta({ id: "AppAction" });

export const triggerSchema = z
  .strictObject({
    name: z.string(),
    display_name: z.string(),
    description: z.string(),
    app_name: z.string(),
    config: jsonSchema.describe("The schema of its configuration."),
    payload: jsonSchema.nullable().describe("The schema of its events; null if unknown."),
  })
  .meta({ id: "AppTrigger" });

export const syncJobSchema = z
  .strictObject({
    id: z.string(),
    job_type: z.enum(SYNC_KINDS),
    status: z.enum(["queued", "running", "completed", "failed"]),
    started_at: time,
    completed_at: time.nullable(),
    duration_ms: z.int().nullable().describe("Null until it has ended."),
    apps_synced: z.int(),
    actions_synced: z.int(),
    errors_count: z.int(),
    error_details: z
      .array(z.strictObject({ name: z.string(), why: z.string() }))
      .describe("The first 100 of what could not be read or stored."),
  })
  .meta({ id: "CatalogueSync" });

export const syncHistorySchema = z
  .strictObject({ jobs: z.array(syncJobSchema).describe("The newest first.") })
  .meta({ id: "CatalogueSyncs" });

export const cacheStatusSchema = z
  .strictObject({
    hash: z.string().nullable().describe("Of the catalogue that this isolate serves; null before the first sync."),
    last_synced: time.nullable(),
    age_seconds: z.int().nullable(),
    apps: z.int(),
    actions: z.int(),
    triggers: z.int(),
    apps_without_actions: z.array(z.string()).describe("Apps whose actions the catalogue lacks, the first 100."),
    apps_without_parameters: z
      .array(z.string())
      .describe("Apps none of whose actions has parameters, the first 100: `backfill-params` reads these again."),
  })
  .meta({ id: "CatalogueCacheStatus" });

export const connectionRecordsSchema = z
  .strictObject({
    connections: z.array(connectionSchema).describe("Of everyone, the newest first; at most 1,000."),
    total: z.int().describe("Of this reply."),
  })
  .meta({ id: "ConnectionRecords" });

export const integrationsSchema = z
  .strictObject({
    status: z.enum(INTEGRATION_STATES),
    message: z.string().nullable().describe("What people read about it; null if there is nothing to say."),
    served_by: z.enum(KEY_OWNERS).describe("Whose key of the provider serves the tenant."),
  })
  .meta({ id: "Integrations" });
