/** Due times of schedules, the ledger of their occurrences, and runs on request. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";
import { DEFAULT_PAGE_LIMIT } from "../../core/base/page-cursor.ts";
import { openDueClock } from "../../core/schedules/due.ts";
import { toDueRule, timingSchema } from "../../core/schedules/schedule.ts";
import { answers, withKey, emptyBody } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App } from "../http/context.ts";
import { refuseStopped } from "../http/middleware/refuse-stopped.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getIdSource } from "../http/new-ids.ts";
import { scheduleParams, scheduleStub } from "./access.ts";
import {
  DEFAULT_DUE_TIMES,
  dueTimeSchema,
  MAX_DUE_TIMES,
  occurrenceSchema,
  toDueTimes,
  toOccurrenceView,
} from "./view.ts";
import { optionalQuery, pageQuery } from "../http/list-query.ts";
import { unwrap } from "../http/unwrap.ts";
import { toHex } from "../../core/base/hex.ts";

const reads = [requireScope("tasks:read")];
const shared = { tags: ["Schedules"], ...withKey };
const count = z.int().min(1).max(MAX_DUE_TIMES);
const dueTimes = {
  description: "Due times in order, before any jitter; fewer if the schedule ends.",
  json: dueTimeSchema,
};

const next = createRoute({
  ...shared,
  method: "get",
  operationId: "schedules.listNext",
  path: "/v1/schedules/{id}/next",
  summary: "Show the next due times of a schedule",
  description: "Ignores a pause.",
  middleware: reads,
  request: {
    params: scheduleParams,
    query: z.strictObject({ count: optionalQuery(z.coerce.number().int().min(1).max(MAX_DUE_TIMES)) }),
  },
  responses: answers({ 200: dueTimes }, [404, 422]),
});

const preview = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.preview",
  path: "/v1/schedules/preview",
  summary: "Preview the due times of a schedule without creating it",
  middleware: reads,
  request: {
    body: {
      required: true,
      content: {
        "application/json": {
          schema: timingSchema.extend({ count: count.optional() }).meta({ id: "SchedulePreviewInput" }),
        },
      },
    },
  },
  responses: answers({ 200: dueTimes }, [413, 415, 422]),
});

const run = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.run",
  path: "/v1/schedules/{id}/run",
  summary: "Run a schedule now, in addition to its due times",
  description:
    "Works while it is paused, too. `overlap` applies to this run. Send an `Idempotency-Key` to repeat the request safely.",
  middleware: [requireScope("tasks:write"), refuseStopped],
  request: {
    params: scheduleParams,
    body: emptyBody,
  },
  responses: answers({ 202: { description: "The occurrence.", json: occurrenceSchema } }, [404, 409, 415, 422]),
});

const occurrences = createRoute({
  ...shared,
  method: "get",
  operationId: "schedules.listOccurrences",
  path: "/v1/schedules/{id}/occurrences",
  summary: "List the occurrences of a schedule, newest first",
  description: "The outcome of each due time with its reason: the last thousand ended ones, for 90 days.",
  middleware: reads,
  request: { params: scheduleParams, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of occurrences.", json: pageOf(occurrenceSchema) } }, [404, 422]),
});

export function scheduleRunRoutes(app: App): void {
  app.openapi(preview, async (c) => {
    const { count: wanted = DEFAULT_DUE_TIMES, ...timing } = c.req.valid("json");
    const now = Date.now();
    return c.json(toDueTimes(unwrap(openDueClock(toDueRule(timing, now))), now, wanted), 200);
  });

  app.openapi(next, async (c) => {
    const { config, createdAt } = unwrap(await scheduleStub(c, c.req.valid("param").id).view());
    const clock = unwrap(openDueClock(toDueRule(config, createdAt)));
    return c.json(toDueTimes(clock, Date.now(), c.req.valid("query").count ?? DEFAULT_DUE_TIMES), 200);
  });

  app.openapi(run, async (c) => {
    const { id } = c.req.valid("param");
    const { random } = await getIdSource(c, "run");
    const act = await createAuditEntry(c, "schedule.run", id);
    const made = unwrap(await scheduleStub(c, id).run(toHex(random.slice(0, 16)), act));
    return c.json(toOccurrenceView(made), 202);
  });

  app.openapi(occurrences, async (c) => {
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = c.req.valid("query");
    const page = unwrap(await scheduleStub(c, c.req.valid("param").id).occurrences(readPosition(cursor), limit));
    const { next: after } = page;
    return c.json(
      {
        data: page.occurrences.map(toOccurrenceView),
        next_cursor: after === null ? null : `${after.due}_${after.key}`,
      },
      200,
    );
  });
}

/** Reads a cursor of this list: the due time and the key of the last occurrence of a page. */
function readPosition(cursor: string | undefined): { due: number; key: string } | null {
  if (cursor === undefined) return null;
  const [, due, key] = /^(\d{1,16})_([0-9A-Za-z:./-]{1,100})$/.exec(cursor) ?? [];
  if (due === undefined || key === undefined)
    return raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
  return { due: Number(due), key };
}
