/** Making, listing, reading, starting, cancelling and erasing tasks. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv, settingsFromEnv, tasksFromEnv } from "../../adapters/from-env.ts";
import { raise } from "../../core/errors.ts";
import {
  newTaskFacts,
  projectSchema,
  type TaskOrigin,
  type TaskRequest,
  taskRequestSchema,
} from "../../core/new-task.ts";
import { DEFAULT_PAGE_LIMIT, writeCursor } from "../../core/page-cursor.ts";
import { leavesTools } from "../../core/skills/match.ts";
import type { TaskFacts } from "../../core/task-state.ts";
import { TASK_STATUSES } from "../../core/task-status.ts";
import type { TaskView } from "../../core/task-view.ts";
import { answers, withKey } from "../answers.ts";
import { pageOf, taskSchema } from "../api-schemas.ts";
import { actorIdOf } from "../audit-entry.ts";
import { awaitTask, MAX_WAIT_SECONDS } from "../await-task.ts";
import type { App, AppContext } from "../context.ts";
import { refuseStopped } from "../middleware/refuse-stopped.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { idSource, requestName } from "../new-ids.ts";
import { pinnedSkills } from "../pinned-tools.ts";
import { resolveAgent } from "../resolve-agent.ts";
import {
  actorOf,
  bringUpToDate,
  findView,
  optionalQuery,
  pageQuery,
  pageRequest,
  readTask,
  shownTask,
  taskParams,
  taskStub,
  tenantOf,
  unwrap,
} from "../task-access.ts";
import { toolsOf } from "./tools-bus.ts";

/** Subtasks that are asked at once for their views. */
const VIEWS_AT_ONCE = 20;

const reads = [requireScope("tasks:read")];
const writes = [requireScope("tasks:write")];
const task = { description: "The task.", json: taskSchema };
const noBody = z.strictObject({});
const emptyBody = { body: { required: false, content: { "application/json": { schema: noBody } } } };
const shared = { tags: ["Tasks"], ...withKey };

const create = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks",
  summary: "Make a task",
  description:
    "`tools` are patterns that narrow the agent's own list. A limit of the agent's budget is the default and the most that `budget` may ask for; `max_cost_usd` needs a known price of the agent's model and of each of its fallbacks. `skills` are the names of skills that the task works under; an input that holds `/name` of a skill as a word names it too, and so does an agent's `skills.names`; at most 20 together. When nobody names one and `skills` is left out, skills are matched whose description fits the input, unless the agent's `skills.match` is `explicit`; `skills: []` keeps them from being matched. The task's `skills` show which are in force and how they came to be; where they list tools, the task has only those of the agent's that one of the lists matches, and `ask_human`. `deliver` and `mode: staged` answer `not_available`. With `wait`, the answer comes when the task has ended or waits for a person (also when a subtask asks one) or for time, or when the seconds are up. Send an `Idempotency-Key` so that the request can be repeated safely.",
  middleware: [...writes, refuseStopped],
  request: {
    query: z.strictObject({ wait: optionalQuery(z.coerce.number().min(0).max(MAX_WAIT_SECONDS)) }),
    body: { required: true, content: { "application/json": { schema: taskRequestSchema } } },
  },
  responses: answers({ 201: task }, [404, 409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tasks",
  summary: "List tasks, the latest first",
  description: "Read from an index that follows the tasks within moments. A task by its id is always up to date.",
  middleware: reads,
  request: {
    query: z.strictObject({
      status: optionalQuery(z.enum(TASK_STATUSES)),
      project: optionalQuery(projectSchema),
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of tasks.", json: pageOf(taskSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tasks/{id}",
  summary: "Show a task",
  middleware: reads,
  request: { params: taskParams },
  responses: answers({ 200: task }, [404]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  path: "/v1/tasks/{id}",
  summary: "Erase a task that has ended, with its log and its files",
  middleware: writes,
  request: { params: taskParams },
  responses: answers({ 200: { description: "The task as it was.", json: taskSchema } }, [404, 409]),
});

const start = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks/{id}/start",
  summary: "Start a task that was made with `hold`",
  middleware: [...writes, refuseStopped],
  request: { params: taskParams, ...emptyBody },
  responses: answers({ 200: task }, [404, 409, 415, 422]),
});

const cancel = createRoute({
  ...shared,
  method: "post",
  path: "/v1/tasks/{id}/cancel",
  summary: "Cancel a task and the whole tree below it",
  middleware: writes,
  request: { params: taskParams, ...emptyBody },
  responses: answers({ 202: task }, [404, 409, 415, 422]),
});

const subtasks = createRoute({
  ...shared,
  method: "get",
  path: "/v1/tasks/{id}/subtasks",
  summary: "List the subtasks of a task, in the order in which it dispatched them",
  description: "Read from the tasks themselves, so it is always up to date. A subtask that was erased is left out.",
  middleware: reads,
  request: { params: taskParams, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of tasks.", json: pageOf(taskSchema) } }, [404, 422]),
});

/** The facts of a new task. A skill that nobody named, and whose list would leave it no tool that there is, is left out. */
async function factsOf(c: AppContext, request: TaskRequest, origin: TaskOrigin): Promise<TaskFacts> {
  const facts = unwrap(newTaskFacts(request, origin));
  const narrowing = facts.skills.filter(({ how, allowedTools }) => how === "similarity" && allowedTools !== null);
  if (narrowing.length === 0) return facts;
  const tools = await toolsOf(c, origin.sources);
  const useless = new Set(narrowing.filter((skill) => !leavesTools(skill, tools)).map(({ hash }) => hash));
  if (useless.size === 0) return facts;
  const skills = origin.skills.filter(
    ({ hash }) => !useless.has(hash) && facts.skills.some((skill) => skill.hash === hash),
  );
  return unwrap(newTaskFacts(request, { ...origin, skills }));
}

export function taskRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const request = c.req.valid("json");
    const { wait = 0 } = c.req.valid("query");
    const tenant = tenantOf(c);
    const agent = await resolveAgent(c, request.agent);
    const { model: defaultModel } = settingsFromEnv(c.env);
    const source = await idSource(c, "task");
    const sources = c.get("sources");
    const skills = unwrap(await pinnedSkills(c.env, { tenant, sources }));
    const origin = { tenant, key: actorIdOf(c), agent, sources, skills, defaultModel, ...source };
    const facts = await factsOf(c, request, origin);
    const open = () => tasksFromEnv(c.env)(tenant, facts.id);
    const made = unwrap(await open().create({ facts, hold: request.hold ?? false, call: null }));
    const view = wait > 0 ? unwrap(await awaitTask(open, wait * 1000)) : made;
    return c.json(shownTask(c, view), 201, { location: `/v1/tasks/${facts.id}` });
  });

  app.openapi(list, async (c) => {
    const query = c.req.valid("query");
    const filter = { status: query.status ?? null, project: query.project ?? null };
    await bringUpToDate(c);
    const page = unwrap(await databaseFromEnv(c.env).tasks.page(tenantOf(c), filter, pageRequest(query)));
    return c.json({
      data: page.items.map((view) => shownTask(c, view)),
      next_cursor: page.next === null ? null : writeCursor(page.next),
    });
  });

  app.openapi(show, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(shownTask(c, await readTask(c, id, (stub) => stub.view())));
  });

  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    const view = await readTask(c, id, (stub) => stub.view());
    unwrap(await taskStub(c, id).erase());
    return c.json(shownTask(c, view));
  });

  app.openapi(start, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(shownTask(c, unwrap(await taskStub(c, id).start(requestName(c)))));
  });

  app.openapi(cancel, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(shownTask(c, unwrap(await taskStub(c, id).cancel(actorOf(c)))), 202);
  });

  app.openapi(subtasks, async (c) => {
    const { id } = c.req.valid("param");
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = c.req.valid("query");
    const all = await readTask(c, id, (stub) => stub.subtasks());
    // A cursor of this list is the id of the last subtask of a page.
    const start = cursor === undefined ? 0 : all.indexOf(cursor) + 1;
    if (cursor !== undefined && start === 0)
      raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
    const ids = all.slice(start, start + limit);
    const views = await viewsOf(c, ids);
    const isLast = start + limit >= all.length;
    return c.json({ data: views.map((view) => shownTask(c, view)), next_cursor: isLast ? null : (ids.at(-1) ?? null) });
  });
}

/** The tasks with these ids, in their order; one that is gone is left out. */
async function viewsOf(c: AppContext, ids: readonly string[]): Promise<TaskView[]> {
  const views: TaskView[] = [];
  for (let start = 0; start < ids.length; start += VIEWS_AT_ONCE) {
    const some = ids.slice(start, start + VIEWS_AT_ONCE);
    const read = await Promise.all(some.map(async (id) => await findView(c, id)));
    views.push(...read.filter((view) => view !== null));
  }
  return views;
}
