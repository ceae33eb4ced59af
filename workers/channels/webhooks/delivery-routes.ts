/** Deliveries to a webhook, and how to resend failed ones. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { DELIVERY_STATES, getOutboxName } from "../../../core/channels/outbox/delivery.ts";
import { raise } from "../../../core/base/errors.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import { answers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import type { App } from "../../http/context.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";
import { deliverySchema, toDeliveryView } from "../outbox/routes.ts";
import { findWebhook, webhookParams } from "./routes.ts";

/** Deliveries that one request resends. */
const MAX_REPLAYED = 100;

const shared = { tags: ["Webhooks"], ...withKey };

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "webhooks.listDeliveries",
  path: "/v1/webhooks/{id}/deliveries",
  summary: "List the deliveries to a webhook, newest first",
  description: "`state=dead` lists dead letters.",
  middleware: [requireScope("tasks:read")],
  request: {
    params: webhookParams,
    query: z.strictObject({ state: optionalQuery(z.enum(DELIVERY_STATES)), ...pageQuery }),
  },
  responses: answers({ 200: { description: "A page of deliveries.", json: pageOf(deliverySchema) } }, [404, 422]),
});

const replay = createRoute({
  ...shared,
  method: "post",
  operationId: "webhooks.replayDeliveries",
  path: "/v1/webhooks/{id}/replay",
  summary: "Resend all dead deliveries of a webhook",
  description: `Resends deliveries that are dead, or whose last attempt was cut off, oldest first and under their ids; at most ${MAX_REPLAYED} at once. \`left\` is the number of others. 409 if the webhook is disabled.`,
  middleware: [requireScope("admin")],
  request: {
    params: webhookParams,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z
            .strictObject({
              since: z.iso
                .datetime({ offset: true })
                .optional()
                .describe("Only deliveries of events at or after this time."),
            })
            .meta({ id: "ReplayInput" }),
        },
      },
    },
  },
  responses: answers(
    {
      202: {
        description: "They are being sent.",
        json: z.strictObject({ replayed: z.int(), left: z.int() }),
      },
    },
    [404, 409, 413, 415, 422],
  ),
});

export function webhookDeliveryRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { id } = await findWebhook(c, c.req.valid("param").id);
    const { state = null, ...rest } = c.req.valid("query");
    const filter = { task: null, channel: "webhook" as const, to: id, state, kind: null };
    const page = unwrap(await databaseFromEnv(c.env).deliveries.page(getTenant(c), filter, readPageRequest(rest)));
    const next = page.next === null ? null : writeCursor(page.next);
    return c.json({ data: page.items.map(toDeliveryView), next_cursor: next }, 200);
  });

  app.openapi(replay, async (c) => {
    const { id, enabled } = await findWebhook(c, c.req.valid("param").id);
    if (!enabled) raise("conflict", "The webhook is disabled. Enable it first.");
    const { since } = c.req.valid("json");
    const tenant = getTenant(c);
    const act = await createAuditEntry(c, "webhook.replay", id);
    unwrap(await databaseFromEnv(c.env).audit.add(tenant, act));
    const outbox = outboxesFromEnv(c.env)(getOutboxName({ tenant, channel: "webhook", to: id }));
    const { replayed, left } = await outbox.replayFailed(since === undefined ? null : Date.parse(since), MAX_REPLAYED);
    return c.json({ replayed, left }, 202);
  });
}
