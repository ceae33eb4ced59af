/** Creates the audit row of an administrative act: who did what to which resource, when, in which request. */
import type { AuditEntry } from "../../core/ports/audit.ts";
import { makeId } from "../../core/base/ids.ts";
import { OPERATOR } from "../../core/tenant/keys.ts";
import type { AppContext } from "./context.ts";
import { getIdSource } from "./new-ids.ts";

/** `target` is the id of the resource. A repeat of the request creates the same row. */
export async function createAuditEntry(
  c: AppContext,
  action: AuditEntry["action"],
  target: string,
): Promise<AuditEntry> {
  const { createdAt, random } = await getIdSource(c, "audit");
  const id = makeId("audit", createdAt, random);
  return { id, at: createdAt, actor: getActorId(c), action, target, requestId: c.get("requestId") };
}

/** Returns the id of the request's key, or `operator`. */
export function getActorId(c: AppContext): string {
  const principal = c.get("principal");
  return principal.kind === "operator" ? OPERATOR : principal.key.id;
}
