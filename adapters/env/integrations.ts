/** Whether outside apps can be reached through a provider. */
import { type Env, readVariable } from "./bindings.ts";
import type { IntegrationState } from "../../core/apps/integrations.ts";

export function integrationsFromEnv(env: Env): IntegrationState {
  // The demo apps have a key too.
  if (readVariable(env, "OTTO_DEMO_APPS") === "yes") return "demo";
  return readVariable(env, "COMPOSIO_API_KEY") === null ? "integrations_unavailable" : "on";
}
