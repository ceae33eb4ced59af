/** How documents are selected and read from their rows. */
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { DocumentSource, DocumentVersion, KnowledgeDocument } from "../../core/knowledge/document.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import type { Query } from "./connection.ts";
import { knowledgeDocuments as documents, knowledgeVersions as versions } from "./knowledge-schema.ts";

export const NO_DOCUMENT = failed("not_found", "There is no such document.");

/** A document that nobody has deleted. */
export function isThis(tenant: string, id: string): SQL | undefined {
  return and(eq(documents.tenant, tenant), eq(documents.id, id), sql`${documents.deletedAt} is null`);
}

/** The condition that a document is in a scope. */
export function isInScope(scope: MemoryScope): SQL | undefined {
  if (scope === null) return undefined;
  return sql`coalesce(${documents.project}, '') = any (${sql.param(scope.map((project) => project ?? ""))}::text[])`;
}

/** Documents with their latest version. */
export function selectDocuments(query: Query) {
  const embedded = sql<string>`(
    select count(*) from knowledge_pieces p where ${versions.status} = 'embedding' and p.tenant = ${versions.tenant}
      and p.document = ${versions.document} and p.version = ${versions.version} and p.embedded_by is not null)`;
  return query
    .select({ document: getTableColumns(documents), version: getTableColumns(versions), embedded })
    .from(documents)
    .innerJoin(
      versions,
      and(
        eq(versions.tenant, documents.tenant),
        eq(versions.document, documents.id),
        eq(versions.version, documents.latest),
      ),
    );
}

type Row = Awaited<ReturnType<typeof selectDocuments>>[number];

/** The one document that was selected. */
export function firstDocument([row]: readonly Row[]): Result<KnowledgeDocument> {
  return row === undefined ? NO_DOCUMENT : ok(toDocument(row));
}

/** A document as rows store it. */
export function toDocument({ document, version, embedded }: Row): KnowledgeDocument {
  const { tenant: _, title, unclean: __, deletedAt: ___, latest: ____, ...fields } = document;
  const { label } = version;
  return {
    ...fields,
    title: title ?? version.title ?? document.filename,
    label,
    latest: toVersion(version, Number(embedded)),
  };
}

function toVersion(row: Row["version"], embedded: number): DocumentVersion {
  const { version, status, files, hash, size, format, units, warnings, createdAt, endedAt } = row;
  const pieces = JSON.parse(row.pieces) as DocumentVersion["pieces"];
  const total = Object.values(pieces).reduce((sum, count) => sum + count, 0);
  return {
    version,
    status,
    files,
    hash,
    size,
    format,
    units,
    warnings,
    createdAt,
    endedAt,
    pieces,
    source: JSON.parse(row.source) as DocumentSource,
    embedded: status === "ready" ? total : embedded,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as NonNullable<DocumentVersion["failure"]>),
  };
}
