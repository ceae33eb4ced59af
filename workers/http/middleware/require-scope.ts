/** Lets a request through when its key has the scope. The operator key has none: it makes tenants and nothing else. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import type { Scope } from "../../../core/tenant/keys.ts";
import type { AppEnv } from "../context.ts";

export function requireScope(scope: Scope): MiddlewareHandler<AppEnv> {
  return async function requireScopeOfKey(c, next) {
    const principal = c.get("principal");
    if (principal.kind === "operator") raise("forbidden", "The operator key makes tenants. Use a key of the tenant.");
    if (!principal.key.scopes.includes(scope)) raise("forbidden", `This key lacks the scope ${scope}.`);
    await next();
  };
}
