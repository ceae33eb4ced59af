/**
 * What a search takes in the embedded database, beside two floors: comparing all vectors in this process, and a statement
 * that reads nothing. Recall is against that comparison of all.
 */
import { openDatabase } from "../../adapters/database/database.ts";
import { hashingEmbedder } from "../../adapters/embeddings/hashing.ts";
import { openMemory } from "../../adapters/memory/store.ts";
import { openPgvector } from "../../adapters/vectors/pgvector.ts";
import type { Database } from "../../core/ports/database.ts";
import type { Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import type { NewMemory } from "../../core/memory/memory.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import { quantile } from "../../test/drill/random.ts";
import { TENANT } from "../../core/provenance/label.ts";

const FILL_BATCH = 500;
const WARM_UP = 10;
const QUERIES = 60;
const LIMIT = 10;
const WORDS = (
  "river stone deploy invoice meeting customer database latency green coffee train window budget report signal " +
  "error holiday team garden letter music planet ticket server cloud python schedule market price lemon bridge candle"
).split(" ");

/** Of one size; times in milliseconds. */
export interface SearchSpeed {
  readonly entries: number;
  readonly search: readonly number[];
  readonly vectors: readonly number[];
  readonly inProcess: readonly number[];
  readonly nothing: readonly number[];
  /** Of the ten nearest, the share that the search gives. */
  readonly recall: number;
}

/** Fills a database of its own with so many memories of one tenant and measures it. */
export async function measureSearch(entries: number, say: (line: string) => void): Promise<SearchSpeed> {
  const server = await startTestDatabase();
  try {
    const database = openDatabase(server.url, server.endpoint);
    const vectors = openPgvector(server.url, server.endpoint);
    const embedder = hashingEmbedder();
    const store = openMemory({ database, vectors, embedder });
    const { signal } = new AbortController();
    const tenant = await makeTenant(database);
    const kept: { id: string; values: Float32Array }[] = [];
    for (let start = 0; start < entries; start += FILL_BATCH) {
      const some = Array.from({ length: Math.min(FILL_BATCH, entries - start) }, (_, at) => memoryOf(start + at));
      valueOf(await store.save(tenant, some, null, signal));
      const values = valueOf(
        await embedder.embed(
          some.map(({ content }) => content),
          signal,
        ),
      );
      some.forEach(({ id }, at) => kept.push({ id, values: values[at] ?? new Float32Array() }));
      if (start > 0 && start % 10_000 === 0) say(`${start} of ${entries} entries are kept`);
    }
    const times = { search: [], vectors: [], inProcess: [], nothing: [] } as Record<string, number[]>;
    let [same, wanted] = [0, 0];
    for (let round = -WARM_UP; round < QUERIES; round += 1) {
      const query = textOf(entries * 2 + round, 6);
      const [values = new Float32Array()] = valueOf(await embedder.embed([query], signal));
      const note = (name: string, took: number) => void (round >= 0 && times[name]?.push(took));
      const nearest = timed(
        (took) => note("inProcess", took),
        () => bruteForce(kept, values),
      );
      const asked = {
        query,
        scope: null,
        kind: null,
        tag: null,
        withOutside: true,
        limit: LIMIT,
        tagBoost: 0,
        minScore: -1,
      };
      const found = await timedAsync(
        (took) => note("search", took),
        () => store.search(tenant, asked, signal),
      );
      const near = { values, scope: null, collection: "memory" as const, kind: null, limit: LIMIT, among: null };
      await timedAsync(
        (took) => note("vectors", took),
        () => vectors.query(tenant, embedder.model, near),
      );
      await timedAsync(
        (took) => note("nothing", took),
        () => database.memories.some(tenant, [], 1),
      );
      const scores = valueOf(found).map(({ similarity }) => similarity);
      const least = nearest.at(-1)?.score ?? 0;
      // By scores: equal ones are in no order.
      same += scores.filter((score) => score >= least - 1e-5).length;
      wanted += nearest.length;
    }
    return { entries, recall: same / wanted, ...times } as unknown as SearchSpeed;
  } finally {
    await server.close();
  }
}

/** The table in Markdown: medians, and the 95th percentile of a search. */
export function tableOfSpeeds(speeds: readonly SearchSpeed[]): string {
  const at = (values: readonly number[], share: number) => quantile(values, share).toFixed(1);
  return [
    "| entries | search, ms (p50) | p95 | of it, the vectors | all vectors in this process | a statement that reads nothing | recall@10 |",
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...speeds.map(
      ({ entries, search, vectors, inProcess, nothing, recall }) =>
        `| ${entries} | ${at(search, 0.5)} | ${at(search, 0.95)} | ${at(vectors, 0.5)} | ${at(inProcess, 0.5)} | ${at(nothing, 0.5)} | ${recall.toFixed(3)} |`,
    ),
  ].join("\n");
}

function bruteForce(kept: readonly { id: string; values: Float32Array }[], asked: Float32Array) {
  const scored = kept.map(({ id, values }) => {
    let score = 0;
    for (let i = 0; i < asked.length; i += 1) score += (asked[i] ?? 0) * (values[i] ?? 0);
    return { id, score };
  });
  return scored.sort((a, b) => b.score - a.score).slice(0, LIMIT);
}

function memoryOf(index: number): NewMemory {
  const content = `${index}: ${textOf(index, 24)}`;
  const made = { id: newId("memory"), project: null, kind: "note", content, sourceTask: null } as const;
  return { ...made, label: TENANT, tags: index % 40 === 0 ? [wordOf(index)] : [], author: "bench", createdAt: index };
}

function textOf(seed: number, words: number): string {
  return Array.from({ length: words }, (_, at) => wordOf(seed * 31 + at * at * 7)).join(" ");
}

/** Always the same word for a number; numbers that are near give words that are not. */
function wordOf(seed: number): string {
  const mixed = Math.imul(Math.imul(seed + 1, 0x9e3779b1) ^ (seed >>> 3), 0x85ebca6b) >>> 0;
  return `${WORDS[mixed % WORDS.length]}${(mixed >>> 8) % 9 === 0 ? (mixed >>> 12) % 50 : ""}`;
}

function timed<T>(note: (ms: number) => void, work: () => T): T {
  const started = performance.now();
  const value = work();
  note(performance.now() - started);
  return value;
}

async function timedAsync<T>(note: (ms: number) => void, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const value = await work();
  note(performance.now() - started);
  return value;
}

async function makeTenant(database: Database): Promise<string> {
  const id = newId("tenant");
  const key = { id: newId("key"), tenant: id, name: "bench", scopes: ["admin"], createdAt: 1 } as const;
  const unbound = { projects: null, agents: null, person: null };
  const record = { ...key, ...unbound, createdBy: "operator", expiresAt: null, revokedAt: null };
  const act = { id: newId("audit"), at: 1, actor: "operator", action: "tenant.create", target: id } as const;
  const made = { ...act, requestId: "req_bench" };
  const tenant = { id, name: "bench", createdAt: 1 };
  valueOf(await database.tenants.create(tenant, { key: record, hash: "b".repeat(64) }, made));
  return id;
}

function newId(kind: "memory" | "tenant" | "key" | "audit"): string {
  return makeId(kind, 1, crypto.getRandomValues(new Uint8Array(10)));
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok)
    throw new Error(`${result.error.code}: ${result.error.message} ${JSON.stringify(result.error.details)}`);
  return result.value;
}
