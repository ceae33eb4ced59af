/**
 * Vectors in Postgres, with the rows that they describe. A search compares every vector of the tenant and model, so its
 * result is exact. Vectors have length 1: the inner product, pgvector's cheapest distance, is the cosine.
 */
import { type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import type { VectorKind, VectorsPort } from "../../core/ports/vectors.ts";
import { asTenant, openConnection } from "../database/connection.ts";
import { formatVector, toLabel, upsertVectors } from "../database/vector-rows.ts";

/** Vectors per statement: each is some kilobytes of text. */
const BATCH = 250;

/** Opens the vectors of a database without sending anything. `endpoint` null: Neon's own. */
export function openPgvector(url: string, endpoint: string | null): VectorsPort {
  const connection = openConnection(url, endpoint);
  return {
    place: "database",

    async upsert(tenant, model, vectors) {
      for (let start = 0; start < vectors.length; start += BATCH) {
        const statement = upsertVectors(tenant, model, vectors.slice(start, start + BATCH));
        const written = await asTenant(connection, tenant, (query) => [query.execute(statement)]);
        if (!written.ok) return written;
      }
      return ok(undefined);
    },

    async query(tenant, model, { values, scope, collection, kind, limit, among }) {
      if (among?.length === 0) return ok([]);
      // Orders by the plain distance, computed once per row.
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select id, -distance as score from (
            select id, embedding <#> ${formatVector(values)}::vector as distance from ${selectVectors(tenant, among)}
            where model = ${toLabel(model, values)} and collection = ${collection}
              ${toScopeCondition(scope)} ${toKindCondition(kind)}
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

function toScopeCondition(scope: MemoryScope): SQL {
  if (scope === null) return sql``;
  const names = scope.map((project) => project ?? "");
  const [only] = names;
  // A plain comparison is cheaper than a list, and a scope has one or two names.
  if (names.length === 1) return sql`and project = ${only}`;
  return sql`and project = any (${sql.param(names)}::text[])`;
}

function toKindCondition(kind: VectorKind | null): SQL {
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
