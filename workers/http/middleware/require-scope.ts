/** Requires a scope of the request's key. The operator key has none, because it only manages tenants. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import type { Scope } from "../../../core/tenant/keys.ts";
import type { AppEnv } from "../context.ts";

export function requireScope(scope: Scope): MiddlewareHandler<AppEnv> {
  return async function requireScopeOfKey(c, next) {
    const principal = c.get("principal");
    if (principal.kind === "operator")
      raise("forbidden", "The operator key only manages tenants. Use a key of the tenant.");
    if (!principal.key.scopes.includes(scope)) raise("forbidden", `This key lacks the scope ${scope}.`);
    await next();
  };
}
