/** Triggers: events of connected apps that begin tasks. Their events arrive in `events.ts`. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { iso } from "../../core/base/iso.ts";
import { writeCursor } from "../../core/base/page-cursor.ts";
import { getHookInboxName } from "../../core/channels/webhooks/hook.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import { MAX_TRIGGERS, triggerRequestSchema } from "../../core/triggers/trigger.ts";
import { closeHook } from "../channels/webhooks/hook-settings.ts";
import { listReceived, receivedItemSchema, replayedSchema, replayReceived } from "../channels/inbox/view.ts";
import { answers, emptyBody, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppEnv } from "../http/context.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../http/list-query.ts";
import { requireOperator } from "../http/middleware/authenticate.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { pageOf } from "../http/schemas.ts";
import { unwrap } from "../http/unwrap.ts";
import { findTrigger, getReader, requireAdminOfShared } from "./access.ts";
import { createTrigger, endSoon, pauseTrigger, resumeTrigger } from "./change-trigger.ts";
import { rotateSubscription } from "./subscription.ts";
import { rotatedSchema, toTriggerView, triggerSchema } from "./view.ts";

const shared = { tags: ["Triggers"], ...withKey };
const read = [requireScope("tasks:read")];
const write = [requireScope("tasks:write")];
const params = z.object({ id: z.string().describe("The trigger's id, `trg_…`") });
const trigger = { description: "The trigger.", json: triggerSchema };

/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireTrigger: MiddlewareHandler<AppEnv> = async function requireTrigger(c, next) {
  await findTrigger(c, c.req.param("id") ?? "");
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "triggers.create",
  path: "/v1/triggers",
  summary: "Create a trigger",
  description: `Each event of the account becomes a task, as a call of a hook does. \`prompt\` is a template: \`{{data.subject}}\` is a field of the event, \`{{payload}}\` all of it; inserted values are marked as data from outside. The account is one of the key's person, or a shared one, which needs the scope \`admin\`. A trigger that the provider does not confirm at once is \`pending\`, and Otto creates it later. At most ${MAX_TRIGGERS} per tenant.`,
  middleware: write,
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: triggerRequestSchema.meta({ id: "TriggerInput" }) } },
    },
  },
  responses: answers({ 201: trigger }, [404, 409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "triggers.list",
  path: "/v1/triggers",
  summary: "List triggers, newest first",
  description: "Those of shared accounts and of the key's person; with the scope `admin`, those of everyone.",
  middleware: read,
  request: {
    query: z.strictObject({ ...pageQuery, app: optionalQuery(z.string().max(100)).describe("Of this app.") }),
  },
  responses: answers({ 200: { description: "A page of triggers.", json: pageOf(triggerSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "triggers.get",
  path: "/v1/triggers/{id}",
  summary: "Show a trigger",
  middleware: read,
  request: { params },
  responses: answers({ 200: trigger }, [404]),
});

const pause = createRoute({
  ...shared,
  method: "post",
  operationId: "triggers.pause",
  path: "/v1/triggers/{id}/pause",
  summary: "Pause a trigger",
  description:
    "Its events create no tasks until it is resumed; those that wait create none either. Started tasks continue.",
  middleware: [...write, requireTrigger],
  request: { params, body: emptyBody },
  responses: answers({ 200: trigger }, [404, 409, 415, 422]),
});

const resume = createRoute({
  ...shared,
  method: "post",
  operationId: "triggers.resume",
  path: "/v1/triggers/{id}/resume",
  summary: "Resume a trigger",
  description:
    "Also one that was stopped, with the account that its connection has now. Only the owner of the account can do this. 409 while the account is not connected.",
  middleware: [...write, requireTrigger],
  request: { params, body: emptyBody },
  responses: answers({ 200: trigger }, [404, 409, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "triggers.delete",
  path: "/v1/triggers/{id}",
  summary: "Delete a trigger",
  description: "Waiting events create no tasks, and received events are deleted. Tasks continue.",
  middleware: write,
  request: { params },
  responses: answers({ 200: { description: "The deleted trigger.", json: triggerSchema } }, [404]),
});

const received = createRoute({
  ...shared,
  method: "get",
  operationId: "triggers.listReceived",
  path: "/v1/triggers/{id}/received",
  summary: "List the events of a trigger with their outcomes, newest first",
  middleware: read,
  request: { params, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of events.", json: pageOf(receivedItemSchema) } }, [404, 422]),
});

const replay = createRoute({
  ...shared,
  method: "post",
  operationId: "triggers.replayReceived",
  path: "/v1/triggers/{id}/received/{message}/replay",
  summary: "Retry a dead event of a trigger",
  description: "409 if the event is not dead.",
  middleware: write,
  request: { params: params.extend({ message: z.string().describe("The event's id, `msg_…`") }) },
  responses: answers({ 202: { description: "It is waiting to be processed.", json: replayedSchema } }, [404, 409]),
});

const rotate = createRoute({
  ...shared,
  method: "post",
  operationId: "integrations.rotateSecret",
  path: "/v1/integrations/composio/rotate",
  summary: "Replace the secret that signs events of triggers (operator key)",
  description:
    "The provider makes a new secret, which only Otto knows. Events with the replaced one are accepted for 24 hours. After a 503 Otto repeats the replacement. 409 before the first trigger.",
  middleware: [requireOperator],
  request: { body: emptyBody },
  responses: answers({ 200: { description: "It is replaced.", json: rotatedSchema } }, [409, 415, 422]),
});

export function triggerRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const made = await createTrigger(c, c.req.valid("json"));
    return c.json(toTriggerView(made), 201, { location: `/v1/triggers/${made.id}` });
  });

  app.openapi(list, async (c) => {
    const { app: name, ...page } = c.req.valid("query");
    const reader = { ...getReader(c), ...(name === undefined ? {} : { app: name.toLowerCase() }) };
    const { triggers } = databaseFromEnv(c.env);
    const { items, next } = unwrap(await triggers.page(getTenant(c), reader, readPageRequest(page)));
    return c.json({ data: items.map(toTriggerView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => c.json(toTriggerView(await findTrigger(c, c.req.valid("param").id)), 200));

  app.openapi(pause, async (c) => {
    const found = await findTrigger(c, c.req.valid("param").id);
    requireAdminOfShared(c, found);
    return c.json(toTriggerView(await pauseTrigger(c, found)), 200);
  });

  app.openapi(resume, async (c) => {
    const found = await findTrigger(c, c.req.valid("param").id);
    return c.json(toTriggerView(await resumeTrigger(c, found)), 200);
  });

  app.openapi(remove, async (c) => {
    const found = await findTrigger(c, c.req.valid("param").id);
    requireAdminOfShared(c, found);
    const act = await createAuditEntry(c, "trigger.delete", found.id);
    const gone = unwrap(await databaseFromEnv(c.env).triggers.remove(getTenant(c), found.id, act));
    await closeHook(c.env, getTenant(c), found.id);
    endSoon(c);
    return c.json(toTriggerView(gone), 200);
  });

  app.openapi(received, async (c) => {
    const { id } = await findTrigger(c, c.req.valid("param").id);
    return c.json(await listReceived(c, { name: getHookInboxName(id), since: 0 }, c.req.valid("query")), 200);
  });

  app.openapi(replay, async (c) => {
    const { id, message } = c.req.valid("param");
    requireAdminOfShared(c, await findTrigger(c, id));
    const act = await createAuditEntry(c, "trigger.replay", id);
    return c.json(await replayReceived(c, { name: getHookInboxName(id), since: 0 }, message, act), 202);
  });

  app.openapi(rotate, async (c) => {
    const act = await createAuditEntry(c, "trigger.rotate", "composio");
    unwrap(await databaseFromEnv(c.env).audit.add(OPERATOR_TENANT, act));
    const until = unwrap(await rotateSubscription(c.env));
    return c.json({ old_secret_until: iso(until) }, 200);
  });
}
