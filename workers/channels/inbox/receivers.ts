/** Who works the items of which inbox. */
import { getOwn } from "../../../core/base/own-field.ts";
import { receiveMail } from "../mail/receiver.ts";
import type { Receiver } from "./receiver.ts";
import { receiveSlack } from "../slack/receive.ts";
import { webhookReceiver } from "../webhooks/receiver.ts";

/** By the first word of an inbox's name. */
export type Receivers = Readonly<Record<string, Receiver>>;

export const RECEIVERS: Receivers = {
  email: receiveMail,
  slack: receiveSlack,
  webhook: webhookReceiver,
};

/** Throws for a name that no channel has. */
export function receiverOf(receivers: Receivers, inbox: string): Receiver {
  const receiver = getOwn(receivers, inbox.split("/")[0] ?? "");
  if (receiver === undefined) throw new Error(`nobody works the inbox ${inbox}`);
  return receiver;
}
