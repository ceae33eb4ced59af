/** Rows of the table `vectors`. Vectors have length 1. */
import { type SQL, sql } from "drizzle-orm";
import type { StoredVector } from "../../core/ports/vectors.ts";

/** The insert of vectors: `wanted` selects rows `r` of the list. Vectors of an erased tenant are dropped. */
export function upsertVectors(
  tenant: string,
  model: string,
  vectors: readonly StoredVector[],
  wanted: SQL = sql`true`,
): SQL {
  const rows = vectors.map(({ id, project, collection, kind, values }) => {
    const place = { project: project ?? "", collection, kind };
    return { id, model: toLabel(model, values), ...place, embedding: formatVector(values) };
  });
  return sql`
    insert into vectors (tenant, id, model, project, collection, kind, embedding)
    select ${tenant}::text, r.id, r.model, r.project, r.collection, r.kind, r.embedding::vector
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, model text, project text,
      collection text, kind text, embedding text)
    where ${wanted} and exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict (tenant, id) do update
      set model = excluded.model, project = excluded.project, collection = excluded.collection, kind = excluded.kind,
        embedding = excluded.embedding`;
}

/** A model's name with the dimensions: pgvector cannot compare vectors of different dimensions. */
export function toLabel(model: string, values: Float32Array): string {
  return `${model}/${values.length}`;
}

/** Eight digits distinguish a 32-bit number from its neighbours within one part in a hundred million. */
export function formatVector(values: Float32Array): string {
  return `[${Array.from(values, (value) => (value === 0 ? "0" : value.toPrecision(8))).join()}]`;
}
