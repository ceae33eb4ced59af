/** Searches pieces of documents by their words, and counts what there is to search. */
import { type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import type { PieceKind } from "../../core/knowledge/piece.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import type { KnowledgeWordsTable } from "../../core/ports/knowledge-search.ts";
import { asTenant, type Connection } from "./connection.ts";

/** The warning of a document whose formulas could not be read. */
const FORMULAS_NOT_READ = "formulas_not_read";

export function knowledgeWordsTable(connection: Connection): KnowledgeWordsTable {
  return {
    async findByWords(tenant, { words, kinds, scope, limit }) {
      const found = sql`select id from otto_find_pieces(${words}::text, ${toArray(kinds)}, ${toProjects(scope)}, ${limit}::int)`;
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(found),
        query.execute(countSearched(tenant, kinds, scope)),
      ]);
      if (!read.ok) return read;
      const [counts] = read.value[1].rows;
      const numberOf = (name: string) => Number(counts?.[name] ?? 0);
      return ok({
        ids: read.value[0].rows.map((row) => String(row["id"])),
        counts: {
          documents: numberOf("documents"),
          pieces: numberOf("pieces"),
          formulasNotRead: numberOf("unread"),
        },
      });
    },
  };
}

/** Counts by the versions, which know how many pieces they have: there are far more pieces. */
function countSearched(tenant: string, kinds: readonly PieceKind[], scope: MemoryScope): SQL {
  const projects = toProjects(scope);
  return sql`
    select count(*) as documents, count(*) filter (where ${FORMULAS_NOT_READ} = any (v.warnings)) as unread,
      coalesce(sum((
        select sum(k.value::int) from json_each_text(v.pieces::json) k where k.key = any (${toArray(kinds)})
      )), 0) as pieces
    from knowledge_documents d
    join knowledge_versions v on v.tenant = d.tenant and v.document = d.id and v.version = d.shown
    where d.tenant = ${tenant} and d.deleted_at is null and (${projects} is null or coalesce(d.project, '') = any (${projects}))`;
}

function toProjects(scope: MemoryScope): SQL {
  return scope === null ? sql`null::text[]` : toArray(scope.map((project) => project ?? ""));
}

function toArray(values: readonly string[]): SQL {
  return sql`${sql.param([...values])}::text[]`;
}
