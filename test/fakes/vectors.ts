/** Fake vectors. They pass the same contract as those of Postgres and of Vectorize. */
import { ok } from "../../core/base/errors.ts";
import type { StoredVector, VectorsPort } from "../../core/ports/vectors.ts";

interface Stored extends StoredVector {
  readonly model: string;
}

export function fakeVectors(): VectorsPort {
  const tenants = new Map<string, Map<string, Stored>>();
  const of = (tenant: string): Map<string, Stored> => {
    const own = tenants.get(tenant) ?? new Map<string, Stored>();
    tenants.set(tenant, own);
    return own;
  };
  return {
    place: "index",
    async upsert(tenant, model, vectors) {
      for (const vector of vectors) of(tenant).set(vector.id, { ...vector, model });
      return ok(undefined);
    },
    async query(tenant, model, { values, scope, collection, kind, limit, among }) {
      const found = [...of(tenant).values()]
        .filter((one) => one.model === model && one.values.length === values.length)
        .filter(({ project }) => scope === null || scope.includes(project))
        .filter((one) => one.collection === collection && (kind === null || one.kind === kind))
        .filter(({ id }) => among === null || among.includes(id))
        .map(({ id, values: own }) => ({
          id,
          score: own.reduce((sum, value, i) => sum + value * (values[i] ?? 0), 0),
        }));
      return ok(found.sort((a, b) => b.score - a.score).slice(0, limit));
    },
    async delete(tenant, ids) {
      for (const id of ids) of(tenant).delete(id);
      return ok(undefined);
    },
  };
}
