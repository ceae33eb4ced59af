/**
 * The sweep's work for documents: versions whose item was lost or given up, what is left of removed ones, and pieces without
 * a vector of the current model.
 */
import { blobsFromEnv } from "../../adapters/env/files.ts";
import { inboxesFromEnv } from "../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { embedderFromEnv, vectorsFromEnv } from "../../adapters/env/memory.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError } from "../../core/base/errors.ts";
import { cleanDocument } from "../../core/knowledge/clean.ts";
import { embedTexts } from "../../core/knowledge/embed.ts";
import { toVectorMark } from "../../core/knowledge/vector-mark.ts";
import { getIngestInbox, getReadItemId, toCleanItem, toReadItem } from "../../core/knowledge/ingest-item.ts";
import type { VersionPlace } from "../../core/ports/knowledge.ts";
import { MAX_EMBEDDED_TEXTS } from "../../core/ports/vectors.ts";
import { unwrap } from "../http/unwrap.ts";
import { attempt } from "../sweep/attempt.ts";
import { attemptEach } from "../sweep/attempt-each.ts";

/** Longer than an attempt of the inbox and its longest pause. */
const SILENT_MS = 5 * 60_000;
const MAX_FOUND = 100;
const AT_ONCE = 5;
const RUN_MS = 20_000;
const HOUR_MS = 3_600_000;
/** Pieces that one run embeds after a change of the model. */
const MAX_EMBEDDED = 1_000;
const EMBED_MS = 30_000;
/** Documents of an erased tenant that one run removes. */
const MAX_ERASED = 100;

const GIVEN_UP = {
  code: "internal",
  message: "Reading the document failed many times. Read it again, or report it.",
} as const;

/** Never throws. `now` is in milliseconds since the epoch. */
export async function sweepKnowledge(env: Env, now: number): Promise<void> {
  await attempt("waking documents", () => wakeDocuments(env, now));
  await attempt("removing documents", () => removeLeftovers(env, now));
  await attempt("embedding documents", () => embedPending(env));
}

async function wakeDocuments(env: Env, now: number): Promise<void> {
  const open = unwrap(await databaseFromEnv(env).knowledge.openSince(now - SILENT_MS, MAX_FOUND));
  const limits = { atOnce: AT_ONCE, until: Date.now() + RUN_MS };
  await attemptEach(
    open,
    limits,
    ({ document }) => `waking ${document}`,
    ({ tenant, ...place }) => wakeVersion(env, tenant, place, now),
  );
}

/** A lost item is replaced once an hour; a dead one ends the version. */
async function wakeVersion(env: Env, tenant: string, place: VersionPlace, now: number): Promise<void> {
  const inbox = inboxesFromEnv(env)(getIngestInbox(tenant));
  const repeat = String(Math.floor(now / HOUR_MS));
  for (const item of [toReadItem(place, now), toReadItem(place, now, repeat)]) {
    const state = await inbox.stateOf(item.id, 0);
    if (state === "waiting") return await inbox.poke();
    if (state === "dead") return void unwrap(await databaseFromEnv(env).knowledge.fail(tenant, place, GIVEN_UP, now));
    if (state === null) return void (await inbox.take(item));
  }
  console.error("a document waits although its item has ended", tenant, getReadItemId(place));
}

/** In the document's queue, so that nothing is removed while it is read. */
async function removeLeftovers(env: Env, now: number): Promise<void> {
  const unclean = unwrap(await databaseFromEnv(env).knowledge.unclean(now - SILENT_MS, MAX_FOUND));
  const limits = { atOnce: AT_ONCE, until: Date.now() + RUN_MS };
  await attemptEach(
    unclean,
    limits,
    ({ document }) => `cleaning ${document}`,
    async ({ tenant, document }) =>
      await inboxesFromEnv(env)(getIngestInbox(tenant)).take(
        toCleanItem(document, now, String(Math.floor(now / SILENT_MS))),
      ),
  );
}

async function embedPending(env: Env): Promise<void> {
  const { knowledge } = databaseFromEnv(env);
  const [embedder, vectors] = [embedderFromEnv(env), vectorsFromEnv(env)];
  const signal = AbortSignal.timeout(EMBED_MS);
  const open = unwrap(await knowledge.toEmbed(toVectorMark(embedder.model, "knowledge"), MAX_EMBEDDED));
  for (const [tenant, ids] of Map.groupBy(open, (one) => one.tenant)) {
    for (let start = 0; start < ids.length; start += MAX_EMBEDDED_TEXTS) {
      const some = ids.slice(start, start + MAX_EMBEDDED_TEXTS).map(({ id }) => id);
      const pieces = unwrap(await knowledge.readToEmbed(tenant, some));
      const deps = { tenant, collection: "knowledge", rows: knowledge, embedder, vectors } as const;
      const failure = await embedTexts(deps, pieces, signal);
      if (failure !== null) throw new OttoError(failure);
    }
  }
}

/** Removes a bounded part of an erased tenant's documents. True when nothing is left. Their files are erased elsewhere. */
export async function eraseKnowledge(env: Env, tenant: string, now: number): Promise<boolean> {
  const { knowledge } = databaseFromEnv(env);
  await inboxesFromEnv(env)(getIngestInbox(tenant)).erase();
  const left = unwrap(await knowledge.deleteScope(tenant, null, now));
  const deps = { tenant, knowledge, vectors: vectorsFromEnv(env), blobs: blobsFromEnv(env) };
  let removed = 0;
  for (const document of left.slice(0, MAX_ERASED)) if (unwrap(await cleanDocument(deps, document))) removed += 1;
  return removed === left.length;
}
