/** What the runtime tests of webhooks share: places at the receiver, what arrived there, and the public verifier. */
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";
import type { Delivery, SendResult } from "../../../../core/channels/outbox/delivery.ts";
import { CHANNELS, loadSender } from "../../../../workers/channels/channels.ts";
import { createTestContent } from "../../../../core/channels/webhooks/body.ts";
import { createWebhookDelivery } from "../../../../workers/channels/fan-out/webhooks.ts";
import type { Caller } from "../../http/entry.ts";

/** What `test/mock-servers/webhook-receiver.ts` got. */
export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What it answers. */
export type ReceiverReply =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly fault: "reset" | "hang" };

/** A webhook of a tenant, as its receiver knows it. */
export interface TestWebhook {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

/** A place at the receiver that answers by these replies in turn, the last of them from then on. */
export async function newReceiver(...replies: readonly ReceiverReply[]): Promise<string> {
  const url = `${inject("servers").receiverUrl}/${crypto.randomUUID()}`;
  await answerBy(url, ...replies);
  return url;
}

export async function answerBy(url: string, ...replies: readonly ReceiverReply[]): Promise<void> {
  if (replies.length > 0) await fetch(url, { method: "PUT", body: JSON.stringify(replies) });
}

export async function makeWebhook(
  caller: Caller,
  url: string,
  events: readonly string[] = ["*"],
): Promise<TestWebhook> {
  const made = await caller.send("POST", "/v1/webhooks", { url, events });
  expect(made.status, made.text).toBe(201);
  return { id: made.json.id, secret: made.json.secret, url };
}

/** What was posted there, in order. */
export async function postedTo(url: string): Promise<Posted[]> {
  return await (await fetch(url)).json<Posted[]>();
}

/** What a request says, once the public verifier has found its signature right. */
export function verified(secret: string, { body, headers }: Posted) {
  return new Webhook(secret).verify(body, { ...headers }) as {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export function isVerifiedBy(secret: string, request: Posted): boolean {
  try {
    verified(secret, request);
    return true;
  } catch (thrown) {
    if (thrown instanceof WebhookVerificationError) return false;
    throw thrown;
  }
}

/** A delivery of a test event that nobody has put anywhere. */
export async function deliveryTo(caller: Caller, endpoint: string): Promise<Delivery> {
  const at = Date.now();
  const content = createTestContent(endpoint, new Date(at).toISOString());
  return await createWebhookDelivery({ tenant: caller.tenant, endpoint, task: null, content, at }, crypto.randomUUID());
}

/** An attempt at it, past its outbox. */
export async function send(delivery: Delivery, number = 1): Promise<SendResult> {
  const { send: sendOnce } = await loadSender(CHANNELS, "webhook");
  return await sendOnce(env, delivery, { number, mayHaveLeft: number > 1, refs: {} });
}
