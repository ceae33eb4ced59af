/** Memories in the database, found by vectors: implements `core/ports/memory-store.ts`. */
import type { Database } from "../../core/ports/database.ts";
import type { EmbeddedSummaries, MemoryTable, ReadMemory } from "../../core/ports/memory-tables.ts";
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { getIdentityHash, type Memory, type MemoryKind, type NewMemory } from "../../core/memory/memory.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import { matchTags, type MemoryHit, rankHits } from "../../core/memory/rank.ts";
import type { MemorySearch, MemoryStore } from "../../core/ports/memory-store.ts";
import { listWords } from "../../core/memory/words.ts";
import {
  type EmbedderPort,
  MAX_EMBEDDED_TEXTS,
  type StoredVector,
  type VectorsPort,
} from "../../core/ports/vectors.ts";

/** Additional neighbours per search: vectors of deleted memories may remain. */
const EXTRA_NEAREST = 10;
/** The factor for a search without memories from outside, and the most neighbours that the index returns. */
const OUTSIDE_FACTOR = 4;
const MAX_NEAREST = 100;
/** Memories that are candidates for their tags, and those whose tags are read to find them. */
const MAX_TAGGED = 100;
const MAX_READ_TAGS = 500;
/** A text that every model accepts: if it fails too, the server is misconfigured. */
const PROBE = "hello";
/** Memories per deletion. */
const ERASE_BATCH = 500;

export interface MemoryParts {
  readonly database: Pick<Database, "memories">;
  readonly vectors: VectorsPort;
  readonly embedder: EmbedderPort;
}

export function openMemory(parts: MemoryParts): MemoryStore {
  const { database, vectors, embedder } = parts;
  const { memories } = database;
  return {
    embedder: embedder.model,
    search: (tenant, search, signal) => searchMemories(parts, tenant, search, signal),

    async save(tenant, given, act, signal) {
      const hashed = await Promise.all(
        given.map(async (memory) => ({ ...memory, contentHash: await getIdentityHash(memory) })),
      );
      const kept = await memories.save(tenant, hashed, act);
      if (!kept.ok) return kept;
      const embedded = await embedStored(parts, tenant, kept.value, signal);
      const ids = new Set(given.map(({ id }) => id));
      return ok(
        kept.value.map((memory) => ({ memory: toMemory(memory, embedded, embedder.model), isNew: ids.has(memory.id) })),
      );
    },

    saveSummaries: (tenant, given, signal) => saveSummaries(parts, tenant, given, signal),

    async update(tenant, change, act, signal) {
      const { id, label, content, tags } = change;
      const changed = await memories.update(
        tenant,
        { id, label, content, tags, contentHash: await getIdentityHash(change) },
        act,
      );
      if (!changed.ok) return changed;
      const embedded = await embedStored(parts, tenant, [changed.value], signal);
      return ok(toMemory(changed.value, embedded, embedder.model));
    },

    async delete(tenant, id, act) {
      const gone = await memories.delete(tenant, id, act);
      if (gone.ok) await deleteVectors(vectors, tenant, [id]);
      return gone;
    },

    async remove(tenant, ids) {
      const removed = await memories.remove(tenant, ids);
      return removed.ok ? await vectors.delete(tenant, ids) : removed;
    },

    async erase(tenant, scope) {
      const some = await memories.some(tenant, scope, ERASE_BATCH);
      if (!some.ok) return some;
      // The vectors first: their ids are only in the rows.
      const forgotten = await vectors.delete(tenant, some.value);
      if (!forgotten.ok) return forgotten;
      const removed = await memories.remove(tenant, some.value);
      return removed.ok ? ok(some.value.length < ERASE_BATCH) : removed;
    },

    embedPending: (limit, signal) => embedPending(parts, limit, signal),
  };
}

/**
 * Finds the nearest notes, the nearest summaries, and the memories with a tag of the query. The result is among them: a
 * memory without such a tag has to be among the nearest of its kind. The database checks what may be read.
 */
async function searchMemories(
  { database, vectors, embedder }: MemoryParts,
  tenant: string,
  search: MemorySearch,
  signal: AbortSignal,
): Promise<Result<readonly MemoryHit[]>> {
  const { query, scope, kind, tag, withOutside } = search;
  const { memories } = database;
  const embedded = await embedder.embed([query], signal);
  if (!embedded.ok) return embedded;
  const [values] = embedded.value;
  if (values === undefined) return ok([]);
  const ask = (among: readonly string[] | null, limit: number, of: MemoryKind | null) =>
    vectors.query(tenant, embedder.model, { values, scope, collection: "memory", kind: of, limit, among });
  const [notes, summaries, tagged] = await Promise.all([
    // Also for summaries alone: one from an earlier release may be among the notes.
    tag === null ? ask(null, countNearest(search), "note") : ok([]),
    tag === null && kind !== "note" ? ask(null, countNearest(search), "summary") : ok([]),
    findTagged(memories, tenant, search),
  ]);
  if (!notes.ok) return notes;
  if (!summaries.ok) return summaries;
  if (!tagged.ok) return tagged;
  const near = [...notes.value, ...summaries.value];
  const known = new Set(near.map(({ id }) => id));
  const others = tagged.value.filter((id) => !known.has(id));
  const more = others.length === 0 ? ok([]) : await ask(others, others.length, null);
  if (!more.ok) return more;
  // A tag finds a memory that has no vector yet.
  const unknown = others.map((id) => ({ id, score: 0 }));
  const similarities = new Map([...unknown, ...near, ...more.value].map(({ id, score }) => [id, score]));
  const read = await memories.read(tenant, scope, selectCandidates(similarities, new Set(tagged.value), search));
  if (!read.ok) return read;
  const wanted = read.value.filter((one) => matchesKind(one, kind) && (withOutside || one.label !== OUTSIDE));
  const found = wanted.map((memory) => {
    return { memory: removeHash(memory), similarity: similarities.get(memory.id) ?? 0 };
  });
  // Among the memories of a tag, the query only ranks.
  return ok(rankHits(found, query, tag === null ? search : { ...search, minScore: -1 }));
}

/** The ids of memories with the tag of the filter, or with a tag of the query, those with most of its tags first. */
async function findTagged(
  memories: MemoryTable,
  tenant: string,
  { query, scope, kind, tag, withOutside }: MemorySearch,
): Promise<Result<readonly string[]>> {
  const words = tag === null ? listWords([query]) : null;
  const limit = words === null ? MAX_TAGGED : MAX_READ_TAGS;
  const found = await memories.tagged(tenant, { scope, kind, tag, withOutside }, words, limit);
  if (!found.ok) return found;
  if (words === null) return ok(found.value.map(({ id }) => id));
  const inQuery = new Set(words);
  const matching = found.value
    .map(({ id, tags }) => ({ id, matches: matchTags(tags, inQuery).length }))
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => b.matches - a.matches);
  return ok(matching.slice(0, MAX_TAGGED).map(({ id }) => id));
}

function matchesKind(memory: Memory, kind: MemoryKind | null): boolean {
  return kind === null || memory.kind === kind;
}

/** Vectors have no label, so a search without memories from outside reads more neighbours. */
function countNearest({ limit, withOutside }: MemorySearch): number {
  return Math.min(MAX_NEAREST, limit * (withOutside ? 1 : OUTSIDE_FACTOR) + EXTRA_NEAREST);
}

/** Returns the ids that can be in the result: without a matching tag, the similarity alone has to reach the cut-off. */
function selectCandidates(
  similarities: ReadonlyMap<string, number>,
  tagged: ReadonlySet<string>,
  { minScore }: MemorySearch,
): string[] {
  return [...similarities].flatMap(([id, similarity]) => (tagged.has(id) || similarity >= minScore ? [id] : []));
}

/** Embeds stored memories that lack a vector, each once. Returns the ids that have one now. */
async function embedStored(
  parts: MemoryParts,
  tenant: string,
  kept: readonly ReadMemory[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { model } = parts.embedder;
  const embedded = new Set(kept.flatMap(({ id, embeddedBy }) => (embeddedBy === model ? [id] : [])));
  const open = [...new Map(kept.map((memory) => [memory.id, memory])).values()].filter(({ id }) => !embedded.has(id));
  for (let start = 0; start < open.length; start += MAX_EMBEDDED_TEXTS) {
    const some = open.slice(start, start + MAX_EMBEDDED_TEXTS);
    const failure = await embedBatch(parts, tenant, some, signal);
    if (failure === null) for (const { id } of some) embedded.add(id);
    else console.error("memories could not be embedded", tenant, failure.code, failure.details);
  }
  return embedded;
}

/**
 * Saves summaries with their vectors in one statement; an index gets the vectors before it. Without vectors, as when the
 * embedding server is unavailable, the sweep adds them.
 */
async function saveSummaries(
  parts: MemoryParts,
  tenant: string,
  given: readonly NewMemory[],
  signal: AbortSignal,
): Promise<Result<void>> {
  if (given.length === 0) return ok(undefined);
  const { database, vectors } = parts;
  const hashed = await Promise.all(
    given.map(async (memory) => ({ ...memory, contentHash: await getIdentityHash(memory) })),
  );
  const embedded = await embedSummaries(parts, tenant, given, signal);
  const saved = await database.memories.saveSummaries(tenant, hashed, embedded);
  // A vector that Postgres refuses does not cost the summary.
  if (!saved.ok && embedded !== null && saved.error.code !== "upstream_failed") {
    const again = await database.memories.saveSummaries(tenant, hashed, null);
    return again.ok ? ok(undefined) : again;
  }
  if (!saved.ok) return saved;
  const stored = new Set(saved.value);
  const gone = given.flatMap(({ id }) => (stored.has(id) ? [] : [id]));
  if (vectors.place === "index" && gone.length > 0) await deleteVectors(vectors, tenant, gone);
  return ok(undefined);
}

/** Null when there are no vectors now. */
async function embedSummaries(
  { vectors, embedder }: MemoryParts,
  tenant: string,
  given: readonly NewMemory[],
  signal: AbortSignal,
): Promise<EmbeddedSummaries | null> {
  const contents = given.map(({ content }) => content);
  const embedded = await embedder.embed(contents, signal);
  const stored = embedded.ok ? toStoredVectors(given, embedded.value) : [];
  const written =
    !embedded.ok || vectors.place === "database" ? embedded : await vectors.upsert(tenant, embedder.model, stored);
  if (written.ok) return { model: embedder.model, vectors: vectors.place === "database" ? stored : [] };
  console.error("summaries could not be embedded", tenant, written.error.code, written.error.details);
  return null;
}

function toStoredVectors(
  memories: readonly Pick<Memory, "id" | "project" | "kind">[],
  values: readonly Float32Array[],
): StoredVector[] {
  return memories.flatMap(({ id, project, kind }, index) => {
    const one = values[index];
    return one === undefined ? [] : [{ id, project, collection: "memory" as const, kind, values: one }];
  });
}

/** Embeds one batch: vectors first, then the record. A memory deleted meanwhile leaves no vector. */
async function embedBatch(
  { database, vectors, embedder }: MemoryParts,
  tenant: string,
  some: readonly ReadMemory[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const embedded = await embedder.embed(
    some.map(({ content }) => content),
    signal,
  );
  if (!embedded.ok) return embedded.error;
  const written = await vectors.upsert(tenant, embedder.model, toStoredVectors(some, embedded.value));
  if (!written.ok) return written.error;
  const marked = await database.memories.markEmbedded(tenant, embedder.model, some);
  if (!marked.ok) return marked.error;
  const there = new Set(marked.value);
  const gone = some.flatMap(({ id }) => (there.has(id) ? [] : [id]));
  const forgotten = await vectors.delete(tenant, gone);
  return forgotten.ok ? null : forgotten.error;
}

/**
 * Embeds pending memories of every tenant, for the sweep. A text that the model rejects is recorded as done, so that it
 * is sent once.
 */
async function embedPending(parts: MemoryParts, limit: number, signal: AbortSignal): Promise<Result<number>> {
  const { memories } = parts.database;
  const open = await memories.toEmbed(parts.embedder.model, limit);
  if (!open.ok) return open;
  for (const [tenant, ids] of Map.groupBy(open.value, ({ tenant: whose }) => whose)) {
    for (let start = 0; start < ids.length; start += MAX_EMBEDDED_TEXTS) {
      const some = ids.slice(start, start + MAX_EMBEDDED_TEXTS).map(({ id }) => id);
      const read = await memories.read(tenant, null, some);
      if (!read.ok) return read;
      const failure = await embedOrSkip(parts, memories, tenant, read.value, signal);
      if (failure !== null) return { ok: false, error: failure };
    }
  }
  return ok(open.value.length);
}

async function embedOrSkip(
  parts: MemoryParts,
  memories: MemoryTable,
  tenant: string,
  some: readonly ReadMemory[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const failure = await embedBatch(parts, tenant, some, signal);
  if (failure?.code !== "invalid_input") return failure;
  const [only] = some;
  if (some.length === 1 && only !== undefined) {
    const probed = await parts.embedder.embed([PROBE], signal);
    if (!probed.ok) return probed.error;
    console.error("the embedding model rejects a memory, so no search finds it", tenant, only.id, failure.message);
    const marked = await memories.markEmbedded(tenant, parts.embedder.model, some);
    return marked.ok ? null : marked.error;
  }
  for (const one of some) {
    const again = await embedOrSkip(parts, memories, tenant, [one], signal);
    if (again !== null) return again;
  }
  return null;
}

/** Deletes the vectors of deleted rows. One that remains may be found, but is never read. */
async function deleteVectors(vectors: VectorsPort, tenant: string, ids: readonly string[]): Promise<void> {
  const forgotten = await vectors.delete(tenant, ids);
  if (!forgotten.ok) console.error("a vector of a deleted memory stays", tenant, ids, forgotten.error.code);
}

function toMemory(memory: ReadMemory, embedded: ReadonlySet<string>, model: string): Memory {
  const { id, embeddedBy } = memory;
  return { ...removeHash(memory), embeddedBy: embedded.has(id) ? model : embeddedBy };
}

function removeHash({ contentHash: _, ...memory }: ReadMemory): Memory {
  return memory;
}
