/** Hooks of a tenant: how programs outside call Otto, and the task that each call creates. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import {
  getHookInboxName,
  hookRequestSchema,
  newHookRequestSchema,
  setOncePerBody,
} from "../../../core/channels/webhooks/hook.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import { answers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import { closeHook, sendHookSettings } from "./hook-settings.ts";
import { createHookSecret, sealHookSecret } from "./hook-secrets.ts";
import type { App, AppContext, AppEnv } from "../../http/context.ts";
import { changedHookSchema, hookSchema, newHookSchema, toHookView } from "./hook-view.ts";
import { checkRule, describeCaller, findHook, replaceHook, toCallingPerson } from "./replace-hook.ts";
import { formatEtag, ifMatchHeader, readIfVersion } from "../../http/if-match.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { getIdSource } from "../../http/new-ids.ts";
import { receivedItemSchema, listReceived, replayedSchema, replayReceived } from "../inbox/view.ts";
import { pageQuery, readPageRequest } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { requirePerson } from "../../http/require-person.ts";
import { unwrap } from "../../http/unwrap.ts";

const shared = { tags: ["Webhooks in"], ...withKey };
const read = [requireScope("tasks:read")];
const admin = [requireScope("admin")];
const params = z.object({ id: z.string().describe("The hook's id, `hook_…`") });
const body = {
  required: true,
  content: { "application/json": { schema: hookRequestSchema.meta({ id: "IncomingWebhookInput" }) } },
};
const newBody = {
  required: true,
  content: { "application/json": { schema: newHookRequestSchema.meta({ id: "NewIncomingWebhookInput" }) } },
};
const hook = { description: "The hook, at the version that `ETag` names.", json: hookSchema };

/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireHook: MiddlewareHandler<AppEnv> = async function known(c, next) {
  await findHook(c, c.req.param("id") ?? "");
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "incomingWebhooks.create",
  path: "/v1/incoming-webhooks",
  summary: "Make a hook",
  description:
    "Programs outside call it at its `url`, and each call becomes a task. Give the `secret` of a Stripe endpoint; for other types one is created and returned once. `prompt` is a template: `{{pull_request.title}}` is a field of the payload, `{{payload}}` all of it, `{{headers.x-github-event}}` a header. Inserted values are marked as data from outside, and cut if the input would exceed 200,000 characters. With `events`, calls of other events are received and ignored, as is GitHub's `ping`. A generic hook requires `once_per_body`.",
  middleware: admin,
  request: { body: newBody },
  responses: answers(
    { 201: { description: "The hook, with its secret if one was created.", json: newHookSchema } },
    [404, 409, 413, 415, 422],
  ),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "incomingWebhooks.list",
  path: "/v1/incoming-webhooks",
  summary: "List hooks, newest first",
  middleware: read,
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of hooks.", json: pageOf(hookSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "incomingWebhooks.get",
  path: "/v1/incoming-webhooks/{id}",
  summary: "Show a hook",
  middleware: read,
  request: { params },
  responses: answers({ 200: hook }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "incomingWebhooks.replace",
  path: "/v1/incoming-webhooks/{id}",
  summary: "Replace a hook",
  description:
    "Replaces everything but the type; `secret` and `once_per_body` stay when omitted. A replaced secret stays valid for 24 hours, or for `old_secret_seconds`; at most three replaced secrets are valid at a time. Waiting calls use the new settings. A change of `agent`, `project`, `prompt`, `events`, `deliver` or the secret by anyone but the person of `acts_for` clears that. With `If-Match`, 409 if the version differs.",
  middleware: [...admin, requireHook],
  request: { params, body, headers: ifMatchHeader },
  responses: answers({ 200: { ...hook, json: changedHookSchema } }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "incomingWebhooks.delete",
  path: "/v1/incoming-webhooks/{id}",
  summary: "Delete a hook",
  description: "Waiting calls create no tasks, and received calls are deleted. Tasks continue.",
  middleware: admin,
  request: { params },
  responses: answers({ 200: { description: "The deleted hook.", json: hookSchema } }, [404]),
});

const received = createRoute({
  ...shared,
  method: "get",
  operationId: "incomingWebhooks.listReceived",
  path: "/v1/incoming-webhooks/{id}/received",
  summary: "List the calls of a hook with their outcomes, newest first",
  description: "Covers the last 30 days and calls that still wait. Of repeats, at most 60 a minute and the last 1,000.",
  middleware: read,
  request: { params, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of calls.", json: pageOf(receivedItemSchema) } }, [404, 422]),
});

const replay = createRoute({
  ...shared,
  method: "post",
  operationId: "incomingWebhooks.replayReceived",
  path: "/v1/incoming-webhooks/{id}/received/{message}/replay",
  summary: "Retry a dead call of a hook",
  description: "409 if the call is not dead.",
  middleware: admin,
  request: { params: params.extend({ message: z.string().describe("The call's id, `msg_…`") }) },
  responses: answers({ 202: { description: "It is waiting to be processed.", json: replayedSchema } }, [404, 409]),
});

export function hookRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const { secret: given, old_secret_seconds: overlap, acts_for: askedFor, ...asked } = c.req.valid("json");
    const actsFor = askedFor === "me" ? toCallingPerson(requirePerson(c)) : null;
    if (overlap !== undefined)
      raise("invalid_input", "old_secret_seconds: a new hook replaces no secret", {
        field: "old_secret_seconds",
      });
    const config = await checkRule(c, setOncePerBody(asked, null));
    const tenant = getTenant(c);
    const { createdAt, random } = await getIdSource(c, "hook");
    const id = makeId("hook", createdAt, random);
    const made = given === undefined ? await createHookSecret(c.env, tenant, random) : null;
    const sealed = await sealHookSecret(c.env, tenant, id, made ?? given ?? "");
    const act = describeCaller(await createAuditEntry(c, "hook.create", id), null, actsFor?.person ?? null);
    // The inbox first: a hook that exists can be called.
    const about = { id, version: 1, config, sealed, old: [], actsFor, createdAt, updatedAt: createdAt };
    await sendHookSettings(c.env, tenant, about);
    const created = await databaseFromEnv(c.env).hooks.create(
      tenant,
      { id, config, sealed, actsFor: actsFor?.person ?? null },
      act,
    );
    if (!created.ok) {
      if (created.error.code !== "upstream_failed") await closeHook(c.env, tenant, id);
      throw new OttoError(created.error);
    }
    const shown = { ...toHookView(getOrigin(c), created.value), secret: made };
    return c.json(shown, 201, { location: `/v1/incoming-webhooks/${id}`, etag: formatEtag(created.value) });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).hooks.page(getTenant(c), request));
    const data = items.map((one) => toHookView(getOrigin(c), one));
    return c.json({ data, next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => {
    const found = await findHook(c, c.req.valid("param").id);
    return c.json(toHookView(getOrigin(c), found), 200, { etag: formatEtag(found) });
  });

  app.openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const asked = c.req.valid("json");
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    const { set, cleared } = await replaceHook(c, { id, asked, ifVersion });
    await sendHookSettings(c.env, getTenant(c), set);
    const view = { ...toHookView(getOrigin(c), set), acts_for_cleared: cleared };
    return c.json(view, 200, { etag: formatEtag(set) });
  });

  app.openapi(remove, async (c) => {
    const { id } = await findHook(c, c.req.valid("param").id);
    const act = await createAuditEntry(c, "hook.delete", id);
    const tenant = getTenant(c);
    const gone = unwrap(await databaseFromEnv(c.env).hooks.remove(tenant, id, act));
    await closeHook(c.env, tenant, id);
    return c.json(toHookView(getOrigin(c), gone), 200);
  });

  app.openapi(received, async (c) => {
    const { id } = await findHook(c, c.req.valid("param").id);
    return c.json(await listReceived(c, { name: getHookInboxName(id), since: 0 }, c.req.valid("query")), 200);
  });

  app.openapi(replay, async (c) => {
    const { id, message } = c.req.valid("param");
    await findHook(c, id);
    const act = await createAuditEntry(c, "hook.replay", id);
    return c.json(await replayReceived(c, { name: getHookInboxName(id), since: 0 }, message, act), 202);
  });
}

/** Returns the address at which programs outside reach this Worker. */
function getOrigin(c: AppContext): string {
  return publicUrlFromEnv(c.env) ?? new URL(c.req.url).origin;
}
