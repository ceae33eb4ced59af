/**
 * A mock of Cloudflare Vectorize by its documentation: an index of fixed dimensions with the cosine metric and a metadata index on
 * `project`. Writes are visible at once, where the platform takes seconds.
 * https://developers.cloudflare.com/vectorize/reference/client-api/ and …/platform/limits/
 */
interface StoredVector {
  readonly id: string;
  readonly namespace: string | undefined;
  readonly values: Float32Array;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The mocked part of vectors and queries. */
interface Written extends Partial<Omit<StoredVector, "id" | "values">> {
  readonly id: string;
  readonly values: ArrayLike<number>;
}
interface QueryOptions {
  readonly topK?: number;
  readonly namespace?: string;
  readonly returnValues?: boolean;
  readonly returnMetadata?: unknown;
  readonly filter?: Readonly<Record<string, unknown>>;
}

const MAX_NAME_BYTES = 64;
const MAX_UPSERT = 1000;
const MAX_READ = 20;
const MAX_TOP_K = 100;

/** `isAway` makes every call fail. */
export function makeMockVectorize(dimensions: number) {
  const stored = new Map<string, StoredVector>();
  let mutations = 0;
  const mutated = () => ({ mutationId: `mutation-${(mutations += 1)}` });
  const check = (isRight: boolean, message: string) => {
    if (!isRight) throw new Error(`VECTOR_QUERY_ERROR: ${message}`);
  };
  const played = {
    isAway: false,
    async describe() {
      return { vectorCount: stored.size, dimensions, processedUpToDatetime: 0, processedUpToMutation: mutations };
    },
    async query(vector: ArrayLike<number>, options: QueryOptions = {}) {
      check(!played.isAway, "internal error");
      check(vector.length === dimensions, `expected ${dimensions} dimensions, and got ${vector.length}`);
      const { topK = 5, namespace, filter = {}, returnValues = false, returnMetadata = "none" } = options;
      check(topK >= 1 && topK <= (returnValues || returnMetadata === "all" ? MAX_READ : MAX_TOP_K), "topK is too high");
      const found = [...stored.values()]
        .filter((one) => namespace === undefined || one.namespace === namespace)
        .filter(({ metadata }) => passes(metadata, filter))
        .map(({ id, values, namespace: of }) => ({ id, namespace: of, score: cosine(values, vector) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, topK);
      return { count: found.length, matches: found };
    },
    async upsert(vectors: readonly Written[]) {
      check(!played.isAway, "internal error");
      check(vectors.length > 0 && vectors.length <= MAX_UPSERT, "an upsert takes 1 to 1000 vectors");
      for (const { id, namespace, values, metadata = {} } of vectors) {
        check(countBytes(id) <= MAX_NAME_BYTES, `the id ${id} is longer than 64 bytes`);
        check(countBytes(namespace ?? "") <= MAX_NAME_BYTES, "the namespace is longer than 64 bytes");
        check(values.length === dimensions, `expected ${dimensions} dimensions, and got ${values.length}`);
        stored.set(id, { id, namespace, values: Float32Array.from(values), metadata });
      }
      return mutated();
    },
    async deleteByIds(ids: readonly string[]) {
      check(!played.isAway, "internal error");
      check(ids.length > 0 && ids.length <= MAX_UPSERT, "a deletion takes 1 to 1000 ids");
      for (const id of ids) stored.delete(id);
      return mutated();
    },
    async getByIds(ids: readonly string[]) {
      check(!played.isAway, "internal error");
      check(ids.length > 0 && ids.length <= MAX_READ, "20 ids are read at once");
      return ids.flatMap((id) => {
        const one = stored.get(id);
        return one === undefined ? [] : [{ ...one, namespace: one.namespace ?? "" }];
      });
    },
  };
  return played;
}

function passes(metadata: StoredVector["metadata"], filter: NonNullable<QueryOptions["filter"]>): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (name !== "project") throw new Error(`VECTOR_QUERY_ERROR: there is no metadata index on ${name}`);
    const has = metadata[name];
    if (typeof wanted !== "object" || wanted === null) return has === wanted;
    const one = wanted as { readonly $in?: readonly unknown[] };
    if (one.$in === undefined) throw new Error("VECTOR_QUERY_ERROR: an operator that is not mocked");
    return one.$in.includes(has);
  });
}

function cosine(left: Float32Array, right: ArrayLike<number>): number {
  let [sum, ofLeft, ofRight] = [0, 0, 0];
  for (let i = 0; i < left.length; i += 1) {
    const [a, b] = [left[i] ?? 0, right[i] ?? 0];
    sum += a * b;
    ofLeft += a * a;
    ofRight += b * b;
  }
  return sum / Math.sqrt(ofLeft * ofRight);
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
