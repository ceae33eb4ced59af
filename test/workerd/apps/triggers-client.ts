/** Events as the provider of apps sends them, and the tasks that they became. */
import { expect, vi } from "vitest";
import { toBase64 } from "../../../core/base/base64.ts";
import { type Answer, type Caller, knock } from "../http/entry.ts";
import { received, SOON, worked } from "../channels/webhooks/hooks-client.ts";
import { control } from "./provider.ts";

export const TRIGGERS = "/v1/triggers";
export const TRIGGER = "GMAIL_NEW_MESSAGE_TRIGGER";

export interface SentEvent {
  readonly id?: string;
  readonly secret?: string;
  /** Seconds since the epoch. */
  readonly at?: number;
  /** Before the one that is right. */
  readonly otherSignatures?: string;
}

async function sign(message: string, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign"]);
  return toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(message))));
}

export async function readSecret(): Promise<string> {
  const { subscription } = await control();
  if (subscription === null) throw new Error("nobody subscribed to events");
  return subscription.secret;
}

/** Sends a body as the provider does. */
export async function sendBody(body: string, sent: SentEvent = {}): Promise<Answer> {
  const { id = `msg_${crypto.randomUUID()}`, at = Math.floor(Date.now() / 1000), otherSignatures = "" } = sent;
  const signature = await sign(`${id}.${at}.${body}`, sent.secret ?? (await readSecret()));
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `${otherSignatures}v1,${signature}`,
  };
  return await knock("POST", "/webhook/composio", { body, headers });
}

export function toMessage(triggerId: string, data: unknown, more: object = {}): string {
  const metadata = {
    trigger_id: triggerId,
    trigger_slug: TRIGGER,
    connected_account_id: "ca_canary",
    user_id: "u",
    ...more,
  };
  return JSON.stringify({
    id: "msg_1",
    type: "composio.trigger.message",
    timestamp: "2026-11-28T09:00:00Z",
    metadata,
    data,
  });
}

/** What the provider calls the only trigger of an account. */
export async function findProviderId(account: string): Promise<string> {
  const found = (await control()).triggers.filter((one) => one.account === account);
  expect(found).toHaveLength(1);
  return found[0]?.id ?? "";
}

export const listReceived = async (caller: Caller, id: string) => await received(caller, { id }, TRIGGERS);

/** The outcomes of the events that are no repeats, once there are this many and none waits. */
export const settled = async (caller: Caller, id: string, count: number) =>
  await worked(caller, { id }, count, TRIGGERS);

export async function countTasks(caller: Caller): Promise<number> {
  return (await caller.send("GET", "/v1/tasks")).json.data.length;
}

/** Waits until a tenant's list, which follows its tasks, has this many. */
export async function expectTasks(caller: Caller, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await countTasks(caller)).toBe(count), SOON);
}
