/** Deliveries to people and other systems: their state, content and attempts, and how to resend them. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import {
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryDetails,
  type DeliveryReport,
  isReplayable,
} from "../../../core/channels/outbox/delivery.ts";
import { raise } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import { answers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { createAuditEntry } from "../../http/audit-entry.ts";
import { CHANNEL_NAMES } from "../channels.ts";
import type { App, AppContext } from "../../http/context.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { optionalQuery, pageQuery, readPageRequest } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";
import { isoOrNull } from "../../../core/base/iso.ts";

const time = z.iso.datetime();

const fields = {
  id: z.string().describe("`dlv_…`; the `webhook-id` of a webhook."),
  channel: z.string().meta({ id: "DeliveryChannel" }),
  to: z.string().describe("`T…/C…` for Slack, an address for mail, or the id of an endpoint."),
  kind: z.enum(DELIVERY_KINDS),
  task: z.string().nullable(),
  about: z.string().nullable().describe("The question or approval of this delivery."),
  state: z
    .enum(DELIVERY_STATES)
    .describe(
      "`dead`: it was refused permanently or given up; `unknown`: it may have been sent, and this cannot be looked up; `called_off`: it was cancelled, because its subject ended first. These three can be resent.",
    ),
  attempts: z.int(),
  why: z.string().nullable().describe("Why the last failed attempt failed."),
  due_at: time.nullable().describe("When the next attempt is due; null once the delivery has ended."),
  created_at: time,
  ended_at: time.nullable(),
};
export const deliverySchema = z.strictObject(fields).meta({ id: "Delivery" });
const deliveryDetailSchema = z
  .strictObject({
    ...fields,
    content: z
      .record(z.string(), z.unknown())
      .describe("The content before its channel renders it. Empty three days after an endpoint received an event."),
    tries: z
      .array(
        z.strictObject({
          number: z.int(),
          at: time,
          ended_at: time.nullable(),
          outcome: z
            .enum(["sent", "later", "dead", "unknown", "cut_off"])
            .nullable()
            .describe("Null while the attempt runs. `cut_off`: its outcome is unknown."),
          why: z.string().nullable(),
        }),
      )
      .describe("The last hundred attempts, in order."),
  })
  .meta({ id: "DeliveryDetail" });

const shared = { tags: ["Deliveries"], ...withKey };
const params = z.object({ id: z.string().describe("The delivery's id, `dlv_…`") });

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "deliveries.list",
  path: "/v1/deliveries",
  summary: "List deliveries, newest first",
  description:
    "`state=dead` lists dead letters. Progress updates are listed only with `kind=progress`. A delivery is stored for 30 days after it ended.",
  middleware: [requireScope("tasks:read")],
  request: {
    query: z.strictObject({
      task: optionalQuery(z.string().max(200)),
      channel: optionalQuery(z.enum(CHANNEL_NAMES)),
      to: optionalQuery(z.string().max(1000)),
      state: optionalQuery(z.enum(DELIVERY_STATES)),
      kind: optionalQuery(z.enum(DELIVERY_KINDS)),
      ...pageQuery,
    }),
  },
  responses: answers({ 200: { description: "A page of deliveries.", json: pageOf(deliverySchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "deliveries.get",
  path: "/v1/deliveries/{id}",
  summary: "Show a delivery with its content and its attempts",
  middleware: [requireScope("tasks:read")],
  request: { params },
  responses: answers({ 200: { description: "The delivery.", json: deliveryDetailSchema } }, [404]),
});

const replay = createRoute({
  ...shared,
  method: "post",
  operationId: "deliveries.replay",
  path: "/v1/deliveries/{id}/replay",
  summary: "Resend a delivery under the same id",
  description:
    "For a delivery that is dead, unknown or cancelled; 409 otherwise, or if it can never be sent. An unknown delivery may have been sent: resending it may deliver it twice.",
  middleware: [requireScope("admin")],
  request: { params },
  responses: answers(
    { 202: { description: "The delivery, which is waiting again.", json: deliveryDetailSchema } },
    [404, 409],
  ),
});

export function deliveryRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const { task = null, channel = null, to = null, state = null, kind = null, ...rest } = c.req.valid("query");
    const filter = { task, channel, to, state, kind };
    const page = unwrap(await databaseFromEnv(c.env).deliveries.page(getTenant(c), filter, readPageRequest(rest)));
    const next = page.next === null ? null : writeCursor(page.next);
    return c.json({ data: page.items.map(toDeliveryView), next_cursor: next }, 200);
  });

  app.openapi(show, async (c) => c.json(toDetailView((await readDelivery(c, c.req.valid("param").id)).look), 200));

  app.openapi(replay, async (c) => {
    const { id } = c.req.valid("param");
    const { outbox, look } = await readDelivery(c, id);
    const { state } = look.report;
    if (!isReplayable(state))
      raise("conflict", `This delivery is ${state}. Only a dead, unknown or cancelled delivery can be resent.`);
    const act = await createAuditEntry(c, "delivery.replay", id);
    unwrap(await databaseFromEnv(c.env).audit.add(getTenant(c), act));
    if (!(await outboxesFromEnv(c.env)(outbox).replay(id)))
      raise("conflict", `This delivery cannot be sent: ${look.report.why ?? "it was already sent"}`);
    return c.json(toDetailView((await readDelivery(c, id)).look), 202);
  });
}

const NO_DELIVERY = "There is no such delivery.";

/** Reads a delivery from its outbox, which the tenant's row names. */
async function readDelivery(
  c: AppContext,
  id: string,
): Promise<{ readonly outbox: string; readonly look: DeliveryDetails }> {
  if (!isId("delivery", id)) raise("not_found", NO_DELIVERY);
  const { outbox } = unwrap(await databaseFromEnv(c.env).deliveries.get(getTenant(c), id));
  const look = await outboxesFromEnv(c.env)(outbox).look(id);
  return look === null ? raise("not_found", NO_DELIVERY) : { outbox, look };
}

export function toDeliveryView({ id, channel, to, kind, task, about, state, attempts, why, ...times }: DeliveryReport) {
  return {
    id,
    channel,
    to,
    kind,
    task,
    about,
    state,
    attempts,
    why,
    due_at: isoOrNull(times.dueAt),
    created_at: new Date(times.createdAt).toISOString(),
    ended_at: isoOrNull(times.endedAt),
  };
}

function toDetailView({ report, content, attempts }: DeliveryDetails) {
  const tries = attempts.map(({ number, at, endedAt, outcome, why }) => ({
    number,
    at: new Date(at).toISOString(),
    ended_at: isoOrNull(endedAt),
    outcome,
    why,
  }));
  return { ...toDeliveryView(report), content: { ...content }, tries };
}
