/**
 * Plans the one message about a connection that does not work. Its id is derived from the connection and its outage alone,
 * so any number of tasks, repeats and crashes plan the same delivery.
 */
import { type Delivery, getOutboxName } from "../channels/outbox/delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";
import type { ConnectReason } from "../connections/account.ts";
import type { Connection } from "../connections/connection.ts";
import type { PersonRecord } from "./person.ts";
import { planPersonMessage } from "./plan-message.ts";
import { listPersonDestinations } from "./route-ask.ts";

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
export async function planConnectionMessage({
  connection,
  reason,
  ...notice
}: ConnectionNotice): Promise<Delivery | null> {
  const { tenant, createdAt } = connection;
  return await planPersonMessage({ ...notice, tenant, createdAt, subject: getNoticeSubject(connection, reason) });
}

/** The outboxes in which a message to the person may wait. */
export function listConnectionOutboxes(tenant: string, person: PersonRecord): readonly string[] {
  return listPersonDestinations(person).map(({ channel, to }) => getOutboxName({ tenant, channel, to }));
}
