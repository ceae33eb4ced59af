/** Apps, actions, triggers and syncs as the API shows them. */
import type { z } from "@hono/zod-openapi";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import { type AppConfiguration, findOverride } from "../../core/apps/workspace/workspace.ts";
import type { DirectoryApp } from "../../core/apps/directory.ts";
import type { DescribedTrigger } from "../../core/apps/catalogue.ts";
import type { CatalogueAction, CatalogueApp, SyncJob } from "../../core/ports/app-catalogue.ts";
import { type AppState, isConnected } from "./states.ts";
import type { actionSchema, connectedAppsSchema, marketplaceSchema, syncJobSchema, triggerSchema } from "./schemas.ts";

type MarketplaceApp = z.infer<typeof marketplaceSchema>["apps"][number];
type ConnectedApp = z.infer<typeof connectedAppsSchema>["apps"][number];
type AppFields = Omit<MarketplaceApp, "status">;

/** What the caller sees of an app besides the catalogue. */
interface AppFacts {
  /** Undefined: the caller sees no connection to it. */
  readonly state: AppState | undefined;
  readonly isAdded: boolean;
  /** Null or absent for an app of the catalogue. */
  readonly entry?: DirectoryApp | null;
  /** That the tenant can use; absent: as many as the app has. */
  readonly actionCount?: number;
  /** Empty: they were not read. */
  readonly triggers: readonly DescribedTrigger[];
}

export function toMarketplaceApp(app: CatalogueApp, facts: AppFacts): MarketplaceApp {
  return { ...toAppFields(app, facts), status: "active" };
}

/** An app that is added or has a connection. One that no list has shows a name and a title alone. */
export function toConnectedApp(app: CatalogueApp | UnlistedApp, facts: AppFacts): ConnectedApp {
  const best = facts.state?.best;
  const connected = {
    status: best?.status ?? ("added" as const),
    connected_at: best === undefined ? null : iso(best.connection.createdAt),
    connection_id: best?.connection.id ?? null,
  };
  if (!("actionCount" in app)) return { ...toUnlistedFields(app, facts), ...connected, is_listed: false };
  return { ...toAppFields(app, facts), ...connected, is_listed: app.status === "active" };
}

function toAppFields(
  app: CatalogueApp,
  { triggers, actionCount = app.actionCount, entry = null, ...facts }: AppFacts,
): AppFields {
  return {
    id: app.app,
    app_name: app.app,
    display_name: app.title,
    description: app.description,
    // An address elsewhere would tell its owner who reads the page.
    logo_url: app.logo === null ? null : getLogoPath(app.app, app.logo),
    categories: [...app.categories],
    auth_schemes: [...app.authSchemes],
    action_count: actionCount,
    trigger_count: app.triggerCount,
    provider: app.provider,
    directory: entry === null ? null : { url: entry.url, document: entry.document, checked_on: entry.checkedOn },
    ...toStateFields(facts),
    triggers: triggers.map(({ trigger, title, description }) => ({
      name: trigger,
      display_name: title,
      description,
    })),
  };
}

/** Another logo has another address, so a browser never shows an old one. */
function getLogoPath(app: string, hash: string): string {
  return `/api/tools/${encodeURIComponent(app)}/logo?v=${hash}`;
}

type UnlistedApp = Pick<CatalogueApp, "app" | "title"> & Pick<ConnectedApp, "provider">;

function toUnlistedFields({ app, title, provider }: UnlistedApp, facts: AppFacts): AppFields {
  return {
    id: app,
    app_name: app,
    display_name: title,
    description: "",
    logo_url: null,
    categories: [],
    auth_schemes: [],
    action_count: 0,
    trigger_count: 0,
    provider,
    directory: null,
    ...toStateFields(facts),
    triggers: [],
  };
}

type StateFields = Pick<AppFields, "is_added" | "is_connected" | "connect_states">;

function toStateFields({ state, isAdded }: Pick<AppFacts, "state" | "isAdded">): StateFields {
  return {
    is_added: isAdded,
    is_connected: isConnected(state),
    connect_states: { me: state?.me ?? null, shared: state?.shared ?? null },
  };
}

/** Actions as the tenant has them. `configuration` is null for an app that is not added. */
export function toActionView(
  configuration: AppConfiguration | null,
): (action: CatalogueAction) => z.infer<typeof actionSchema> {
  const enabled = new Set(configuration?.enabledActions);
  return (action) => {
    const override = configuration === null ? undefined : findOverride(configuration, action);
    const { effect = action.effect, security = action.security } = override ?? {};
    return {
      name: action.action,
      display_name: action.title,
      description: action.description,
      app_name: action.app,
      parameters: { ...action.input },
      enabled: enabled.has(action.action),
      tags: [...action.tags],
      effect,
      security,
      because: override === undefined ? action.because : OVERRIDDEN,
      is_overridden: override !== undefined,
      capabilities: [...action.capabilities],
      is_destructive: action.isDestructive,
    };
  };
}

const OVERRIDDEN = "An administrator of this workspace set it.";

export function toTriggerView(trigger: DescribedTrigger): z.infer<typeof triggerSchema> {
  return {
    name: trigger.trigger,
    display_name: trigger.title,
    description: trigger.description,
    app_name: trigger.app,
    config: { ...trigger.config },
    payload: trigger.payload === null ? null : { ...trigger.payload },
  };
}

export function toSyncView(job: SyncJob): z.infer<typeof syncJobSchema> {
  const { completedAt, startedAt } = job;
  return {
    id: job.id,
    job_type: job.kind,
    status: job.status,
    started_at: iso(startedAt),
    completed_at: isoOrNull(completedAt),
    duration_ms: completedAt === null ? null : completedAt - startedAt,
    apps_synced: job.appsSynced,
    actions_synced: job.actionsSynced,
    errors_count: job.errors,
    error_details: job.errorDetails.map(({ name, why }) => ({ name, why })),
  };
}
