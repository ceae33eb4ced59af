/** Whether outside apps can be reached through a provider. */
import { appsStatusFromEnv } from "./apps.ts";
import type { Env } from "./bindings.ts";
import type { IntegrationState } from "../../core/apps/integrations.ts";

export function integrationsFromEnv(env: Env): IntegrationState {
  const status = appsStatusFromEnv(env);
  return status === "off" ? "integrations_unavailable" : status;
}
