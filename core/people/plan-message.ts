/**
 * Plans one message to a person. Its id is derived from its subject alone, so any number of repeats and crashes plan the same
 * delivery.
 */
import { makeId } from "../base/ids.ts";
import { seededIds } from "../base/seeded-ids.ts";
import type { Delivery } from "../channels/outbox/delivery.ts";
import { createMessageDelivery } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";
import type { PersonRecord } from "./person.ts";
import { type AskDestination, getOpenTime, listPersonDestinations, routeAsk } from "./route-ask.ts";

/** A message to the person who has to act. Times are milliseconds since the epoch. */
export interface PersonMessage {
  readonly tenant: string;
  readonly person: PersonRecord;
  /** Names what it is about, once for each message. */
  readonly subject: string;
  /** When what it is about was created. */
  readonly createdAt: number;
  readonly message: OutMessage;
  readonly task: string | null;
  /** When the cause happened. */
  readonly at: number;
}

/** One delivery to the person's best destination, with the others as fallbacks; null if the person has no address. */
export async function planPersonMessage(notice: PersonMessage): Promise<Delivery | null> {
  const { person, at } = notice;
  const [step] = routeAsk({ person, conversations: [], askedAt: at, expiresAt: null, waits: false });
  if (step === undefined) return null;
  const others = listPersonDestinations(person).filter(({ channel }) => channel !== step.destination.channel);
  let next: Delivery | null = null;
  for (const destination of others.toReversed()) next = await plan(notice, destination, next);
  return await plan(notice, step.destination, next);
}

async function plan(
  { tenant, subject, createdAt, message, task, at }: PersonMessage,
  destination: AskDestination,
  otherwise: Delivery | null,
): Promise<Delivery> {
  const { channel, to } = destination;
  // Not by the time of the notice: every cause has another one.
  const { random } = await seededIds("delivery", `${subject} ${channel} ${to}`, createdAt);
  const target = { channel, to };
  const rest = { message, random, otherwise: otherwise === null ? [] : [otherwise] };
  const delivery = createMessageDelivery({ tenant, target, kind: "notification", task, about: subject, at, ...rest });
  return { ...delivery, id: makeId("delivery", createdAt, random), notBefore: getOpenTime(destination, at) };
}
