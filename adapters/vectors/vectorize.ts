/**
 * Vectors in Cloudflare Vectorize: one index for all tenants, with a namespace per tenant, model, collection and kind. A write becomes
 * visible after some seconds. https://developers.cloudflare.com/vectorize/reference/client-api/
 */
import { sha256Hex } from "../../core/base/sha256.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { MEMORY_KINDS, type MemoryScope } from "../../core/memory/memory.ts";
import type { StoredVector, VectorCollection, VectorKind, VectorsPort } from "../../core/ports/vectors.ts";

/** Platform limits: vectors per upsert (from a Worker) and ids per deletion; matches without values. */
const MAX_BATCH = 1000;
const MAX_MATCHES = 100;
/** Vectors read back per call. */
const MAX_READ = 20;
/** Time limit of one call. */
const TIMEOUT_MS = 10_000;

/** The kinds of each collection: each has a namespace of its own. */
const KINDS: Readonly<Record<VectorCollection, readonly VectorKind[]>> = {
  memory: MEMORY_KINDS,
  knowledge: PIECE_KINDS,
  code: ["code"],
};

/** A vector in the index. */
interface IndexedVector {
  readonly id: string;
  readonly namespace?: string;
  readonly values: Float32Array | Float64Array | number[];
  readonly metadata?: Record<string, string>;
}

/** What a namespace is of, within its tenant and model. */
interface VectorPlace {
  readonly collection: VectorCollection;
  readonly kind: VectorKind;
}

/** Filters vectors by metadata. A type, because an interface has no index signature. */
type ProjectFilter = { project: { $in: string[] } };

/** The part of the binding that is used (`Vectorize` of the runtime's types). */
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
 * Opens the bound index. Its dimensions and metric (cosine) are fixed at its creation, and it needs a metadata index on
 * the text `project` before its first vector.
 */
export function openVectorize(index: VectorIndex): VectorsPort {
  return {
    place: "index",

    async upsert(tenant, model, vectors) {
      return await inBatches(vectors, MAX_BATCH, async (some) => {
        await index.upsert(await Promise.all(some.map(async (vector) => await toIndexed(tenant, model, vector))));
      });
    },

    async query(tenant, model, { values, scope, collection, kind, limit, among }) {
      const kinds = kind === null ? KINDS[collection] : [kind];
      const namespaces = await Promise.all(
        kinds.map(async (one) => await toNamespace(tenant, model, { collection, kind: one })),
      );
      if (among !== null) return await scoreAmong(index, tenant, namespaces, { values, scope, limit, among });
      const topK = Math.min(limit, MAX_MATCHES);
      const options = { topK, returnValues: false, returnMetadata: "none", ...toFilter(scope) } as const;
      return await catchFailure(async () => {
        const found = await Promise.all(
          namespaces.map(async (namespace) => await index.query(values, { ...options, namespace })),
        );
        return toNearest(
          found
            .flatMap(({ matches }) => matches)
            .flatMap(({ id, score }) => {
              const own = parseId(tenant, id);
              return own === null ? [] : [{ id: own, score }];
            }),
          topK,
        );
      });
    },

    async delete(tenant, ids) {
      return await inBatches(ids, MAX_BATCH, async (some) => {
        await index.deleteByIds(some.map((id) => `${tenant}/${id}`));
      });
    },
  };
}

/** Ids are unique in the index and at most 64 bytes long: the tenant's 30, a slash, and 30 of the memory or piece. */
async function toIndexed(
  tenant: string,
  model: string,
  { id, project, values, ...place }: StoredVector,
): Promise<IndexedVector> {
  const namespace = await toNamespace(tenant, model, place);
  return { id: `${tenant}/${id}`, namespace, values, metadata: { project: project ?? "" } };
}

/** The id of a vector; null if it belongs to another tenant. */
function parseId(tenant: string, stored: string): string | null {
  return stored.startsWith(`${tenant}/`) ? stored.slice(tenant.length + 1) : null;
}

/**
 * At most 64 bytes. A model's name may be longer, so its hash is used; it contains no space, so no model has the namespace
 * of another one's summaries. A kind of its own needs no metadata index, which would not cover vectors from before it.
 */
async function toNamespace(tenant: string, model: string, { collection, kind }: VectorPlace): Promise<string> {
  const own = collection === "memory" ? kind : `${collection} ${kind}`;
  const name = own === "note" ? model : `${model} ${own}`;
  return `${tenant}/${(await sha256Hex(name)).slice(0, 32)}`;
}

function toNearest(found: readonly { id: string; score: number }[], limit: number) {
  return found.toSorted((a, b) => b.score - a.score).slice(0, limit);
}

function toFilter(scope: MemoryScope): { filter?: ProjectFilter } {
  return scope === null ? {} : { filter: { project: { $in: scope.map((project) => project ?? "") } } };
}

/** Vectorize cannot search among ids, so these vectors are read and compared here. */
async function scoreAmong(
  index: VectorIndex,
  tenant: string,
  namespaces: readonly string[],
  asked: { values: Float32Array; scope: MemoryScope; limit: number; among: readonly string[] },
): Promise<Result<readonly { id: string; score: number }[]>> {
  const names = asked.scope === null ? null : new Set<unknown>(asked.scope.map((project) => project ?? ""));
  const found: { id: string; score: number }[] = [];
  const read = await inBatches(asked.among, MAX_READ, async (some) => {
    for (const { id, namespace: of, values, metadata } of await index.getByIds(some.map((id) => `${tenant}/${id}`))) {
      const own = parseId(tenant, id);
      const isWanted = of !== undefined && namespaces.includes(of) && (names?.has(metadata?.["project"]) ?? true);
      if (own !== null && isWanted && values.length === asked.values.length)
        found.push({ id: own, score: cosine(asked.values, values) });
    }
  });
  return read.ok ? ok(toNearest(found, asked.limit)) : read;
}

/** For vectors of length 1. */
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
    const sent = await catchFailure(() => send(items.slice(start, start + size)));
    if (!sent.ok) return sent;
  }
  return ok(undefined);
}

/** Turns an exception or a timeout of the binding into a failure whose text is for operators. */
async function catchFailure<T>(call: () => Promise<T>): Promise<Result<T>> {
  try {
    const answer = await awaitWithin(globalThis, TIMEOUT_MS, call(), null);
    if (answer === null) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
    return ok(answer);
  } catch (thrown) {
    const details = { thrown: thrown instanceof Error ? thrown.message.slice(0, 500) : String(thrown) };
    return failed("upstream_failed", "The vector index did not reply. Try again later.", {
      retryAfterMs: 1_000,
      details,
    });
  }
}
