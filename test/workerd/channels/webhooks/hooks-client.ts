/** What the runtime tests of hooks share: making one, calling it as its senders do, and what its calls came to. */
import { expect, vi } from "vitest";
import { toHex } from "../../../../core/base/hex.ts";
import type { TaskView } from "../../../../core/task/view.ts";
import { type Answer, type Caller, knock } from "../../http/entry.ts";

export const HOOKS = "/v1/incoming-webhooks";
export const SOON = { timeout: 20_000, interval: 25 };
export const SECRET = "whsec_canary-of-a-test";

export interface Made {
  readonly id: string;
  readonly url: string;
  readonly secret: string | null;
}

export async function makeHook(caller: Caller, rule: Record<string, unknown> = {}): Promise<Made> {
  const { type = "generic" } = rule;
  const once = type === "generic" ? { once_per_body: false } : {};
  const made = await caller.send("POST", HOOKS, { name: "a", type, secret: SECRET, ...once, ...rule });
  expect(made.status, made.text).toBe(201);
  return made.json;
}

export async function hmac(message: string, secret = SECRET): Promise<string> {
  const [key, text] = [secret, message].map((one) => new TextEncoder().encode(one));
  if (key === undefined || text === undefined) throw new Error("never");
  const own = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", own, text)));
}

/** Calls a hook from outside, without any key. */
export async function call(hook: Made, body: string, headers: Record<string, string>): Promise<Answer> {
  const { pathname, search } = new URL(hook.url);
  return await knock("POST", `${pathname}${search}`, { body, headers });
}

export async function signed(hook: Made, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return await call(hook, body, { "x-otto-signature": `sha256=${await hmac(body)}`, ...headers });
}

export async function github(body: string, event: string, delivery: string): Promise<Record<string, string>> {
  return {
    "content-type": "application/json",
    "x-hub-signature-256": `sha256=${await hmac(body)}`,
    "x-github-event": event,
    "x-github-delivery": delivery,
  };
}

/** What a hook received; `at` is another list of things that receive. */
export async function received(caller: Caller, { id }: Pick<Made, "id">, at = HOOKS) {
  const answer = await caller.send("GET", `${at}/${id}/received`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data as {
    message_id: string;
    state: string;
    task_id: string | null;
    note: string | null;
    repeat_of: string | null;
    event: string;
  }[];
}

/** The results of the hook's calls, once none waits, without repeats. */
export async function worked(caller: Caller, hook: Pick<Made, "id">, count: number, at = HOOKS) {
  return await vi.waitFor(async () => {
    const items = (await received(caller, hook, at)).filter(({ state }) => state !== "repeat");
    expect(items.filter(({ state }) => state !== "waiting")).toHaveLength(count);
    return items;
  }, SOON);
}

export async function taskOf(caller: Caller, id: string | null | undefined): Promise<TaskView> {
  const task = await caller.send("GET", `/v1/tasks/${id}`);
  expect(task.status, task.text).toBe(200);
  return task.json;
}
