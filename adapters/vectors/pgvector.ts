/**
 * Vectors in Postgres, with the rows that they describe. A search compares every vector of the tenant and model, so its
 * result is exact. Vectors have length 1: the inner product, pgvector's cheapest distance, is the cosine.
 */
import { type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { MemoryKind, MemoryScope } from "../../core/memory/memory.ts";
import type { StoredVector, VectorsPort } from "../../core/ports/vectors.ts";
import { asTenant, openConnection } from "../database/connection.ts";

/** Vectors per statement: each is some kilobytes of text. */
const BATCH = 250;

/** Opens the vectors of a database without sending anything. `endpoint` null: Neon's own. */
export function openPgvector(url: string, endpoint: string | null): VectorsPort {
  const connection = openConnection(url, endpoint);
  return {
    async upsert(tenant, model, vectors) {
      for (let start = 0; start < vectors.length; start += BATCH) {
        const statement = upsert(tenant, model, vectors.slice(start, start + BATCH));
        const written = await asTenant(connection, tenant, (query) => [query.execute(statement)]);
        if (!written.ok) return written;
      }
      return ok(undefined);
    },

    async query(tenant, model, { values, scope, kind, limit, among }) {
      if (among?.length === 0) return ok([]);
      // Orders by the plain distance, computed once per row.
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select id, -distance as score from (
            select id, embedding <#> ${formatVector(values)}::vector as distance from ${selectVectors(tenant, among)}
            where model = ${toLabel(model, values)} ${toScopeCondition(scope)} ${toKindCondition(kind)}
            order by distance limit ${limit}
          ) nearest order by distance, id`),
      ]);
      if (!read.ok) return read;
      return ok(read.value[0].rows.map((row) => ({ id: String(row["id"]), score: Number(row["score"]) })));
    },

    async delete(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const deleted = await asTenant(connection, tenant, (query) => [
        query.execute(sql`delete from vectors where tenant = ${tenant} and id = any (${sql.param([...ids])}::text[])`),
      ]);
      return deleted.ok ? ok(undefined) : deleted;
    },
  };
}

/** Vectors of an erased tenant are dropped. */
function upsert(tenant: string, model: string, vectors: readonly StoredVector[]): SQL {
  const rows = vectors.map(({ id, project, kind, values }) => {
    return { id, model: toLabel(model, values), project: project ?? "", kind, embedding: formatVector(values) };
  });
  return sql`
    insert into vectors (tenant, id, model, project, kind, embedding)
    select ${tenant}::text, r.id, r.model, r.project, r.kind, r.embedding::vector
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, model text, project text, kind text, embedding text)
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict (tenant, id) do update
      set model = excluded.model, project = excluded.project, kind = excluded.kind, embedding = excluded.embedding`;
}

/** A model's name with the dimensions: pgvector cannot compare vectors of different dimensions. */
function toLabel(model: string, values: Float32Array): string {
  return `${model}/${values.length}`;
}

/** Eight digits distinguish a 32-bit number from its neighbours within one part in a hundred million. */
function formatVector(values: Float32Array): string {
  return `[${Array.from(values, (value) => (value === 0 ? "0" : value.toPrecision(8))).join()}]`;
}

function toScopeCondition(scope: MemoryScope): SQL {
  if (scope === null) return sql``;
  const names = scope.map((project) => project ?? "");
  const [only] = names;
  // A plain comparison is cheaper than a list, and a scope has one or two names.
  if (names.length === 1) return sql`and project = ${only}`;
  return sql`and project = any (${sql.param(names)}::text[])`;
}

function toKindCondition(kind: MemoryKind | null): SQL {
  return kind === null ? sql`` : sql`and kind = ${kind}`;
}

/** The vectors of a tenant, or those of these ids. Postgres would search a few ids among all vectors of the model. */
function selectVectors(tenant: string, among: readonly string[] | null): SQL {
  if (among === null) return sql`(select * from vectors where tenant = ${tenant}) own`;
  return sql`(
    with picked as materialized (
      select * from vectors where tenant = ${tenant} and id = any (${sql.param([...among])}::text[])
    ) select * from picked) own`;
}
