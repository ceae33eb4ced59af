/** Holds a key to the projects and agents that it is bound to. The rules are in `core/tenant/key-bounds.ts`. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import { checkRequest, checkTask, isRouteOpen, type KeyBounds, toKeyBounds } from "../../../core/tenant/key-bounds.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { readTask } from "../../tasks/access.ts";
import { unwrap } from "../unwrap.ts";

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

/**
 * For a task in the path, before anything else of the request is read: 404 when it is of another project, and 403 for a
 * request that would direct another agent's.
 */
export const checkTaskInBounds: MiddlewareHandler<AppEnv> = async function checkTaskInBounds(c, next) {
  const bounds = boundsOf(c);
  if (bounds !== null) {
    const facts = await readTask(c, c.req.param("id") ?? "", (task) => task.facts());
    unwrap(checkTask(bounds, facts));
    const agent = { id: facts.agent.id, name: facts.agent.config.name };
    unwrap(checkRequest(bounds, c.req.method, c.req.path, agent));
  }
  await next();
};
