/** Sends a message to the targets of a `deliver`: finds the recipients and creates the deliveries. */
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Delivery, DeliveryKind } from "../../../core/channels/outbox/delivery.ts";
import { createMessageDelivery } from "../../../core/channels/outbox/message-delivery.ts";
import type { OutMessage } from "../../../core/channels/outbox/message.ts";
import type { MessageCause } from "../../../core/channels/rpc.ts";
import { type Destinations, type Target, resolveTargets } from "../../../core/channels/outbox/targets.ts";
import type { DeliverTo } from "../../../core/task/source.ts";
import { type Failure, ok, type Result, toFailure } from "../../../core/base/errors.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { openPlaces } from "./places.ts";
import { putDeliveries } from "./put-deliveries.ts";

/** A message to every target of a `deliver`. */
export interface MessageForAll {
  readonly tenant: string;
  readonly deliver: readonly DeliverTo[];
  readonly message: OutMessage;
  readonly kind: DeliveryKind;
  readonly task: string | null;
  /** With the target, derives the id of a delivery. */
  readonly seed: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** References of earlier deliveries that the delivery to this target needs. */
  readonly getRefs?: (target: Target) => readonly string[];
}

/** Puts a message into the outboxes of its targets. Never throws. */
export async function sendMessage(
  env: Env,
  about: Pick<MessageForAll, "tenant" | "deliver" | "message">,
  { kind, seed, at, task }: MessageCause,
): Promise<Result<void>> {
  try {
    const deliveries = await createDeliveries(openPlaces(env, about.tenant), {
      ...about,
      kind,
      task: task ?? null,
      seed,
      at,
    });
    if (!deliveries.ok) return deliveries;
    await putDeliveries(env, deliveries.value);
    return ok(undefined);
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}

/**
 * Creates the deliveries of a message: one per target, and if it becomes dead, the next target of the same person as
 * its fallback. An unknown target becomes a refused delivery. Fails while the people cannot be read.
 */
export async function createDeliveries(
  places: Pick<Destinations, "person">,
  message: MessageForAll,
): Promise<Result<Delivery[]>> {
  const deliveries = new Map<string, Delivery>();
  for (const place of message.deliver) {
    const targets = await resolveTargets(place, places);
    if (!targets.ok && !isOfThePlace(targets.error)) return targets;
    const delivery = targets.ok
      ? await createWithFallbacks(message, targets.value)
      : { ...(await createDelivery(message, toTarget(place), null)), refused: targets.error.message };
    if (delivery !== null) deliveries.set(delivery.id, delivery);
  }
  return ok([...deliveries.values()]);
}

/** Creates the delivery to the first target. The others are its fallbacks. */
async function createWithFallbacks(message: MessageForAll, targets: readonly Target[]): Promise<Delivery | null> {
  let next: Delivery | null = null;
  for (const target of targets.toReversed()) next = await createDelivery(message, target, next);
  return next;
}

async function createDelivery(asked: MessageForAll, target: Target, otherwise: Delivery | null): Promise<Delivery> {
  const { tenant, message, kind, task, seed, at, getRefs } = asked;
  const { random } = await seededIds("delivery", `${seed} ${kind} ${target.channel} ${target.to}`, at);
  const refs = getRefs?.(target) ?? [];
  const stead = otherwise === null ? [] : [otherwise];
  return createMessageDelivery({
    tenant,
    target,
    kind,
    task,
    about: null,
    message,
    at,
    random,
    refs,
    otherwise: stead,
  });
}

/** A deleted person would have been notified by mail as the last target. */
function toTarget({ channel, to }: DeliverTo): Target {
  return { channel: channel === "person" ? "email" : channel, to };
}

function isOfThePlace({ code }: Failure): boolean {
  return code === "invalid_input" || code === "not_available" || code === "not_found";
}
