/** Webhooks to tenants' endpoints: their settings, signing secrets and deliveries. */
import { createRoute } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { endpointUrlFromEnv } from "../../../adapters/env/web.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { getOutboxName } from "../../../core/channels/outbox/delivery.ts";
import {
  type Endpoint,
  type EndpointSetting,
  endpointSettingSchema,
} from "../../../core/channels/webhooks/endpoint.ts";
import { OLD_SECRET_MS, getOldSecretEnd } from "../../../core/channels/webhooks/old-secrets.ts";
import { createTestContent } from "../../../core/channels/webhooks/body.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { isId, makeId } from "../../../core/base/ids.ts";
import { answers, withKey } from "../../http/answers.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import { changeEndpoint } from "./endpoint-interests.ts";
import { createEndpointSecret } from "./endpoint-secrets.ts";
import { createWebhookDelivery } from "../fan-out/webhooks.ts";
import type { App, AppContext, AppEnv, MiddlewareContext } from "../../http/context.ts";
import { formatEtag, ifMatchHeader, readIfVersion } from "../../http/if-match.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { getIdSource } from "../../http/new-ids.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";

const time = z.iso.datetime();

const webhookShape = z.strictObject({
  id: z.string(),
  version: z.int(),
  ...endpointSettingSchema.shape,
  disabled_reason: z.string().nullable().describe("Why Otto disabled it; null if it did not."),
  old_secret_until: time.nullable().describe("Until when a replaced secret signs too; null without one."),
  created_at: time,
  updated_at: time,
});
const webhookSchema = webhookShape.meta({ id: "Webhook" });
const secret = z.string().describe("The secret that verifies signatures, `whsec_…`. It is returned only once.");
const newWebhookSchema = webhookShape.extend({ secret }).meta({ id: "NewWebhook" });

const shared = { tags: ["Webhooks"], ...withKey };
const read = [requireScope("tasks:read")];
const admin = [requireScope("admin")];
export const webhookParams = z.object({ id: z.string().describe("The webhook's id, `whk_…`") });
const body = {
  required: true,
  content: { "application/json": { schema: endpointSettingSchema.meta({ id: "WebhookInput" }) } },
};
const webhook = { description: "The webhook, at the version that `ETag` names.", json: webhookSchema };
const withSecret = { description: "The webhook with its secret.", json: newWebhookSchema };

/** Answers 404 before the body is read, so that another tenant's id reveals nothing. */
const requireWebhook: MiddlewareHandler<AppEnv> = async function known(c, next) {
  await findWebhook(c, c.req.param("id") ?? "");
  await next();
};

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "webhooks.create",
  path: "/v1/webhooks",
  summary: "Make a webhook",
  description:
    "Events of the tenant's tasks are sent to `url` by POST, signed as the Standard Webhooks specification says: `webhook-id` (the same on every attempt), `webhook-timestamp` (of the attempt), `webhook-signature`. The body is `{type, timestamp, data}`, and `data.task` is the task as in `GET /v1/tasks/{id}`; `data.left_out` names the fields left out of a body over 256 KB. A 2xx within 15 seconds is success. Otherwise the delivery is retried ten times over three days, and is then dead. Redirects are not followed. 410 disables the webhook. At most 20 per tenant.",
  middleware: admin,
  request: { body },
  responses: answers({ 201: withSecret }, [409, 413, 415, 422]),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "webhooks.list",
  path: "/v1/webhooks",
  summary: "List webhooks, newest first",
  middleware: read,
  responses: answers({
    200: {
      description: "All webhooks.",
      json: z.strictObject({ data: z.array(webhookSchema), next_cursor: z.null() }),
    },
  }),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "webhooks.get",
  path: "/v1/webhooks/{id}",
  summary: "Show a webhook",
  middleware: read,
  request: { params: webhookParams },
  responses: answers({ 200: webhook }, [404]),
});

const update = createRoute({
  ...shared,
  method: "put",
  operationId: "webhooks.replace",
  path: "/v1/webhooks/{id}",
  summary: "Replace a webhook",
  description:
    "Its secret stays. Waiting deliveries use the new settings within 5 seconds. With `If-Match`, 409 if the version differs.",
  middleware: [...admin, requireWebhook],
  request: { params: webhookParams, body, headers: ifMatchHeader },
  responses: answers({ 200: webhook }, [404, 409, 413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "webhooks.delete",
  path: "/v1/webhooks/{id}",
  summary: "Delete a webhook",
  description: "Its waiting deliveries become dead.",
  middleware: admin,
  request: { params: webhookParams },
  responses: answers({ 204: { description: "It was deleted." } }, [404]),
});

const rotate = createRoute({
  ...shared,
  method: "post",
  operationId: "webhooks.rotateSecret",
  path: "/v1/webhooks/{id}/rotate",
  summary: "Replace the secret of a webhook",
  description:
    "The replaced secret signs too for 24 hours: `webhook-signature` then has one signature per secret, separated by spaces. At most three replaced secrets are valid at a time.",
  middleware: admin,
  request: { params: webhookParams },
  responses: answers({ 200: withSecret }, [404, 409]),
});

const test = createRoute({
  ...shared,
  method: "post",
  operationId: "webhooks.test",
  path: "/v1/webhooks/{id}/test",
  summary: "Send a test event to a webhook",
  description:
    "Sends an event of the type `webhook.test`. The delivery shows its outcome. 409 if the webhook is disabled.",
  middleware: admin,
  request: { params: webhookParams },
  responses: answers(
    { 202: { description: "It is being sent.", json: z.strictObject({ delivery_id: z.string() }) } },
    [404, 409],
  ),
});

export function webhookRoutes(app: App): void {
  app.openapi(create, async (c) => {
    const setting = checkSetting(c, c.req.valid("json"));
    const tenant = getTenant(c);
    const { createdAt, random } = await getIdSource(c, "webhook");
    const id = makeId("endpoint", createdAt, random);
    const { text, sealed } = await createEndpointSecret(c.env, { tenant, id }, random);
    const act = await createAuditEntry(c, "webhook.create", id);
    const { endpoints } = databaseFromEnv(c.env);
    const made = unwrap(
      await changeEndpoint(c.env, tenant, [setting], () => endpoints.create(tenant, { id, ...setting, sealed }, act)),
    );
    const headers = { location: `/v1/webhooks/${id}`, etag: formatEtag(made) };
    return c.json({ ...toWebhookView(made), secret: text }, 201, headers);
  });

  app.openapi(list, async (c) => {
    const all = unwrap(await databaseFromEnv(c.env).endpoints.all(getTenant(c)));
    return c.json({ data: all.map(toWebhookView), next_cursor: null }, 200);
  });

  app.openapi(show, async (c) => {
    const found = await findWebhook(c, c.req.valid("param").id);
    return c.json(toWebhookView(found), 200, { etag: formatEtag(found) });
  });

  app.openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const setting = checkSetting(c, c.req.valid("json"));
    const ifVersion = readIfVersion(c.req.valid("header")["if-match"]);
    const tenant = getTenant(c);
    const act = await createAuditEntry(c, "webhook.update", id);
    const { endpoints } = databaseFromEnv(c.env);
    const set = unwrap(
      await changeEndpoint(c.env, tenant, [setting], () => endpoints.update(tenant, { id, setting, ifVersion }, act)),
    );
    return c.json(toWebhookView(set), 200, { etag: formatEtag(set) });
  });

  app.openapi(remove, async (c) => {
    const { id } = await findWebhook(c, c.req.valid("param").id);
    const tenant = getTenant(c);
    const act = await createAuditEntry(c, "webhook.delete", id);
    const { endpoints } = databaseFromEnv(c.env);
    unwrap(await changeEndpoint(c.env, tenant, [], () => endpoints.remove(tenant, id, act)));
    return c.body(null, 204);
  });

  app.openapi(rotate, async (c) => {
    const { id } = await findWebhook(c, c.req.valid("param").id);
    const tenant = getTenant(c);
    const { createdAt, random } = await getIdSource(c, "webhook secret");
    const { text, sealed } = await createEndpointSecret(c.env, { tenant, id }, random);
    const act = await createAuditEntry(c, "webhook.rotate", id);
    const rotation = { id, sealed, oldUntil: createdAt + OLD_SECRET_MS };
    const { endpoints } = databaseFromEnv(c.env);
    const rotated = unwrap(await changeEndpoint(c.env, tenant, [], () => endpoints.rotate(tenant, rotation, act)));
    return c.json({ ...toWebhookView(rotated), secret: text }, 200, { etag: formatEtag(rotated) });
  });

  app.openapi(test, async (c) => {
    const { id, enabled } = await findWebhook(c, c.req.valid("param").id);
    if (!enabled) raise("conflict", "The webhook is disabled. Enable it first.");
    const tenant = getTenant(c);
    const act = await createAuditEntry(c, "webhook.test", id);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, act));
    const content = createTestContent(id, new Date(act.at).toISOString());
    const delivery = await createWebhookDelivery({ tenant, endpoint: id, task: null, content, at: act.at }, act.id);
    await outboxesFromEnv(c.env)(getOutboxName(delivery)).put([delivery]);
    return c.json({ delivery_id: delivery.id }, 202);
  });
}

/** Finds a webhook of the key's tenant. */
export async function findWebhook(c: MiddlewareContext, id: string): Promise<Endpoint> {
  if (!isId("endpoint", id)) raise("not_found", "There is no such webhook.");
  return unwrap(await databaseFromEnv(c.env).endpoints.get(getTenant(c), id));
}

/** Returns the settings with the URL as it is requested. Refuses a URL that can never be requested. */
function checkSetting(c: AppContext, setting: EndpointSetting): EndpointSetting {
  const url = endpointUrlFromEnv(c.env, setting.url);
  if (!url.ok) throw new OttoError({ ...url.error, code: "invalid_input", message: `url: ${url.error.message}` });
  return { ...setting, url: url.value, events: [...new Set(setting.events)] };
}

function toWebhookView(endpoint: Endpoint) {
  const { id, version, url, events, description, enabled, disabledWhy, createdAt, updatedAt } = endpoint;
  const { oldSecretUntil: lastOld } = endpoint;
  const until = lastOld === null ? null : getOldSecretEnd([{ until: lastOld }], Date.now());
  return {
    id,
    version,
    url,
    events,
    description,
    enabled,
    disabled_reason: disabledWhy,
    old_secret_until: until === null ? null : new Date(until).toISOString(),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
