/** The live feed: server-sent events of all the tasks of a tenant, so that what shows them follows by itself. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { raise } from "../../core/base/errors.ts";
import { isInBounds, type KeyBounds } from "../../core/tenant/key-bounds.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { logFailure } from "../http/log.ts";
import { boundsOf } from "../http/middleware/key-bounds.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { EVENT_STREAM_HEADERS, type Piece, streamEvents, writtenEvent } from "../http/stream-events.ts";
import { type FeedItem, openTenantFeed } from "./watch.ts";

const feed = createRoute({
  tags: ["Tasks"],
  ...withKey,
  method: "get",
  operationId: "events.stream",
  path: "/v1/events",
  summary: "Follow the tasks of the tenant",
  description:
    "Server-sent events, for lists that update by themselves. `feed.open` (`{at}`) comes first: from then on changes are told. Nothing is kept, so after each `feed.open` read again what you show. `task.changed` tells how a task stands when it is made, begins, waits, asks, ends, uses more, or is erased: its data is a `TaskChange`, whose `task` is what `GET /v1/tasks/{id}/tree` shows of it. A task is told of four times a second at most, always with its last state. `feed.skipped` (`{at}`) says that more changed than could be told, or than you took: read again what you show. A comment every 15 seconds keeps the stream open. It ends with the key or the session, when a part of Otto restarts, and for a reader that is too slow: reconnect. At most 200 follow a tenant at once: 429.",
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
      watch: (signal) => within(boundsOf(c), connection.items(signal)),
      write: written,
      // Whatever else ends the reader's right, the object itself ends the connection for.
      mayRead: async () => Date.now() < endsAt,
      report: (thrown) => logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown),
    });
    return c.body(stream, 200, EVENT_STREAM_HEADERS);
  });
}

/**
 * Filters the feed by a key's bounds. An erased task has no project any more, so a key with projects gets no event of
 * it.
 */
async function* within(bounds: KeyBounds | null, items: AsyncGenerator<FeedItem>): AsyncGenerator<FeedItem> {
  for await (const item of items)
    if (item.kind !== "change" || isInBounds(bounds, item.change.task?.project ?? null)) yield item;
}

function written(item: FeedItem): Piece {
  const text =
    item.kind === "change"
      ? writtenEvent("task.changed", item.change)
      : writtenEvent(`feed.${item.kind}`, { at: new Date().toISOString() });
  return { text, isLast: false };
}
