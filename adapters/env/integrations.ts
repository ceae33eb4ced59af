/** Whether outside apps can be reached through a provider. */
import { type Env, readVariable } from "./bindings.ts";
import type { IntegrationState } from "../../core/apps/integrations.ts";

export function integrationsFromEnv(env: Env): IntegrationState {
  if (readVariable(env, "COMPOSIO_API_KEY") !== null) return "on";
  return readVariable(env, "OTTO_DEMO_APPS") === "yes" ? "demo" : "integrations_unavailable";
}
