/** Stores an authenticated call in its inbox, which then creates its task. */
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { raise } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { CallText } from "../../../core/channels/webhooks/hook-call.ts";
import { getHookInboxName } from "../../../core/channels/webhooks/hook.ts";
import { unwrap } from "../../http/unwrap.ts";
import { deleteText, type HookItem, makeItemId, storeText, toBody } from "./hook-item.ts";

/** A call with its sender's name of the delivery, and its event. */
export interface ArrivedCall extends Omit<HookItem, "text"> {
  readonly text: CallText;
  readonly name: string;
  readonly event: string;
  /** True: the calls of this inbox are processed one after another. */
  readonly isOrdered?: boolean;
}

/** Returns the id of the message: the same for each attempt of a delivery. Raises `rate_limited` for too many calls. */
export async function takeCall(env: Env, call: ArrivedCall): Promise<string> {
  const { name, event, text, isOrdered = false, ...item } = call;
  const inbox = getHookInboxName(item.hook ?? item.tenant);
  const id = await makeItemId(inbox, name);
  const receivedAt = Date.now();
  const stored = unwrap(await storeText(env, item, text));
  const { isNew, retryAfterMs } = await inboxesFromEnv(env)(inbox).take({
    id,
    lane: isOrdered ? inbox : id,
    kind: event,
    body: toBody({ ...item, text: stored }),
    receivedAt,
    repeatId: makeId("message", receivedAt, crypto.getRandomValues(new Uint8Array(10))),
  });
  if (!isNew) await deleteText(env, stored);
  if (retryAfterMs !== undefined)
    raise("rate_limited", "This hook was called too often. Wait for the time in Retry-After.", { retryAfterMs });
  return id;
}
