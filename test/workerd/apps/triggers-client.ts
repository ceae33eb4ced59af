/** Events as the provider of apps sends them, and the tasks that they became. */
import { expect, vi } from "vitest";
import { toBase64 } from "../../../core/base/base64.ts";
import { type Answer, type Caller, knock } from "../http/entry.ts";
import { control } from "./provider.ts";

export const TRIGGERS = "/v1/triggers";
export const TRIGGER = "GMAIL_NEW_MESSAGE_TRIGGER";
export const SOON = { timeout: 20_000, interval: 25 };

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

export async function listReceived(caller: Caller, id: string) {
  const answer = await caller.send("GET", `${TRIGGERS}/${id}/received`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data as {
    message_id: string;
    state: string;
    task_id: string | null;
    note: string | null;
    event: string;
  }[];
}

/** The outcomes of the events that are no repeats, once there are this many and none waits. */
export async function settled(caller: Caller, id: string, count: number) {
  return await vi.waitFor(async () => {
    const items = (await listReceived(caller, id)).filter(({ state }) => state !== "repeat");
    expect(items.filter(({ state }) => state !== "waiting")).toHaveLength(count);
    return items;
  }, SOON);
}

export async function countTasks(caller: Caller): Promise<number> {
  return (await caller.send("GET", "/v1/tasks")).json.data.length;
}
