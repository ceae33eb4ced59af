/** Limits a key to its projects and agents. The rules are in `core/tenant/key-bounds.ts`. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import { isRouteOpen, type KeyBounds, toKeyBounds } from "../../../core/tenant/key-bounds.ts";
import type { AppContext, AppEnv } from "../context.ts";

/** Returns the bounds of the request's key; null if unbounded. */
export function getBounds(c: AppContext): KeyBounds | null {
  const principal = c.get("principal");
  return principal.kind === "operator" ? null : toKeyBounds(principal.key);
}

/** Returns the filter of a list for the request's key: its projects, or no filter. */
export function getProjectsFilter(c: AppContext): { readonly projects?: readonly string[] } {
  const projects = getBounds(c)?.projects ?? null;
  return projects === null ? {} : { projects };
}

/** Closes routes about the whole tenant to a key with bounds. */
export const refuseBoundKey: MiddlewareHandler<AppEnv> = async function refuseBoundKey(c, next) {
  // A sign-in has no principal yet.
  const bounds = c.get("principal") === undefined ? null : getBounds(c);
  if (!isRouteOpen(bounds, c.req.method, c.req.path))
    raise(
      "forbidden",
      "This key is bound to projects or agents, and this route is not limited to them. Use a key without bounds.",
    );
  await next();
};
