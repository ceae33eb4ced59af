/** A push that a hook received: the codebases of its repository and ref are indexed again. */
import type { Env } from "../../adapters/env/bindings.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { OttoError } from "../../core/base/errors.ts";
import type { ItemOutcome } from "../../core/channels/inbox/inbox.ts";
import { isOfPush, readPush } from "../../core/codebases/push.ts";
import { requestJoinedIndex } from "./request-index.ts";

/** A received payload. `item` is its id in the hook's inbox, `event` the sender's name of what it is. */
interface ReceivedPayload {
  readonly item: string;
  readonly payload: unknown;
  readonly event: string;
}

export async function receivePush(
  env: Env,
  tenant: string,
  { item, payload, event }: ReceivedPayload,
): Promise<ItemOutcome> {
  const push = readPush(payload);
  if (push === null) return { kind: "refused", why: `The hook indexes codebases on pushes; this is ${event}.` };
  if (push.isDeletion) return { kind: "refused", why: `The push deleted ${push.ref}.` };
  const all = await databaseFromEnv(env).codebases.all(tenant);
  if (!all.ok) return { kind: "later", afterMs: all.error.retryAfterMs ?? 0, why: all.error.message };
  const pushed = all.value.filter(({ source }) => isOfPush(source, push));
  if (pushed.length === 0) return { kind: "refused", why: `No codebase is read from ${push.ref} of this repository.` };
  try {
    for (const codebase of pushed) await requestJoinedIndex(env, tenant, codebase, item);
  } catch (thrown) {
    if (!(thrown instanceof OttoError)) throw thrown;
    return { kind: "later", afterMs: thrown.failure.retryAfterMs ?? 0, why: thrown.failure.message };
  }
  // By id: calls of hooks are shown to keys that may not read codebases.
  return { kind: "done", note: `Indexes ${pushed.map(({ id }) => id).join(", ")} again.` };
}
