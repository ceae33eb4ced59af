/** A call of a hook in its inbox. A text that is too large for the row is in the bucket. */
import { blobsFromEnv, forgetOldBlobsFromEnv } from "../../../adapters/env/files.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { CallText } from "../../../core/channels/webhooks/hook-call.ts";
import type { HookType } from "../../../core/channels/webhooks/hook.ts";
import { MAX_ITEM_CHARACTERS } from "../../../core/channels/inbox/inbox.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { JsonState } from "../../../core/tool/tool.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";

/** The body of an item of `webhook/…`. */
export interface HookItem {
  readonly tenant: string;
  /** Null for a call with a key of the tenant; `named` then names the hook. */
  readonly hook: string | null;
  /** A hook's type or name, from the path of the call. */
  readonly named: string;
  readonly type: HookType;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: CallText | { readonly prefix: string };
  /** SHA-256 of the body in hex, for a call whose hook is not known yet. Absent from an earlier release. */
  readonly bodyHash?: string;
}

/** Returns the id of a call in an inbox, from its sender's delivery id. */
export async function makeItemId(inbox: string, delivery: string): Promise<string> {
  const { random } = await seededIds("message", `${inbox} ${delivery}`, 0);
  return makeId("message", 0, random);
}

/** Names the delivery of a hook with `once_per_body`: one for each body. */
export function nameByBody(bodyHash: string): string {
  return `body ${bodyHash}`;
}

const TEXT_NAME = "text.json";
/** Longer than an inbox lets a call wait or stores a dead one. */
const TEXT_LIFETIME_MS = 45 * 86_400_000;
/** The maximum size of the names and ids of a row. */
const NAMES_CHARACTERS = 10_000;

/** Stores the text of a call. `hook` is null for a call with a key. Fails while the bucket is unavailable. */
export async function storeText(
  env: Env,
  { tenant, hook, headers }: Pick<HookItem, "tenant" | "hook" | "headers">,
  text: CallText,
): Promise<Result<HookItem["text"]>> {
  const json = JSON.stringify(text);
  const room = MAX_ITEM_CHARACTERS - NAMES_CHARACTERS - JSON.stringify(headers).length;
  if (json.length <= room) return ok(text);
  const prefix = `${getTextPrefix(tenant, hook ?? "keyed")}${crypto.randomUUID()}/`;
  const key = `${prefix}${TEXT_NAME}`;
  const put = await blobsFromEnv(env).put(key, new TextEncoder().encode(json));
  if (!put.ok) return put;
  await forgetOldBlobsFromEnv(env, {
    prefix: getTextPrefix(tenant, hook ?? "keyed"),
    key,
    retentionMs: TEXT_LIFETIME_MS,
  });
  return ok({ prefix });
}

/** Returns the text of a call; `not_found` if it was deleted. */
export async function readText(env: Env, text: HookItem["text"]): Promise<Result<CallText>> {
  if (!("prefix" in text)) return ok(text);
  const got = await blobsFromEnv(env).get(`${text.prefix}${TEXT_NAME}`);
  return got.ok ? ok(JSON.parse(new TextDecoder().decode(got.value)) as CallText) : got;
}

/** Deletes a text in the bucket. */
export async function deleteText(env: Env, text: HookItem["text"]): Promise<void> {
  if ("prefix" in text) await blobsFromEnv(env).erase(text.prefix);
}

/** Deletes the texts of all calls of a hook. */
export async function deleteTexts(env: Env, tenant: string, hook: string): Promise<void> {
  while (!(await blobsFromEnv(env).erase(getTextPrefix(tenant, hook))));
}

export function toBody(item: HookItem): JsonState {
  return { ...item };
}

export function fromBody(body: JsonState): HookItem {
  return body as unknown as HookItem;
}

function getTextPrefix(tenant: string, owner: string): string {
  return `${tenant}/webhooks/${owner}/`;
}
