/**
 * Plans the one message about a connection that does not work. Its id is derived from the connection and its outage alone,
 * so any number of tasks, repeats and crashes plan the same delivery.
 */
import { makeId } from "../base/ids.ts";
import { seededIds } from "../base/seeded-ids.ts";
import { type Delivery, getOutboxName } from "../channels/outbox/delivery.ts";
import { createMessageDelivery } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";
import type { ConnectReason } from "../connections/account.ts";
import type { Connection } from "../connections/connection.ts";
import type { PersonRecord } from "./person.ts";
import { type AskDestination, getOpenTime, listPersonDestinations, routeAsk } from "./route-ask.ts";

/** A message to the person who has to act. */
export interface ConnectionNotice {
  readonly connection: Connection;
  readonly reason: ConnectReason;
  readonly person: PersonRecord;
  readonly message: OutMessage;
  readonly task: string | null;
  /** When the cause happened, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Names what a message is about. A connection that works may still permit too little: then it is one message per consent
 * and reason, because only a consent changes that.
 */
export function getNoticeSubject({ id, outage, status, consent }: Connection, reason: ConnectReason): string {
  const outageOf = `connection:${id}:${outage}`;
  return status === "active" ? `${outageOf}:${reason}:${consent}` : outageOf;
}

/** One delivery to the person's best destination, with the others as fallbacks; null if the person has no address. */
export async function planConnectionMessage(notice: ConnectionNotice): Promise<Delivery | null> {
  const { person, at } = notice;
  const [step] = routeAsk({ person, conversations: [], askedAt: at, expiresAt: null, waits: false });
  if (step === undefined) return null;
  const others = listPersonDestinations(person).filter(({ channel }) => channel !== step.destination.channel);
  let next: Delivery | null = null;
  for (const destination of others.toReversed()) next = await plan(notice, destination, next);
  return await plan(notice, step.destination, next);
}

/** The outboxes in which a message to the person may wait. */
export function listConnectionOutboxes(tenant: string, person: PersonRecord): readonly string[] {
  return listPersonDestinations(person).map(({ channel, to }) => getOutboxName({ tenant, channel, to }));
}

async function plan(
  { connection, reason, message, task, at }: ConnectionNotice,
  destination: AskDestination,
  otherwise: Delivery | null,
): Promise<Delivery> {
  const { tenant, createdAt } = connection;
  const subject = getNoticeSubject(connection, reason);
  const { channel, to } = destination;
  // Not by the time of the notice: every task has another one.
  const { random } = await seededIds("delivery", `${subject} ${channel} ${to}`, createdAt);
  const about = subject;
  const target = { channel, to };
  const rest = { message, random, otherwise: otherwise === null ? [] : [otherwise] };
  const delivery = createMessageDelivery({ tenant, target, kind: "notification", task, about, at, ...rest });
  return { ...delivery, id: makeId("delivery", createdAt, random), notBefore: getOpenTime(destination, at) };
}
