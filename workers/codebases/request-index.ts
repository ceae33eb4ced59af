/** Requests to index a codebase, which the inbox of its tenant works in the background. */
import type { Env } from "../../adapters/env/bindings.ts";
import { inboxesFromEnv } from "../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import type { TakeResult } from "../../core/channels/inbox/inbox.ts";
import { getCodebaseInbox, type IndexOrder, toIndexItem } from "../../core/codebases/inbox-item.ts";
import { takeJoined } from "../../core/codebases/join-request.ts";
import { unwrap } from "../http/unwrap.ts";

/** Raises `rate_limited` if too much waits. A repeat of the request adds nothing. */
export async function requestIndex(env: Env, tenant: string, order: IndexOrder, request: string): Promise<void> {
  const inbox = inboxesFromEnv(env)(getCodebaseInbox(tenant));
  raiseIfFull(await inbox.take(toIndexItem(order, request, Date.now())));
}

/** The same for a push or a schedule, which `request` names: a repeat adds nothing. Requests before the next attempt begins are one. */
export async function requestJoinedIndex(
  env: Env,
  tenant: string,
  { id, builds }: { readonly id: string; readonly builds: number },
  request: string,
): Promise<void> {
  const now = Date.now();
  const inbox = inboxesFromEnv(env)(getCodebaseInbox(tenant));
  raiseIfFull(await takeJoined(inbox, { codebase: id, builds }, { now, unique: request }));
  unwrap(await databaseFromEnv(env).codebases.setQueued(tenant, id, builds, now));
}

function raiseIfFull({ retryAfterMs }: TakeResult): void {
  if (retryAfterMs === undefined) return;
  raise("rate_limited", "Too many codebases wait to be indexed. Index it again later.", { retryAfterMs });
}
