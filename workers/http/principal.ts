/** The caller of a tenant's routes. */
import { raise } from "../../core/base/errors.ts";
import type { Actor } from "../../core/connections/actors.ts";
import type { Scope } from "../../core/tenant/keys.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import type { AppContext } from "./context.ts";

/** Returns the tenant of the key. The operator key belongs to no tenant. */
export function getTenant(c: AppContext): string {
  const principal = c.get("principal");
  if (principal.kind === "operator")
    raise("forbidden", "The operator key only manages tenants. Use a key of the tenant.");
  return principal.tenant;
}

/** True if the request's key has a scope. The operator key has none. */
export function hasScope(c: AppContext, scope: Scope): boolean {
  const principal = c.get("principal");
  return principal.kind === "tenant" && principal.key.scopes.includes(scope);
}

/** Returns the name of the caller for answers and cancellations. */
export function getActor(c: AppContext): string {
  const principal = c.get("principal");
  return principal.kind === "operator" ? "the operator" : `API key ${principal.key.name}`;
}

/** Returns the person of the request's key, also for a session; null without one. */
export function getPerson(c: AppContext): KeyPerson | null {
  const principal = c.get("principal");
  return principal.kind === "operator" ? null : (principal.key.person ?? null);
}

/** Returns the author of what the request says: the key's person, or the key itself. */
export function getAuthor(c: AppContext): Actor {
  const person = getPerson(c);
  return person === null ? { person: null, name: getActor(c) } : { person: person.id, name: person.name };
}
