/** Creates, lists, reads, starts, cancels and erases tasks. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { API_SOURCE } from "../../core/task/source.ts";
import type { TaskFilter } from "../../core/ports/task-index.ts";
import { REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import { NO_SUCH_TASK, OttoError, raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { projectSchema, taskRequestSchema } from "../../core/task/new-task.ts";
import { type Page, writeCursor } from "../../core/base/page-cursor.ts";
import { TASK_STATUSES, type TaskStatus } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import { answers, withKey, emptyBody } from "../http/answers.ts";
import { pageOf, taskSchema } from "../http/schemas.ts";
import { getActorId } from "../http/audit-entry.ts";
import { actsForSchema, readActsFor } from "./acts-for.ts";
import { awaitTask, MAX_WAIT_SECONDS } from "./await.ts";
import type { App } from "../http/context.ts";
import { BETWEEN, readBetween, betweenQuery } from "../http/created-between.ts";
import { getBounds, getProjectsFilter } from "../http/middleware/key-bounds.ts";
import { refuseStopped } from "../http/middleware/refuse-stopped.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { eraseLostTask } from "./erase.ts";
import { findLostTask } from "./lost.ts";
import { openTask } from "./create.ts";
import { getIdSource, getRequestName } from "../http/new-ids.ts";
import { SHORT_TASKS, viewQuery } from "../http/short-view.ts";
import { getActor, getTenant } from "../http/principal.ts";
import { takePermit } from "../http/request-permit.ts";
import { readSources, readTenantFacts } from "../http/tenant-facts.ts";
import { flushIndex } from "../http/fresh-index.ts";
import { findView, readTask, taskParams, getTaskStub } from "./access.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { toTaskView } from "./view.ts";
import { unwrap } from "../http/unwrap.ts";

const MAX_QUERY_CHARACTERS = 200;

const statusList = z
  .string()
  .transform((text, context): TaskStatus[] => {
    const statuses = text.split(",").map((name) => TASK_STATUSES.find((status) => status === name));
    const known = statuses.filter((status) => status !== undefined);
    if (known.length === statuses.length && known.length <= TASK_STATUSES.length) return known;
    context.addIssue({
      code: "custom",
      message: `one or more of ${TASK_STATUSES.join(", ")}, with commas between them`,
    });
    return z.NEVER;
  })
  .meta({ type: "string", example: "running,queued" });

const reads = [requireScope("tasks:read")];
const writes = [requireScope("tasks:write")];
const task = { description: "The task.", json: taskSchema };
const shared = { tags: ["Tasks"], ...withKey };

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.create",
  path: "/v1/tasks",
  summary: "Make a task",
  description:
    "`tools` are patterns that narrow the agent's own list. A limit of the agent's budget is the default and the maximum of `budget`; `max_cost_usd` needs a known price for each of the agent's models. `skills` names the task's skills; `/name` as a word of the input names one too, and so does the agent's `skills.names`; at most 20 in total. Without `skills` and names, skills are matched by their description, unless the agent's `skills.match` is `explicit`; `skills: []` matches none. The task's `skills` show the active ones and why they match; if they list tools, the task has the agent's tools that a list matches, and `ask_human`. `deliver` says where the result and the questions go: `slack` to `#channel`, `C…`, `C…/thread` or `U…`, after the workspace (`T…/`) if there are several; `email` to addresses; `webhook` to an endpoint's id; `person` to an id or a name, over the person's preferred channel. A target outside the tenant is refused. `mode: staged` answers `not_available`. With `wait`, the reply is sent when the task has ended, waits for a person (also in a subtask) or for a time, or when the seconds are up. Send an `Idempotency-Key` to repeat the request safely.",
  middleware: [...writes, refuseStopped],
  request: {
    query: z.strictObject({ wait: optionalQuery(z.coerce.number().min(0).max(MAX_WAIT_SECONDS)) }),
    body: {
      required: true,
      content: {
        "application/json": { schema: taskRequestSchema.extend({ acts_for: actsForSchema }).meta({ id: "TaskInput" }) },
      },
    },
  },
  responses: answers({ 201: task }, [404, 409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "tasks.list",
  path: "/v1/tasks",
  summary: "List tasks, newest first",
  description: `Reads an index that is updated within moments; reading one task by id is always current. \`status\` is one status or a list (\`running,queued\`). \`parent\` is \`none\` for tasks that are not subtasks, or the id of a task for its subtasks. \`query\` is searched in the first 500 characters of the input, ignoring case, and with six or more characters also in the id. ${BETWEEN} ${SHORT_TASKS}`,
  middleware: reads,
  request: {
    query: z.strictObject({
      status: optionalQuery(statusList),
      project: optionalQuery(projectSchema),
      agent: optionalQuery(z.string().max(100).describe("The id or the name of an agent.")),
      parent: optionalQuery(z.string().max(100).describe("`none`, or the id of a task.")),
      query: optionalQuery(z.string().max(MAX_QUERY_CHARACTERS)),
      ...betweenQuery,
      ...viewQuery,
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of tasks.", json: pageOf(taskSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "tasks.get",
  path: "/v1/tasks/{id}",
  summary: "Show a task",
  middleware: reads,
  request: { params: taskParams },
  responses: answers({ 200: task }, [404]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "tasks.delete",
  path: "/v1/tasks/{id}",
  summary: "Erase a task that has ended, with its log and its files",
  middleware: writes,
  request: { params: taskParams },
  responses: answers({ 200: { description: "The erased task.", json: taskSchema } }, [404, 409]),
});

const start = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.start",
  path: "/v1/tasks/{id}/start",
  summary: "Start a draft task (created with `hold`)",
  middleware: [...writes, refuseStopped],
  request: { params: taskParams, body: emptyBody },
  responses: answers({ 200: task }, [404, 409, 415, 422]),
});

const cancel = createRoute({
  ...shared,
  method: "post",
  operationId: "tasks.cancel",
  path: "/v1/tasks/{id}/cancel",
  summary: "Cancel a task and all its subtasks",
  middleware: writes,
  request: { params: taskParams, body: emptyBody },
  responses: answers({ 202: task }, [404, 409, 415, 422]),
});

export function taskRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { acts_for: actsFor, ...request } = c.req.valid("json");
    const { wait = 0 } = c.req.valid("query");
    const tenant = getTenant(c);
    const { agentsStamp } = await readTenantFacts(c);
    const asker = {
      tenant,
      key: getActorId(c),
      via: API_SOURCE,
      sources: await readSources(c),
      agentsStamp,
      bounds: getBounds(c),
      actsFor: await readActsFor(c, actsFor),
      ...(await getIdSource(c, "task")),
    };
    const made = unwrap(await openTask(c.env, request, asker, () => takePermit(c)));
    const open = () => tasksFromEnv(c.env)(tenant, made.id);
    const view = wait > 0 ? unwrap(await awaitTask(open, wait * 1000)) : made;
    return c.json(await toTaskView(c, view), 201, { location: `/v1/tasks/${made.id}` });
  });

  app.openapi(list, async (c) => {
    const query = c.req.valid("query");
    const request = readPageRequest(query);
    await flushIndex(c);
    const index = databaseFromEnv(c.env).tasks;
    const asked = [getTenant(c), { ...toFilter(query), ...getProjectsFilter(c) }, request] as const;
    const page: Page<TaskView> = unwrap(
      query.view === "short" ? await index.shortPage(...asked) : await index.page(...asked),
    );
    return c.json(
      {
        data: await Promise.all(page.items.map(async (view) => await toTaskView(c, view))),
        next_cursor: page.next === null ? null : writeCursor(page.next),
      },
      200,
    );
  });

  app.openapi(show, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(await toTaskView(c, await readTask(c, id, (stub) => stub.view())), 200);
  });

  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    const view = await findView(c, id);
    if (view !== null) {
      unwrap(await getTaskStub(c, id).erase());
      return c.json(await toTaskView(c, view), 200);
    }
    const lost = await findLostTask(c, id);
    if (lost === null) throw new OttoError(NO_SUCH_TASK);
    await eraseLostTask(c.env, getTenant(c), lost);
    return c.json(await toTaskView(c, lost), 200);
  });

  app.openapi(start, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(
      await toTaskView(c, unwrap(await getTaskStub(c, id).start(getRequestName(c), REQUEST_DEPTH, takePermit(c)))),
      200,
    );
  });

  app.openapi(cancel, async (c) => {
    const { id } = c.req.valid("param");
    return c.json(await toTaskView(c, unwrap(await getTaskStub(c, id).cancel(getActor(c)))), 202);
  });
}

interface ListQuery {
  readonly status?: readonly TaskStatus[] | undefined;
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly parent?: string | undefined;
  readonly query?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function toFilter({ status, project, agent, parent, query, from, to }: ListQuery): TaskFilter {
  if (parent !== undefined && parent !== "none" && !isId("task", parent))
    raise("invalid_input", "parent: must be `none` or the id of a task", { field: "parent" });
  return {
    status: status ?? null,
    project: project ?? null,
    ...(agent === undefined ? {} : { agent }),
    ...(parent === undefined ? {} : { parent: { id: parent === "none" ? null : parent } }),
    ...(query === undefined ? {} : { text: query }),
    ...readBetween({ from, to }),
  };
}
