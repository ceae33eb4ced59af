/**
 * One attempt to index a codebase. It may end at any point: what it added stays invisible, and the next attempt begins again with
 * the files that are visible.
 */
import { ERRORS, type Failure } from "../base/errors.ts";
import type { ItemOutcome } from "../channels/inbox/inbox.ts";
import type { CodebaseTable, CodeReader, ReadCodebase } from "../ports/codebases.ts";

/** A request whose attempts all failed for this long is given up. */
const GIVE_UP_MS = 30 * 60_000;
/** Files of earlier attempts that one attempt deletes, in batches. */
const OLD_FILES = 500;
const OLD_BATCHES = 40;
const LOST = "The connection to the sidecar was lost while the codebase was read.";

export interface IndexDeps {
  readonly table: CodebaseTable;
  readonly reader: CodeReader;
  readonly now: () => number;
}

export interface IndexRequest {
  readonly tenant: string;
  readonly codebase: string;
  readonly receivedAt: number;
  readonly signal: AbortSignal;
}

export async function runIndex(deps: IndexDeps, request: IndexRequest): Promise<ItemOutcome> {
  const { table, reader, now } = deps;
  const { tenant, codebase: id, signal } = request;
  const begun = await table.begin(tenant, id, now());
  if (!begun.ok && begun.error.code === "not_found") return await removeAll(deps, request);
  if (!begun.ok) return later(begun.error);
  const { build, codebase } = begun.value;
  const known = await table.known(tenant, id);
  if (!known.ok) return later(known.error);
  const read = await reader.read({ source: codebase.source, known: known.value, signal });
  if (!read.ok) return await endFailed(deps, request, build, read.error);
  const stored = await store(deps, request, build, read.value);
  if (stored !== null) return stored;
  const { commit, deleted, skipped, changed } = read.value.facts;
  const published = await table.publish(tenant, id, build, { commit, deleted, skipped, at: now() });
  if (!published.ok) return later(published.error);
  if (!published.value) return REPLACED;
  await removeOld(deps, request);
  return { kind: "done", note: `${changed} files were indexed, ${deleted.length} removed.` };
}

const REPLACED: ItemOutcome = { kind: "done", note: "A later attempt replaced this one." };

/** Null when every part is stored. */
async function store(
  { table }: IndexDeps,
  { tenant, codebase }: IndexRequest,
  build: number,
  { parts }: ReadCodebase,
): Promise<ItemOutcome | null> {
  try {
    for await (const files of parts) {
      const added = await table.add(tenant, codebase, build, files);
      if (!added.ok) return later(added.error);
      if (!added.value) return REPLACED;
    }
    return null;
  } catch {
    return { kind: "later", afterMs: 0, why: LOST };
  }
}

async function endFailed(
  { table, now }: IndexDeps,
  { tenant, codebase, receivedAt }: IndexRequest,
  build: number,
  failure: Failure,
): Promise<ItemOutcome> {
  const isPassing =
    failure.code === "rate_limited" || (failure.code === "upstream_failed" && failure.retryAfterMs !== undefined);
  if (isPassing && ERRORS[failure.code].retry === "later" && now() - receivedAt < GIVE_UP_MS) return later(failure);
  const ended = await table.fail(tenant, codebase, build, failure.message, now());
  return ended.ok ? { kind: "done", note: `failed: ${failure.message}` } : later(ended.error);
}

/** Deletes what a deleted codebase left. */
async function removeAll({ table }: IndexDeps, { tenant, codebase }: IndexRequest): Promise<ItemOutcome> {
  for (let batch = 0; batch < OLD_BATCHES; batch += 1) {
    const removed = await table.removeOld(tenant, codebase, OLD_FILES);
    if (!removed.ok) return later(removed.error);
    if (removed.value) return { kind: "done", note: "The codebase was deleted." };
  }
  return { kind: "later", afterMs: 1_000, why: "More of the deleted codebase is left." };
}

/** What is left is deleted after the next attempt. */
async function removeOld({ table }: IndexDeps, { tenant, codebase }: IndexRequest): Promise<void> {
  for (let batch = 0; batch < OLD_BATCHES; batch += 1) {
    const removed = await table.removeOld(tenant, codebase, OLD_FILES);
    if (!removed.ok || removed.value) return;
  }
}

function later({ message, retryAfterMs = 0 }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs, why: message };
}
