/** The live feed: server-sent events of all tasks of a tenant, for views that update themselves. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import { formatEvent } from "../../core/lib/event-stream.ts";
import { isInBounds, type KeyBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { logFailure } from "../http/log.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { EVENT_STREAM_HEADERS, type Piece, streamEvents } from "../http/stream-events.ts";
import { type FeedItem, openTenantFeed } from "./watch.ts";

const feed = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  operationId: "events.stream",
  path: "/v1/events",
  summary: "Follow the tasks of the tenant",
  description:
    "Server-sent events, for lists that update themselves. `feed.open` (`{at}`) comes first: later changes are sent. Earlier ones are not stored, so reload your lists after each `feed.open`. `task.changed` has the state of a task when it is created, starts, waits, asks, ends, uses more, or is erased: its data is a `TaskChange`, whose `task` is that of `GET /v1/tasks/{id}/tree`. A task is sent at most four times a second, always with its last state. `feed.skipped` (`{at}`) means that some changes were not sent, because there were too many or you read too slowly: reload your lists. A comment every 15 seconds keeps the stream open. It ends with the key or the session, when a part of Otto restarts, and for a slow reader: then reconnect. At most 200 streams per tenant: 429.",
  middleware: [requireScope("tasks:read")],
  request: { query: z.strictObject({}) },
  responses: answers({ 200: { description: "The events that follow.", other: ["text/event-stream"] } }, [422]),
});

export function eventRoutes(app: App): void {
  app.openapi(feed, async (c) => {
    const principal = c.get("principal");
    if (principal.kind === "operator") raise("forbidden", "The operator has no tasks. Use a key of the tenant.");
    const { tenant, key } = principal;
    if (c.req.method === "HEAD") return c.body(null, 200, EVENT_STREAM_HEADERS);
    const session = c.get("session");
    const by = { key: key.id, session: session?.hash ?? null };
    const connection = await openTenantFeed(tenantsFromEnv(c.env)(tenant), by);
    const endsAt = Math.min(key.expiresAt ?? Infinity, session?.expiresAt ?? Infinity);
    const stream = streamEvents({
      watch: (signal) => filterByBounds(getBounds(c), connection.items(signal)),
      write: formatItem,
      // The object itself ends the connection when the reader loses its right for another reason.
      mayRead: async () => (Date.now() < endsAt ? endsAt : null),
      report: (thrown) => logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown),
    });
    return c.body(stream, 200, EVENT_STREAM_HEADERS);
  });
}

/** Filters the feed by a key's bounds. An erased task has no project, so a key with projects gets no event of it. */
async function* filterByBounds(bounds: KeyBounds | null, items: AsyncGenerator<FeedItem>): AsyncGenerator<FeedItem> {
  for await (const item of items)
    if (item.kind !== "change" || isInBounds(bounds, item.change.task?.project ?? null)) yield item;
}

function formatItem(item: FeedItem): Piece {
  const text =
    item.kind === "change"
      ? formatEvent("task.changed", item.change)
      : formatEvent(`feed.${item.kind}`, { at: new Date().toISOString() });
  return { text, isLast: false };
}
