/** Schedules: create, list, change, pause and delete. Their runs are in `run-routes.ts`. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isId, makeId } from "../../core/base/ids.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { MAX_SCHEDULES, scheduleConfigSchema, type SchedulePerson } from "../../core/schedules/schedule.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import { answers, withKey, emptyBody } from "../http/answers.ts";
import { pageOf } from "../http/schemas.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppEnv } from "../http/context.ts";
import { formatEtag, ifMatchHeader, readIfVersion } from "../http/if-match.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { checkConfig, registerSchedule } from "./create.ts";
import { getIdSource } from "../http/new-ids.ts";
import { scheduleParams, scheduleStub } from "./access.ts";
import { nameScheduleCaller, readAppStates } from "./apps.ts";
import { scheduleDetailsSchema, scheduleSchema, toScheduleDetails, toScheduleView } from "./view.ts";
import { pageQuery, readPageRequest } from "../http/list-query.ts";
import { getAuthor, getPerson, getTenant, hasScope } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { readTenantFacts } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";

const admin = [requireScope("admin")];
const shared = { tags: ["Schedules"], ...withKey };
const body = {
  required: true,
  content: { "application/json": { schema: scheduleConfigSchema.meta({ id: "ScheduleInput" }) } },
};
const schedule = { description: "The schedule, whose version `ETag` names.", json: scheduleSchema };

/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireSchedule: MiddlewareHandler<AppEnv> = async function requireSchedule(c, next) {
  unwrap(await scheduleStub(c, c.req.param("id") ?? "").view());
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.create",
  path: "/v1/schedules",
  summary: "Make a schedule",
  description: `Creates a \`task\`, or sends a \`reminder\`, whenever it is due. \`when\` is a \`cron\` expression of five fields (lists, ranges, steps, names, \`L\`, \`W\`, \`#\`; a day matches if either of its two fields does, unless one is \`*\`), an \`interval\`, or \`once\` (one time). \`time_zone\` is an IANA name. When clocks change, an expression that matches every hour is due at each matching clock time. For any other, a repeated wall time runs once, at the first, and a skipped one runs after the gap. \`jitter_seconds\` adds a random delay, the same for the same due time. A run that is more than a minute late is missed: \`skip\` runs none of them, \`once\` the latest within the window, \`all\` each one within it. \`overlap\` decides what happens while an earlier run has not ended. \`alert\` notifies somebody of a run that failed or did not end in time. A tenant has at most ${MAX_SCHEDULES} active schedules; an ended one is deleted after 30 days.`,
  middleware: admin,
  request: { body },
  responses: answers({ 201: schedule }, [404, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "schedules.list",
  path: "/v1/schedules",
  summary: "List schedules, newest first",
  description: "Reads an index that is updated within moments; reading one schedule by id is always current.",
  middleware: [requireScope("tasks:read")],
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of schedules.", json: pageOf(scheduleSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "schedules.get",
  path: "/v1/schedules/{id}",
  summary: "Show a schedule",
  description: "With the apps that its agent may use, in the state in which a run would find them.",
  middleware: [requireScope("tasks:read")],
  request: { params: scheduleParams },
  responses: answers({ 200: { ...schedule, json: scheduleDetailsSchema } }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "schedules.update",
  path: "/v1/schedules/{id}",
  summary: "Change a schedule",
  description:
    "Omitted fields get their defaults. Started runs continue. With `If-Match`, 409 if the latest version differs. An ended schedule becomes active again, or 403 if the tenant has too many. A change of `task` by anyone but the person of `acts_for` clears that (`acts_for_cleared`), and the person is notified.",
  middleware: [...admin, requireSchedule],
  request: {
    params: scheduleParams,
    body,
    headers: ifMatchHeader,
  },
  responses: answers({ 200: schedule }, [404, 409, 413, 415, 422]),
});

const erase = createRoute({
  ...shared,
  method: "delete",
  operationId: "schedules.delete",
  path: "/v1/schedules/{id}",
  summary: "Delete a schedule, with its ledger",
  description: "Its tasks continue. 503 until the audit log contains its earlier changes.",
  middleware: admin,
  request: { params: scheduleParams },
  responses: answers({ 200: { description: "The deleted schedule.", json: scheduleSchema } }, [404]),
});

const pause = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.pause",
  path: "/v1/schedules/{id}/pause",
  summary: "Pause a schedule",
  description:
    "It is not due until it is resumed. Started runs continue. An ended schedule becomes active again, or 403 if the tenant has too many.",
  middleware: admin,
  request: { params: scheduleParams, body: emptyBody },
  responses: answers({ 200: schedule }, [404, 415, 422]),
});

const resume = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.resume",
  path: "/v1/schedules/{id}/resume",
  summary: "Resume a schedule",
  description: "Due times during the pause do not count as missed. 409 if it has no due time left.",
  middleware: admin,
  request: { params: scheduleParams, body: emptyBody },
  responses: answers({ 200: schedule }, [404, 409, 415, 422]),
});

const confirm = createRoute({
  ...shared,
  method: "post",
  operationId: "schedules.confirm",
  path: "/v1/schedules/{id}/confirm",
  summary: "Confirm a schedule, so that its tasks act for you",
  description:
    "Sets `acts_for` to the person of the key. Needs the scope `admin`, except for the person for whom its tasks acted until somebody else changed them. Send `If-Match` to confirm only what you read: 409 if the latest version differs. 422 for a key without a person.",
  middleware: [requireScope("tasks:write"), requireSchedule],
  request: { params: scheduleParams, body: emptyBody, headers: ifMatchHeader },
  responses: answers({ 200: schedule }, [404, 409, 415, 422]),
});

export function scheduleRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const tenant = getTenant(c);
    const asker = { tenant, agentsStamp: (await readTenantFacts(c)).agentsStamp };
    const config = unwrap(await checkConfig(c.env, c.req.valid("json"), asker));
    const { createdAt, random } = await getIdSource(c, "schedule");
    const id = makeId("schedule", createdAt, random);
    const act = await createAuditEntry(c, "schedule.create", id);
    const actsFor = toSchedulePerson(getPerson(c));
    const made = unwrap(await registerSchedule(c.env, { tenant, id, config, actsFor }, act, createdAt));
    return c.json(toScheduleView(made), 201, { location: `/v1/schedules/${id}`, etag: formatEtag(made) });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).schedules.page(getTenant(c), request));
    return c.json({ data: items.map(toScheduleView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => {
    const stored = unwrap(await scheduleStub(c, c.req.valid("param").id).view());
    const found = await nameScheduleCaller(c, stored);
    return c.json(toScheduleDetails(found, await readAppStates(c, found)), 200, { etag: formatEtag(found) });
  });

  app.openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const asker = { tenant: getTenant(c), agentsStamp: (await readTenantFacts(c)).agentsStamp };
    const config = unwrap(await checkConfig(c.env, c.req.valid("json"), asker));
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    const act = await createAuditEntry(c, "schedule.update", id);
    const changed = unwrap(await scheduleStub(c, id).change(config, ifVersion, act, getAuthor(c)));
    return c.json(toScheduleView(changed), 200, { etag: formatEtag(changed) });
  });

  // The row is deleted with the audit entry once nothing can be due. A repeat or the object deletes one that is left.
  app.openapi(erase, async (c) => {
    const { id } = c.req.valid("param");
    if (!isId("schedule", id)) raise("not_found", "There is no such schedule.");
    const act = await createAuditEntry(c, "schedule.delete", id);
    const found = await scheduleStub(c, id).view();
    if (found.ok) {
      const removed = await scheduleStub(c, id).remove(act);
      // A schedule that was deleted meanwhile counts as removed.
      if (!removed.ok && removed.error.code !== "not_found") unwrap(removed);
    }
    const row = await databaseFromEnv(c.env).schedules.remove(getTenant(c), id, act);
    const isGone = row.ok || row.error.code === "not_found";
    return c.json(toScheduleView(found.ok && isGone ? found.value : unwrap(row)), 200);
  });

  app.openapi(pause, async (c) => {
    const { id } = c.req.valid("param");
    const paused = unwrap(await scheduleStub(c, id).pause(await createAuditEntry(c, "schedule.pause", id)));
    return c.json(toScheduleView(paused), 200, { etag: formatEtag(paused) });
  });

  app.openapi(resume, async (c) => {
    const { id } = c.req.valid("param");
    const resumed = unwrap(await scheduleStub(c, id).resume(await createAuditEntry(c, "schedule.resume", id)));
    return c.json(toScheduleView(resumed), 200, { etag: formatEtag(resumed) });
  });

  app.openapi(confirm, async (c) => {
    const { id } = c.req.valid("param");
    const { id: person, name } = requirePerson(c);
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    const confirmation = { person, name, mayManage: hasScope(c, "admin"), ifVersion };
    const act = await createAuditEntry(c, "schedule.confirm", id);
    const confirmed = unwrap(await scheduleStub(c, id).confirm(confirmation, act));
    return c.json(toScheduleView(confirmed), 200, { etag: formatEtag(confirmed) });
  });
}

function toSchedulePerson(person: KeyPerson | null): SchedulePerson | null {
  return person === null ? null : { person: person.id, name: person.name };
}
