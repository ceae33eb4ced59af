/** Who asks, as the routes of a tenant need it. */
import { raise } from "../../core/base/errors.ts";
import type { AppContext } from "./context.ts";

/** The tenant of the key. The operator key belongs to no tenant. */
export function tenantOf(c: AppContext): string {
  const principal = c.get("principal");
  if (principal.kind === "operator") raise("forbidden", "The operator key makes tenants. Use a key of the tenant.");
  return principal.tenant;
}

/** How answers and cancellations name who made them. */
export function actorOf(c: AppContext): string {
  const principal = c.get("principal");
  return principal.kind === "operator" ? "the operator" : `API key ${principal.key.name}`;
}
