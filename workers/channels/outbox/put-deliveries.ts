/** Enqueues deliveries. */
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { type Delivery, getOutboxName } from "../../../core/channels/outbox/delivery.ts";

/** Puts each delivery into its outbox, in order. Idempotent. */
export async function putDeliveries(env: Env, deliveries: readonly Delivery[]): Promise<void> {
  for (const [outbox, group] of Map.groupBy(deliveries, getOutboxName)) await outboxesFromEnv(env)(outbox).put(group);
}
