/** Apps, actions, triggers and syncs as the API shows them. */
import type { z } from "@hono/zod-openapi";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import type { DescribedTrigger } from "../../core/apps/catalogue.ts";
import type { CatalogueAction, CatalogueApp, SyncJob } from "../../core/ports/app-catalogue.ts";
import { type AppState, isConnected } from "./states.ts";
import type { actionSchema, connectedAppsSchema, marketplaceSchema, syncJobSchema, triggerSchema } from "./schemas.ts";

type MarketplaceApp = z.infer<typeof marketplaceSchema>["apps"][number];
type ConnectedApp = z.infer<typeof connectedAppsSchema>["apps"][number];
type AppFields = Omit<MarketplaceApp, "status">;

/** `state` undefined: the caller sees no connection to it. `triggers` empty: they were not read. */
export function toMarketplaceApp(
  app: CatalogueApp,
  state: AppState | undefined,
  triggers: readonly DescribedTrigger[],
): MarketplaceApp {
  return { ...toAppFields(app, state, triggers), status: "active" };
}

/** An app with a connection. `listed` undefined: the catalogue lacks it, and `title` is how people call it. */
export function toConnectedApp(
  listed: CatalogueApp | undefined,
  title: string,
  state: AppState,
  triggers: readonly DescribedTrigger[],
): ConnectedApp {
  const { connection, status } = state.best;
  const fields =
    listed === undefined ? toUnlistedFields(connection.app, title, state) : toAppFields(listed, state, triggers);
  const connected = { status, connected_at: iso(connection.createdAt), connection_id: connection.id };
  return { ...fields, ...connected, is_listed: listed?.status === "active" };
}

function toAppFields(app: CatalogueApp, state: AppState | undefined, triggers: readonly DescribedTrigger[]): AppFields {
  return {
    id: app.app,
    app_name: app.app,
    display_name: app.title,
    description: app.description,
    // No route serves stored logos, and an address elsewhere would tell its owner who reads the page.
    logo_url: null,
    categories: [...app.categories],
    auth_schemes: [...app.authSchemes],
    action_count: app.actionCount,
    trigger_count: app.triggerCount,
    provider: app.provider,
    ...toStateFields(state),
    triggers: triggers.map(({ trigger, title, description }) => ({
      name: trigger,
      display_name: title,
      description,
    })),
  };
}

function toUnlistedFields(app: string, title: string, state: AppState): AppFields {
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
    provider: state.best.connection.provider,
    ...toStateFields(state),
    triggers: [],
  };
}

function toStateFields(state: AppState | undefined): Pick<AppFields, "is_connected" | "connect_states"> {
  return {
    is_connected: isConnected(state),
    connect_states: { me: state?.me ?? null, shared: state?.shared ?? null },
  };
}

export function toActionView(action: CatalogueAction): z.infer<typeof actionSchema> {
  return {
    name: action.action,
    display_name: action.title,
    description: action.description,
    app_name: action.app,
    parameters: { ...action.input },
    // No tenant can enable actions yet.
    enabled: false,
    tags: [...action.tags],
    effect: action.effect,
    security: action.security,
    because: action.because,
    capabilities: [...action.capabilities],
    is_destructive: action.isDestructive,
  };
}

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
