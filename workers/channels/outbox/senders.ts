/** Who sends the deliveries of which channel. */
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Attempt, Delivery, Sent } from "../../../core/channels/outbox/delivery.ts";
import type { Channel } from "../../../core/task/source.ts";
import { sendByEmail } from "../mail/sender.ts";
import { sendBySlack } from "../slack/sender.ts";
import { sendWebhook } from "../webhooks/sender.ts";

/** Sends a delivery once, and says how that went. Expected failures are `later`, `dead` or `unknown`. */
export type Sender = (env: Env, delivery: Delivery, attempt: Attempt) => Promise<Sent>;

export type Senders = Readonly<Partial<Record<Channel, Sender>>>;

export const SENDERS: Senders = { email: sendByEmail, slack: sendBySlack, webhook: sendWebhook };

/** Throws for a channel that nobody sends by. */
export function senderOf(senders: Senders, channel: Channel): Sender {
  const sender = senders[channel];
  if (sender === undefined) throw new Error(`nobody sends by ${channel}`);
  return sender;
}
