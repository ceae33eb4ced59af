/** Stops and releases a tenant, for its own administrators and for the operator. */
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { endMcpProcessesFromEnv } from "../../adapters/env/mcp.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { TenantStop } from "../../core/tenant/budget-tree.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import { getActorId, createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { unwrap } from "../http/unwrap.ts";
import { emptyBody } from "../http/answers.ts";

export const killSwitchSchema = z
  .strictObject({
    stopped: z.boolean(),
    by: z.string().nullable().describe("The key that stopped the tenant, or `operator`; null while it is not stopped."),
    by_operator: z.boolean().describe("True: only the operator can release it."),
    reason: z.string().nullable(),
    at: z.iso.datetime().nullable(),
  })
  .meta({ id: "KillSwitch" });

const stopBodySchema = z.strictObject({ reason: z.string().min(1).max(500).optional() }).meta({ id: "StopInput" });

export const stopBody = { body: { required: false, content: { "application/json": { schema: stopBodySchema } } } };
export const releaseBody = { body: emptyBody };

/** The reply of every route of the kill switch. */
export const switchReply = { description: "The current state of the switch.", json: killSwitchSchema };

/** The target of a route: an administrator's own tenant, or any tenant for the operator. */
interface StopTarget {
  readonly tenant: string;
  readonly byOperator: boolean;
}

/** Stops the object first, so that the stop takes effect even if the audit row fails. */
export async function stopTenant(c: AppContext, { tenant, byOperator }: StopTarget, reason: string | undefined) {
  const stop = { by: getActorId(c), byOperator, reason: reason ?? null, at: Date.now() };
  const holds = await tenantsFromEnv(c.env)(tenant).stop(stop);
  await endMcpProcessesFromEnv(c.env, tenant, null);
  await audit(c, "tenant.stop", { tenant, byOperator });
  return toSwitchView(holds);
}

/** Fails with `forbidden` if the operator stopped the tenant and another caller releases it. */
export async function releaseTenant(c: AppContext, { tenant, byOperator }: StopTarget) {
  const holds = unwrap(await tenantsFromEnv(c.env)(tenant).release(byOperator));
  await audit(c, "tenant.release", { tenant, byOperator });
  return toSwitchView(holds);
}

export function toSwitchView(stop: TenantStop | null): z.infer<typeof killSwitchSchema> {
  if (stop === null) return { stopped: false, by: null, by_operator: false, reason: null, at: null };
  const { by, byOperator, reason, at } = stop;
  return { stopped: true, by, by_operator: byOperator, reason, at: new Date(at).toISOString() };
}

/** Acts of the operator are in the operator's log, acts of the tenant in its own. */
async function audit(c: AppContext, action: "tenant.stop" | "tenant.release", { tenant, byOperator }: StopTarget) {
  const act = await createAuditEntry(c, action, tenant);
  unwrap(await databaseFromEnv(c.env).audit.add(byOperator ? OPERATOR_TENANT : tenant, act));
}
