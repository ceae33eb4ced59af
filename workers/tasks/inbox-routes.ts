/** Everything of a tenant that waits for a person. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { INBOX_ORDERS, type InboxPage } from "../../core/ports/task-index.ts";
import { OPEN_WAIT_KINDS } from "../../core/task/open-waits.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { toTaskLine } from "../../core/task/line.ts";
import type { PendingView, TaskView } from "../../core/task/view.ts";
import { answers, withKey } from "../http/answers.ts";
import { pendingSchema } from "../http/pending-schemas.ts";
import { taskLine } from "../http/schemas.ts";
import { addConnectUrl } from "../connections/wait-links.ts";
import type { App, AppContext } from "../http/context.ts";
import { getProjectsFilter } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { viewQuery } from "../http/short-view.ts";
import { flushIndex } from "../http/fresh-index.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { readViews } from "./views.ts";

const MAX_PERSON_CHARACTERS = 200;

const entrySchema = z
  .strictObject({
    task: z.strictObject(taskLine).describe("The task that asks: the subtask itself rather than its parent."),
    pending: pendingSchema,
    since: z.iso.datetime().describe("When it was requested."),
  })
  .meta({ id: "InboxEntry" });

const shortEntrySchema = z
  .strictObject({
    task: entrySchema.shape.task,
    pending: z.strictObject({
      kind: z.enum(OPEN_WAIT_KINDS),
      id: z.string().describe("The id of the question, the approval, the wait for an account, or the call."),
      person: z.string().nullable(),
      person_id: z.string().nullable(),
      app: z.string().optional().describe("The app whose account has to be connected; absent for other kinds."),
    }),
    since: entrySchema.shape.since,
  })
  .meta({ id: "ShortInboxEntry" });

const page = { next_cursor: z.string().nullable(), total: z.int().describe("The total of all pages.") };
const inboxSchema = z.union([
  z.strictObject({ data: z.array(entrySchema), ...page }).meta({ id: "Inbox" }),
  z.strictObject({ data: z.array(shortEntrySchema), ...page }).meta({ id: "ShortInbox" }),
]);

const list = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  operationId: "inbox.list",
  path: "/v1/inbox",
  summary: "List everything that waits for a person",
  description:
    "Lists questions, approvals, waits for an account and calls of unknown outcome of every task of the tenant, including subtasks and calls over the API. Decide each at its task. The list and `total` come from an index that is updated within moments. Each entry is read from its task, so one that was decided meanwhile is left out. `person` is the id of a person, or a name as the task used it: of a question, or of who has to connect an account. `order` is `oldest` or `newest`; a cursor keeps its order. With `view=short`, entries come from the index (`ShortInbox`): the kind, the task and the time, without the text.",
  middleware: [requireScope("tasks:read")],
  request: {
    query: z.strictObject({
      kind: optionalQuery(z.enum(OPEN_WAIT_KINDS)),
      person: optionalQuery(z.string().max(MAX_PERSON_CHARACTERS)),
      order: optionalQuery(z.enum(INBOX_ORDERS)),
      ...viewQuery,
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of waiting entries.", json: inboxSchema } }, [422]),
});

export function inboxRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const query = c.req.valid("query");
    const request = readPageRequest(query);
    const { kind = null, person = null, order = "oldest" } = query;
    const filter = { kind, person, order, ...getProjectsFilter(c) };
    await flushIndex(c);
    const page = unwrap(await databaseFromEnv(c.env).tasks.inbox(getTenant(c), filter, request));
    const rest = { next_cursor: page.next === null ? null : writeCursor(page.next), total: page.total };
    if (query.view === "short") return c.json({ data: page.items.map(toShortEntry), ...rest }, 200);
    return c.json({ data: await toEntries(c, page), ...rest }, 200);
  });
}

async function toEntries(c: AppContext, { items }: InboxPage) {
  const views = await readViews(c, [...new Set(items.map(({ task }) => task.id))]);
  const byId = new Map(views.map((view) => [view.id, view]));
  const entries = items.map(async ({ task, id, since }) => {
    const view = byId.get(task.id);
    const found = view === undefined ? undefined : listOwnPending(view, id);
    if (view === undefined || found === undefined) return [];
    const pending = await addConnectUrl(c, view.id, found);
    return [{ task: toTaskLine(view), pending, since: new Date(since).toISOString() }];
  });
  return (await Promise.all(entries)).flat();
}

function toShortEntry({ task, since, ...pending }: InboxPage["items"][number]) {
  return { task, pending, since: new Date(since).toISOString() };
}

function listOwnPending({ pending }: TaskView, id: string): PendingView | undefined {
  return pending.find((entry) => entry.task_id === undefined && id === ("id" in entry ? entry.id : entry.call_id));
}
