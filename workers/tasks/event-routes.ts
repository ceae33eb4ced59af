/** A task's log: as a resumable stream of server-sent events, and as pages of JSON. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";
import { answers, withKey } from "../http/answers.ts";
import { eventPageSchema } from "../http/event-schemas.ts";
import type { App, AppContext } from "../http/context.ts";
import { logFailure } from "../http/log.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { recheckAccess } from "../http/recheck-access.ts";
import { EVENT_STREAM_HEADERS, streamEvents } from "../http/stream-events.ts";
import { optionalQuery } from "../http/list-query.ts";
import { readTask, taskParams, getTaskStub } from "./access.ts";
import { toEventView } from "./view.ts";
import { formatWatched } from "./format-event.ts";
import { watchTask } from "./watch.ts";

const MAX_EVENTS = 500;
const DEFAULT_EVENTS = 100;

const logQuery = z.strictObject({
  after: optionalQuery(z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)),
  limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_EVENTS)),
});

const events = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  operationId: "tasks.streamEvents",
  path: "/v1/tasks/{id}/events",
  summary: "Follow a task's events",
  description:
    "Server-sent events: `id:` is the sequence number, `event:` the type, `data:` one JSON object, which is `data` of that type in the schema `TaskEvent`. Resume with `Last-Event-ID` or `after` (the header wins). `message.delta` has no id and is not stored. In `task.waiting`, `pending` lists what the task itself asks people; with a `subtask_id`, it lists everything that this subtask or those below it ask. The stream ends after the terminal event; a request that resumes at or past it gets 204, so that an `EventSource` stops. A comment every 15 seconds keeps the stream open. The stream ends when the key is revoked or expires. With `Accept: application/json`, the reply is that of `GET /v1/tasks/{id}/log`, as in earlier releases; `limit` applies only to that form.",
  middleware: [requireScope("tasks:read")],
  request: {
    params: taskParams,
    query: logQuery,
    headers: z.object({ "last-event-id": z.string().optional() }),
  },
  responses: answers(
    {
      200: { description: "The events that follow.", json: eventPageSchema, other: ["text/event-stream"] },
      204: { description: "The log has ended, and nothing follows." },
    },
    [404, 422],
  ),
});

const log = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  operationId: "tasks.listEvents",
  path: "/v1/tasks/{id}/log",
  summary: "List a task's events",
  description: "A page of the log, in order. `after` is a sequence number: the page starts with the next event.",
  middleware: [requireScope("tasks:read")],
  request: { params: taskParams, query: logQuery },
  responses: answers({ 200: { description: "A page of the log.", json: eventPageSchema } }, [404, 422]),
});

export function taskEventRoutes(app: App): void {
  app.openapi(events, async (c) => {
    const { id } = c.req.valid("param");
    const query = c.req.valid("query");
    const after = readLastEventId(c) ?? query.after ?? 0;
    if (wantsPage(c)) return c.json(await readLog(c, id, after, query.limit), 200);
    if (query.limit !== undefined)
      raise("invalid_input", "limit: a stream has no limit; ask for application/json", { field: "limit" });
    const { events: next, done } = await readTask(c, id, (stub) => stub.events(after, 1));
    if (done && next.length === 0) return c.body(null, 204);
    if (c.req.method === "HEAD") return c.body(null, 200, EVENT_STREAM_HEADERS);
    const stream = streamEvents({
      watch: (signal) => watchTask(() => getTaskStub(c, id), after, signal),
      write: (watched) => formatWatched(id, watched, (event) => toEventView(c, event)),
      mayRead: async () => await recheckAccess(c),
      validUntil: c.get("validUntil"),
      report: (thrown) => logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown),
    });
    return c.body(stream, 200, EVENT_STREAM_HEADERS);
  });

  app.openapi(log, async (c) => {
    const { after = 0, limit } = c.req.valid("query");
    return c.json(await readLog(c, c.req.valid("param").id, after, limit), 200);
  });
}

/** Reads a page of the log. */
async function readLog(c: AppContext, id: string, after: number, limit = DEFAULT_EVENTS) {
  const { events: found, last, done } = await readTask(c, id, (stub) => stub.events(after, limit));
  // A page can end early because its events are large, so only reading past it tells whether it is the last.
  const isLast = done || found.length === 0 || (await readTask(c, id, (stub) => stub.events(last, 1))).last === last;
  return { data: found.map((event) => toEventView(c, event)), next_cursor: isLast ? null : String(last), last, done };
}

/** Returns the position that a reconnecting client sends; null if it sends none. */
function readLastEventId(c: AppContext): number | null {
  const text = c.req.header("last-event-id")?.trim() ?? "";
  if (text === "") return null;
  if (!/^\d{1,15}$/.test(text))
    raise("invalid_input", "Last-Event-ID: must be a sequence number", { field: "Last-Event-ID" });
  return Number(text);
}

function wantsPage(c: AppContext): boolean {
  const accept = c.req.header("accept") ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}
