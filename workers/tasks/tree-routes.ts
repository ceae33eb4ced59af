/** A task's subtasks, and the tree around it. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { TreeNode } from "../../core/ports/task-index.ts";
import { raise } from "../../core/base/errors.ts";
import { DEFAULT_PAGE_LIMIT } from "../../core/base/page-cursor.ts";
import { toShortTask } from "../../core/task/short.ts";
import { toTaskLine } from "../../core/task/line.ts";
import { answers, withKey } from "../http/answers.ts";
import { ownUsageSchema, pageOf, taskLine, taskSchema } from "../http/schemas.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { SHORT_TASKS, viewQuery } from "../http/short-view.ts";
import { flushIndex } from "../http/fresh-index.ts";
import { pageQuery } from "../http/list-query.ts";
import { readTask, taskParams } from "./access.ts";
import { toTaskView } from "./view.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { readViews } from "./views.ts";

const MAX_NODES = 1000;

const reads = [requireScope("tasks:read")];
const shared = { tags: ["Tasks"], ...withKey };

const treeSchema = z
  .strictObject({
    root: z.string(),
    nodes: z.array(z.strictObject({ ...taskLine, usage: ownUsageSchema })),
    truncated: z.boolean().describe(`True if the tree has more than ${MAX_NODES} tasks.`),
  })
  .meta({ id: "TaskTree" });

const subtasks = createRoute({
  ...shared,
  method: "get",
  operationId: "tasks.listSubtasks",
  path: "/v1/tasks/{id}/subtasks",
  summary: "List the subtasks of a task, in the order of their dispatch",
  description: `Reads the tasks themselves, so it is always current. Erased subtasks are left out. ${SHORT_TASKS}`,
  middleware: reads,
  request: { params: taskParams, query: z.strictObject({ ...viewQuery, ...pageQuery }) },
  responses: answers({ 200: { description: "A page of tasks.", json: pageOf(taskSchema) } }, [404, 422]),
});

const tree = createRoute({
  ...shared,
  method: "get",
  operationId: "tasks.getTree",
  path: "/v1/tasks/{id}/tree",
  summary: "Show the whole tree of a task",
  description: `Lists the tree from its root, also for a subtask: each node after its parent, at most ${MAX_NODES}. The root is always current; the tasks below come from an index that is updated within moments.`,
  middleware: reads,
  request: { params: taskParams },
  responses: answers({ 200: { description: "The tree.", json: treeSchema } }, [404]),
});

export function taskTreeRoutes(app: App): void {
  app.openapi(subtasks, async (c) => {
    const { id } = c.req.valid("param");
    const { limit = DEFAULT_PAGE_LIMIT, cursor, view: form } = c.req.valid("query");
    const all = await readTask(c, id, (stub) => stub.subtasks());
    // A cursor of this list is the id of the last subtask of a page.
    const start = cursor === undefined ? 0 : all.indexOf(cursor) + 1;
    if (cursor !== undefined && start === 0)
      raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
    const ids = all.slice(start, start + limit);
    const whole = await readViews(c, ids);
    const views = form === "short" ? whole.map(toShortTask) : whole;
    const isLast = start + limit >= all.length;
    return c.json(
      {
        data: await Promise.all(views.map(async (view) => await toTaskView(c, view))),
        next_cursor: isLast ? null : (ids.at(-1) ?? null),
      },
      200,
    );
  });

  app.openapi(tree, async (c) => {
    const { id } = c.req.valid("param");
    const { rootId } = await readTask(c, id, (stub) => stub.facts());
    const root = await rootNode(c, rootId);
    await flushIndex(c);
    const below = unwrap(await databaseFromEnv(c.env).tasks.listBelow(getTenant(c), rootId, MAX_NODES));
    const truncated = below.length === MAX_NODES;
    return c.json({ root: rootId, nodes: [root, ...below.slice(0, MAX_NODES - 1)], truncated }, 200);
  });
}

async function rootNode(c: AppContext, id: string): Promise<TreeNode> {
  const view = await readTask(c, id, (stub) => stub.view());
  const { steps, tool_calls, input_tokens, output_tokens, cost_usd } = view.usage;
  const below = view.budget?.used_by_subtasks ?? { tokens: 0, cost_usd: 0 };
  const tokens = input_tokens + output_tokens - below.tokens;
  return { ...toTaskLine(view), usage: { steps, tool_calls, tokens, cost_usd: cost_usd - below.cost_usd } };
}
