/** The sweep's work for codebases: those that are to be indexed again, and what deleted ones and erased tenants leave. */
import type { Env } from "../../adapters/env/bindings.ts";
import { inboxesFromEnv } from "../../adapters/env/channels.ts";
import { codeIndexFromEnv } from "../../adapters/env/codebases.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { getCodebaseInbox } from "../../core/codebases/inbox-item.ts";
import { findNextReindex } from "../../core/codebases/reindex-rule.ts";
import { removeOldCode } from "../../core/codebases/remove-old.ts";
import type { DueCodebase } from "../../core/ports/codebases.ts";
import { unwrap } from "../http/unwrap.ts";
import { attempt } from "../sweep/attempt.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { requestIndex, requestJoinedIndex } from "./request-index.ts";

const MAX_DUE = 100;
const AT_ONCE = 5;
const RUN_MS = 20_000;
/** A deletion removes its files at once, unless its request was lost. Finding those reads a row for each codebase. */
const CLEAN_EVERY_MS = 3_600_000;
const SWEEP_EVERY_MS = 60_000;
const MAX_DELETED = 1_000;

/** Never throws. `now` is in milliseconds since the epoch. */
export async function sweepCodebases(env: Env, now: number): Promise<void> {
  await attempt("indexing codebases again", () => reindexAllDue(env, now));
  if (now % CLEAN_EVERY_MS < SWEEP_EVERY_MS) await attempt("removing deleted codebases", () => removeDeleted(env, now));
}

async function reindexAllDue(env: Env, now: number): Promise<void> {
  const due = unwrap(await databaseFromEnv(env).codebases.due(now, MAX_DUE));
  const limits = { atOnce: AT_ONCE, until: Date.now() + RUN_MS };
  await attemptEach(
    due,
    limits,
    ({ id }) => `indexing ${id}`,
    (one) => reindexDue(env, one, now),
  );
}

/** In the codebase's queue, so that nothing is removed while an attempt writes. */
async function removeDeleted(env: Env, now: number): Promise<void> {
  const deleted = unwrap(await databaseFromEnv(env).codebases.listDeleted(MAX_DELETED));
  const limits = { atOnce: AT_ONCE, until: Date.now() + RUN_MS };
  const request = `clean/${Math.floor(now / CLEAN_EVERY_MS)}`;
  await attemptEach(
    deleted,
    limits,
    ({ id }) => `removing ${id}`,
    ({ tenant, id }) => requestIndex(env, tenant, { codebase: id, after: null }, request),
  );
}

/** Requests first: after a crash the next run does it again, and the request is one. Missed times are one request. */
async function reindexDue(env: Env, { tenant, dueAt, every, ...codebase }: DueCodebase, now: number): Promise<void> {
  await requestJoinedIndex(env, tenant, codebase, `due/${dueAt}`);
  const next = findNextReindex(every, now);
  const times = { from: dueAt, next: next.ok ? next.value : null };
  unwrap(await databaseFromEnv(env).codebases.setDue(tenant, codebase.id, times));
}

/** Removes a bounded part of an erased tenant's codebases. True when nothing is left. */
export async function eraseCodebases(env: Env, tenant: string): Promise<boolean> {
  await inboxesFromEnv(env)(getCodebaseInbox(tenant)).erase();
  const deps = codeIndexFromEnv(env);
  unwrap(await deps.table.removeAll(tenant));
  return unwrap(await removeOldCode(deps, tenant, null));
}
