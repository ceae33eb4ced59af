/** Limits a key to the tasks of its projects and agents. The rules are in `core/tenant/key-bounds.ts`. */
import type { MiddlewareHandler } from "hono";
import { checkRequest, checkTask } from "../../core/tenant/key-bounds.ts";
import type { AppEnv } from "../http/context.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { unwrap } from "../http/unwrap.ts";
import { readTask } from "./access.ts";

/**
 * Checks the task in the path before the rest of the request is read: 404 if the task is in another project, 403 if the
 * request would direct another agent's task.
 */
export const checkTaskInBounds: MiddlewareHandler<AppEnv> = async function checkTaskInBounds(c, next) {
  const bounds = getBounds(c);
  if (bounds !== null) {
    const facts = await readTask(c, c.req.param("id") ?? "", (task) => task.facts());
    unwrap(checkTask(bounds, facts));
    const agent = { id: facts.agent.id, name: facts.agent.config.name };
    unwrap(checkRequest(bounds, c.req.method, c.req.path, agent));
  }
  await next();
};
