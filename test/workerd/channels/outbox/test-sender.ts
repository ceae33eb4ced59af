/** The sender of the deliveries of tests, whatever their channel: it does what a test says, and remembers what it was given. */
import type { Attempt, Delivery, SendResult } from "../../../../core/channels/outbox/delivery.ts";
import type { ChannelRecord, Sender } from "../../../../workers/channels/channel.ts";
import type { Channels } from "../../../../workers/channels/channels.ts";

/** An attempt that it was given. */
export interface Sending {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

type Answer = (sending: Sending) => SendResult | Promise<SendResult>;

const sendings: Sending[] = [];
let answer: Answer = sent;

/** From now on it answers so. */
export function answerSendings(next: Answer): void {
  answer = next;
}

/** Tenants of whom it takes everything. */
const taken = new Set<string>();

/** From now on it takes all that leaves of this tenant, whatever its content says. */
export function takeSendingsOf(tenant: string): void {
  taken.add(tenant);
}

/** What it was given of this tenant, in the order of the calls. */
export function sendingsOf(tenant: string): readonly Sending[] {
  return sendings.filter(({ delivery }) => delivery.tenant === tenant);
}

export function sent(): SendResult {
  return { kind: "sent", ref: null };
}

/** A sender that answers long after a test has ended. */
export async function hangs(): Promise<SendResult> {
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  return sent();
}

/** Deliveries whose content says `test`, and those of tenants that it takes, go to the test's sender. */
export function withTestSender(channels: Channels): Channels {
  return new Map(Array.from(channels, ([name, channel]) => [name, { ...channel, load: loadWith(channel.load) }]));
}

function loadWith(load: ChannelRecord["load"]): ChannelRecord["load"] {
  return async () => {
    const handlers = await load();
    return { ...handlers, send: sendOrNote(handlers.send) };
  };
}

function sendOrNote(send: Sender): Sender {
  return async (...args) => {
    const [, delivery, attempt] = args;
    if (delivery.content["test"] !== true && !taken.has(delivery.tenant)) return await send(...args);
    sendings.push({ delivery, attempt });
    return await answer({ delivery, attempt });
  };
}
