/** A task's log: as a stream of server-sent events that can be resumed, or a page of it as JSON. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/errors.ts";
import { answers, withKey } from "../answers.ts";
import { eventPageSchema } from "../api-schemas.ts";
import type { App, AppContext } from "../context.ts";
import { requireScope } from "../middleware/require-scope.ts";
import { streamEvents } from "../stream-events.ts";
import { optionalQuery, readTask, taskParams, taskStub } from "../task-access.ts";

const MAX_EVENTS = 500;
const DEFAULT_EVENTS = 100;

const events = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  path: "/v1/tasks/{id}/events",
  summary: "Follow a task's events",
  description:
    "Server-sent events: `id:` is the sequence number, `event:` the type, `data:` one JSON object. Resume with `Last-Event-ID` or `after` (the header wins). `message.delta` has no id and is not kept. The stream ends after the terminal event; a comment every 15 seconds keeps it open. With `Accept: application/json` the answer is a page of the log; `limit` is for that form only.",
  middleware: [requireScope("tasks:read")],
  request: {
    params: taskParams,
    query: z.strictObject({
      after: optionalQuery(z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)),
      limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_EVENTS)),
    }),
    headers: z.object({ "last-event-id": z.string().optional() }),
  },
  responses: answers(
    { 200: { description: "The events that follow.", json: eventPageSchema, other: ["text/event-stream"] } },
    [404, 422],
  ),
});

export function taskEventRoutes(app: App): void {
  app.openapi(events, async (c) => {
    const { id } = c.req.valid("param");
    const query = c.req.valid("query");
    const after = lastEventId(c) ?? query.after ?? 0;
    if (wantsPage(c)) {
      const limit = query.limit ?? DEFAULT_EVENTS;
      const page = await readTask(c, id, (stub) => stub.events(after, limit));
      const more = !page.done && page.events.length === limit;
      return c.json({
        data: page.events,
        next_cursor: more ? String(page.last) : null,
        last: page.last,
        done: page.done,
      });
    }
    if (query.limit !== undefined)
      raise("invalid_input", "limit: a stream has no limit; ask for application/json", { field: "limit" });
    await readTask(c, id, (stub) => stub.facts());
    const headers = {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    };
    if (c.req.method === "HEAD") return c.body(null, 200, headers);
    return c.body(
      streamEvents(id, () => taskStub(c, id), after),
      200,
      headers,
    );
  });
}

/** The place that a reconnecting client names; null when it names none. */
function lastEventId(c: AppContext): number | null {
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
