/** Whether a tenant reaches outside apps through a provider, and with whose key. */
import { appsStatusFromEnv } from "./apps.ts";
import type { Env } from "./bindings.ts";
import { servingKeyFromEnv } from "./tenant-provider.ts";
import type { IntegrationState, KeyOwner } from "../../core/apps/integrations.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { OPERATOR_KEY } from "../../core/connections/provider-key.ts";

export interface Integrations {
  readonly status: IntegrationState;
  readonly servedBy: KeyOwner;
}

export async function integrationsFromEnv(env: Env, tenant: string): Promise<Result<Integrations>> {
  const key = await servingKeyFromEnv(env, tenant);
  if (!key.ok) return key;
  if (key.value === null) return ok({ status: "integrations_unavailable", servedBy: "none" });
  // With its own key, a tenant reaches what the operator's address names: under the demo apps, nothing real.
  const isDemo = appsStatusFromEnv(env) === "demo";
  const servedBy = key.value === OPERATOR_KEY ? (isDemo ? "demo" : "operator") : "own";
  return ok({ status: isDemo ? "demo" : "on", servedBy });
}
