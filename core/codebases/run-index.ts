/**
 * One attempt to index a codebase. It may end at any point: what it added stays invisible, and the next attempt begins again with
 * the files that are visible.
 */
import { ERRORS, type Failure } from "../base/errors.ts";
import type { ItemOutcome } from "../channels/inbox/inbox.ts";
import type { CodebaseTable, CodeReader, ReadCodebase } from "../ports/codebases.ts";
import type { Codebase } from "./codebase.ts";
import { toVectorMark } from "../knowledge/vector-mark.ts";
import { type ChunkEmbedDeps, deleteVectors, embedChunks } from "./embed-chunks.ts";
import { removeOldCode } from "./remove-old.ts";

/** A request whose attempts all failed for this long is given up. */
const GIVE_UP_MS = 30 * 60_000;
/** From the start of an attempt: then what has no vector yet is left for the next one. */
const EMBED_UNTIL_MS = 6 * 60_000;
const LOST = "The connection to the sidecar was lost while the codebase was read.";

export interface IndexDeps extends ChunkEmbedDeps {
  readonly table: CodebaseTable;
  readonly reader: CodeReader;
}

export interface IndexRequest {
  readonly tenant: string;
  readonly codebase: string;
  /** The last attempt when it was requested: a later one has read what was there. Null: unknown. */
  readonly after: number | null;
  readonly receivedAt: number;
  readonly signal: AbortSignal;
}

export async function runIndex(deps: IndexDeps, request: IndexRequest): Promise<ItemOutcome> {
  const { table, reader, now } = deps;
  const { tenant, codebase: id, signal } = request;
  const startedAt = now();
  const found = await table.get(tenant, id);
  if (!found.ok && found.error.code === "not_found") return await removeAll(deps, request);
  if (!found.ok) return later(found.error);
  const mark = toVectorMark(deps.embedder.model, "code");
  if (isServed(found.value, request, mark)) return SERVED;
  const begun = await table.begin(tenant, id, startedAt);
  if (!begun.ok) return later(begun.error);
  const { build, codebase } = begun.value;
  const known = await table.known(tenant, id);
  if (!known.ok) return later(known.error);
  const read = await reader.read({ source: codebase.source, known: known.value, signal });
  if (!read.ok) return await endFailed(deps, request, build, read.error);
  const stored = await store(deps, request, build, read.value);
  if (stored !== null) return stored;
  const { commit, deleted, skipped, changed } = read.value.facts;
  const embedded = await embedChunks(deps, tenant, { codebase: id, build, deleted }, startedAt + EMBED_UNTIL_MS);
  const published = await table.publish(tenant, id, build, { commit, deleted, skipped, mark, at: now() });
  if (!published.ok) return later(published.error);
  if (!published.value) return await endReplaced(deps, request, build);
  // What is left is deleted after the next attempt. Vectors that no search uses would count for other codebases.
  await removeOldCode(deps, tenant, id);
  if (embedded.isOverLimit) {
    const unused = await deleteVectors(deps, tenant, id);
    if (!unused.ok && now() - request.receivedAt < GIVE_UP_MS) return later(unused.error);
    if (unused.ok && !unused.value) return { kind: "later", afterMs: 1_000, why: "More of its vectors are deleted." };
  }
  if (embedded.isCut) return { kind: "later", afterMs: 1_000, why: "More of its chunks get vectors." };
  if (embedded.failure !== undefined && mayPass(deps, request, embedded.failure)) return later(embedded.failure);
  const rest = embedded.why === null ? "" : ` It is found by names and words alone: ${embedded.why}`;
  return { kind: "done", note: `${changed} files were indexed, ${deleted.length} removed.${rest}` };
}

/** True if an attempt that began after the request has read all of it. */
function isServed({ published, embedder }: Codebase, { after }: IndexRequest, mark: string): boolean {
  return after !== null && published !== null && published > after && embedder === mark;
}

const SERVED: ItemOutcome = { kind: "done", note: "An index that began later has read it already." };
const RESTORED = "The database was restored while the codebase was indexed.";
const REPLACED: ItemOutcome = { kind: "done", note: "A later attempt replaced this one." };

/** A row that has not counted this attempt was restored from a backup: no later attempt replaced this one. */
async function endReplaced(
  { table }: IndexDeps,
  { tenant, codebase }: IndexRequest,
  build: number,
): Promise<ItemOutcome> {
  const found = await table.get(tenant, codebase);
  if (!found.ok && found.error.code !== "not_found") return later(found.error);
  if (found.ok && found.value.builds <= build) return { kind: "later", afterMs: 0, why: RESTORED };
  return REPLACED;
}

/** Null when every part is stored. */
async function store(
  deps: IndexDeps,
  request: IndexRequest,
  build: number,
  { parts }: ReadCodebase,
): Promise<ItemOutcome | null> {
  const { tenant, codebase } = request;
  try {
    for await (const files of parts) {
      const added = await deps.table.add(tenant, codebase, build, files);
      if (!added.ok) return later(added.error);
      if (!added.value) return await endReplaced(deps, request, build);
    }
    return null;
  } catch {
    return { kind: "later", afterMs: 0, why: LOST };
  }
}

/** True if a repeat of the request may succeed, and it is not too old for one. */
function mayPass(
  { now }: Pick<IndexDeps, "now">,
  { receivedAt }: IndexRequest,
  { code, retryAfterMs }: Failure,
): boolean {
  const isPassing = code === "rate_limited" || (code === "upstream_failed" && retryAfterMs !== undefined);
  return isPassing && ERRORS[code].retry === "later" && now() - receivedAt < GIVE_UP_MS;
}

async function endFailed(
  deps: IndexDeps,
  request: IndexRequest,
  build: number,
  failure: Failure,
): Promise<ItemOutcome> {
  const { table, now } = deps;
  const { tenant, codebase } = request;
  if (mayPass(deps, request, failure)) return later(failure);
  const ended = await table.fail(tenant, codebase, build, failure.message, now());
  return ended.ok ? { kind: "done", note: `failed: ${failure.message}` } : later(ended.error);
}

/** Deletes what a deleted codebase left. */
async function removeAll(deps: IndexDeps, { tenant, codebase }: IndexRequest): Promise<ItemOutcome> {
  const removed = await removeOldCode(deps, tenant, codebase);
  if (!removed.ok) return later(removed.error);
  if (removed.value) return { kind: "done", note: "The codebase was deleted." };
  return { kind: "later", afterMs: 1_000, why: "More of the deleted codebase is left." };
}

function later({ message, retryAfterMs = 0 }: Failure): ItemOutcome {
  return { kind: "later", afterMs: retryAfterMs, why: message };
}
