/**
 * Vectors in Cloudflare Vectorize: one index for all tenants, with a namespace for each tenant and model. What was written
 * is found some seconds later. https://developers.cloudflare.com/vectorize/reference/client-api/
 */
import { sha256Hex } from "../../core/base/sha256.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import type { StoredVector, VectorsPort } from "../../core/ports/vectors.ts";

/** Of the platform: vectors of one upsert (from a Worker) and ids of one deletion; matches without their values. */
const MAX_BATCH = 1000;
const MAX_MATCHES = 100;
/** Vectors that are read back at once. */
const MAX_READ = 20;
/** How long one call may take. */
const TIMEOUT_MS = 10_000;

/** A vector as the index holds it. */
interface IndexedVector {
  readonly id: string;
  readonly namespace?: string;
  readonly values: Float32Array | Float64Array | number[];
  readonly metadata?: Record<string, string>;
}

/** Lets vectors through by their metadata. A type, as an interface has no index signature. */
type ProjectFilter = { project: { $in: string[] } };

/** What is asked of the binding (`Vectorize` of the runtime's types). */
interface VectorIndex {
  query(
    vector: Float32Array,
    options: {
      topK: number;
      namespace: string;
      returnValues: boolean;
      returnMetadata: "none";
      filter?: ProjectFilter;
    },
  ): Promise<{ readonly matches: readonly { readonly id: string; readonly score: number }[] }>;
  upsert(vectors: IndexedVector[]): Promise<unknown>;
  deleteByIds(ids: string[]): Promise<unknown>;
  getByIds(ids: string[]): Promise<
    readonly {
      readonly id: string;
      readonly namespace?: string;
      readonly values: ArrayLike<number>;
      readonly metadata?: Readonly<Record<string, unknown>>;
    }[]
  >;
}

/**
 * Opens the index that the binding names. Its dimensions and metric (cosine) were fixed when it was made, and it needs a
 * metadata index on the text `project` from before its first vector on.
 */
export function openVectorize(index: VectorIndex): VectorsPort {
  return {
    async upsert(tenant, model, vectors) {
      const namespace = await namespaceOf(tenant, model);
      return await inBatches(vectors, MAX_BATCH, async (some) => {
        await index.upsert(some.map((vector) => asStored(tenant, namespace, vector)));
      });
    },

    async query(tenant, model, { values, scope, limit, among }) {
      const namespace = await namespaceOf(tenant, model);
      if (among !== null) return await scoreThese(index, tenant, namespace, { values, scope, limit, among });
      return await guarded(async () => {
        const { matches } = await index.query(values, {
          topK: Math.min(limit, MAX_MATCHES),
          namespace,
          returnValues: false,
          returnMetadata: "none",
          ...filterOf(scope),
        });
        return matches.flatMap(({ id, score }) => {
          const own = idOf(tenant, id);
          return own === null ? [] : [{ id: own, score }];
        });
      });
    },

    async delete(tenant, ids) {
      return await inBatches(ids, MAX_BATCH, async (some) => {
        await index.deleteByIds(some.map((id) => `${tenant}/${id}`));
      });
    },
  };
}

/** Ids are unique in the whole index, and at most 64 bytes long: the tenant's 30, a slash, the memory's 30. */
function asStored(tenant: string, namespace: string, { id, project, values }: StoredVector): IndexedVector {
  return { id: `${tenant}/${id}`, namespace, values, metadata: { project: project ?? "" } };
}

/** The id of what a vector stands for; null when it is another tenant's. */
function idOf(tenant: string, stored: string): string | null {
  return stored.startsWith(`${tenant}/`) ? stored.slice(tenant.length + 1) : null;
}

/** At most 64 bytes. A model's name may be longer, so its hash stands for it. */
async function namespaceOf(tenant: string, model: string): Promise<string> {
  return `${tenant}/${(await sha256Hex(model)).slice(0, 32)}`;
}

function filterOf(scope: MemoryScope): { filter?: ProjectFilter } {
  return scope === null ? {} : { filter: { project: { $in: scope.map((project) => project ?? "") } } };
}

/** Vectorize cannot search among ids: they are read and compared here. */
async function scoreThese(
  index: VectorIndex,
  tenant: string,
  namespace: string,
  asked: { values: Float32Array; scope: MemoryScope; limit: number; among: readonly string[] },
): Promise<Result<readonly { id: string; score: number }[]>> {
  const names = asked.scope === null ? null : new Set<unknown>(asked.scope.map((project) => project ?? ""));
  const found: { id: string; score: number }[] = [];
  const read = await inBatches(asked.among, MAX_READ, async (some) => {
    for (const { id, namespace: of, values, metadata } of await index.getByIds(some.map((id) => `${tenant}/${id}`))) {
      const own = idOf(tenant, id);
      const isWanted = of === namespace && (names?.has(metadata?.["project"]) ?? true);
      if (own !== null && isWanted && values.length === asked.values.length)
        found.push({ id: own, score: cosine(asked.values, values) });
    }
  });
  return read.ok ? ok(found.sort((a, b) => b.score - a.score).slice(0, asked.limit)) : read;
}

/** Of vectors of length 1. */
function cosine(left: Float32Array, right: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] ?? 0) * (right[i] ?? 0);
  return sum;
}

async function inBatches<T>(
  items: readonly T[],
  size: number,
  send: (some: readonly T[]) => Promise<void>,
): Promise<Result<void>> {
  for (let start = 0; start < items.length; start += size) {
    const sent = await guarded(() => send(items.slice(start, start + size)));
    if (!sent.ok) return sent;
  }
  return ok(undefined);
}

/** What the binding throws, and a call that does not end, is a failure whose text is for operators. */
async function guarded<T>(call: () => Promise<T>): Promise<Result<T>> {
  try {
    const answer = await awaitWithin(globalThis, TIMEOUT_MS, call(), null);
    if (answer === null) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
    return ok(answer);
  } catch (thrown) {
    const details = { thrown: thrown instanceof Error ? thrown.message.slice(0, 500) : String(thrown) };
    return failed("upstream_failed", "The vector index did not answer. Try again later.", {
      retryAfterMs: 1_000,
      details,
    });
  }
}
