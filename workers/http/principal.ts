/** The caller of a tenant's routes. */
import { raise } from "../../core/base/errors.ts";
import type { AppContext } from "./context.ts";

/** Returns the tenant of the key. The operator key belongs to no tenant. */
export function getTenant(c: AppContext): string {
  const principal = c.get("principal");
  if (principal.kind === "operator")
    raise("forbidden", "The operator key only manages tenants. Use a key of the tenant.");
  return principal.tenant;
}

/** Returns the name of the caller for answers and cancellations. */
export function getActor(c: AppContext): string {
  const principal = c.get("principal");
  return principal.kind === "operator" ? "the operator" : `API key ${principal.key.name}`;
}
