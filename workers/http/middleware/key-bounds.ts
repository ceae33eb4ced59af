/** Holds a key to the projects and agents that it is bound to. The rules are in `core/tenant/key-bounds.ts`. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import { isRouteOpen, type KeyBounds, toKeyBounds } from "../../../core/tenant/key-bounds.ts";
import type { AppContext, AppEnv } from "../context.ts";

/** The bounds of the key that asks, or that the session acts as; null: none. */
export function boundsOf(c: AppContext): KeyBounds | null {
  const principal = c.get("principal");
  return principal.kind === "operator" ? null : toKeyBounds(principal.key);
}

/** The filter of a list for the key that asks: its projects, or none. */
export function projectsFilter(c: AppContext): { readonly projects?: readonly string[] } {
  const projects = boundsOf(c)?.projects ?? null;
  return projects === null ? {} : { projects };
}

/** Closes routes about the whole tenant to a key with bounds. */
export const closeToBound: MiddlewareHandler<AppEnv> = async function closeToBound(c, next) {
  // A session that begins has no principal yet.
  const bounds = c.get("principal") === undefined ? null : boundsOf(c);
  if (!isRouteOpen(bounds, c.req.method, c.req.path))
    raise(
      "forbidden",
      "This key is bound to projects or agents, and this route is not limited to them. Use a key without bounds.",
    );
  await next();
};
