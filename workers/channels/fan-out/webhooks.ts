/** Delivers events of tasks to webhooks: one delivery for each endpoint that subscribes to the event. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import type { Delivery } from "../../../core/channels/outbox/delivery.ts";
import { isForEndpoints, getInterests } from "../../../core/channels/webhooks/endpoint.ts";
import { createEventContent, type EventContent } from "../../../core/channels/webhooks/body.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { toTaskViewAt } from "../../tasks/view.ts";
import { listEndpoints } from "../webhooks/endpoint-cache.ts";
import type { NoticeInput, FanOutEffect } from "./fan-out-step.ts";

const NOTHING = ok({ deliveries: [], cancelled: [] });

/** Delivers nothing for a task that was erased meanwhile. */
export async function fanOutWebhooks(env: Env, { tenant, notice, view }: NoticeInput): Promise<Result<FanOutEffect>> {
  const { facts, type, endpointsStamp: stamp } = notice;
  if (stamp === undefined || !isForEndpoints(facts, type)) return NOTHING;
  const read = await listEndpoints(env, tenant, stamp);
  if (!read.ok) return read;
  const wanting = read.value.filter((endpoint) => (getInterests([endpoint]) as readonly string[]).includes(type));
  if (wanting.length === 0) return NOTHING;
  const task = await view();
  if (!task.ok) return task;
  if (task.value === null) return NOTHING;
  const shown = toTaskViewAt(publicUrlFromEnv(env) ?? "", task.value);
  const at = Date.parse(notice.at);
  const deliveries = wanting.map(async ({ id }) => {
    const content = createEventContent(id, notice, shown);
    return await createWebhookDelivery(
      { tenant, endpoint: id, task: facts.task, content, at },
      `${facts.task} ${notice.seq}`,
    );
  });
  return ok({ deliveries: await Promise.all(deliveries), cancelled: [] });
}

/** The content of a delivery to an endpoint. */
export interface NewWebhook {
  readonly tenant: string;
  readonly endpoint: string;
  readonly task: string | null;
  readonly content: EventContent;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Creates a delivery to an endpoint. `seed` identifies the event; each endpoint has its own id for it. */
export async function createWebhookDelivery(
  { tenant, endpoint, task, content, at }: NewWebhook,
  seed: string,
): Promise<Delivery> {
  const { createdAt, random } = await seededIds("delivery", `${seed} ${endpoint}`, at);
  const id = makeId("delivery", createdAt, random);
  return {
    id,
    tenant,
    channel: "webhook",
    to: endpoint,
    kind: "event",
    task,
    about: null,
    content,
    // A delivery that is retried for days delays no other.
    lane: id,
    slot: null,
    keepAs: null,
    refs: [],
    notBefore: 0,
    otherwise: [],
    createdAt,
  };
}
