/** The steps of reading a document, and what is removed after it. Every write is keyed by the version. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import type { KnowledgeTable, VersionPlace } from "../../core/ports/knowledge.ts";
import { asTenant, type Connection } from "./connection.ts";
import { firstDocument, isThis, selectDocuments } from "./knowledge-documents.ts";
import { knowledgeVersions as versions } from "./knowledge-schema.ts";

type IngestRows = Pick<
  KnowledgeTable,
  "getOpen" | "beginReading" | "endReading" | "show" | "fail" | "leftovers" | "removeVersions"
>;

export function ingestRows(connection: Connection): IngestRows {
  const run = async (tenant: string, statement: SQL): Promise<Result<boolean>> => {
    const written = await asTenant(connection, tenant, (query) => [query.execute(statement)]);
    return written.ok ? ok(written.value[0].rowCount > 0) : written;
  };
  return {
    async getOpen(tenant, { document, version }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectDocuments(query).where(
          and(isThis(tenant, document), eq(versions.version, version), sql`${versions.endedAt} is null`),
        ),
      ]);
      return read.ok ? firstDocument(read.value[0]) : read;
    },

    beginReading: (tenant, place, { hash, size }, at) =>
      run(
        tenant,
        sql`update knowledge_versions v set status = 'reading', hash = ${hash}, size = ${size}::bigint,
          updated_at = ${iso(at)}::timestamptz where ${isOpen(tenant, place)}`,
      ),

    async endReading(tenant, place, { format, units, pieces, warnings, title }, at) {
      const total = Object.values(pieces).reduce((sum, count) => sum + count, 0);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          delete from knowledge_pieces where tenant = ${tenant} and document = ${place.document}
            and version = ${place.version} and ordinal >= ${total}
            and exists (select from knowledge_versions v where ${isOpen(tenant, place)})`),
        query.execute(sql`
          update knowledge_versions v set status = 'embedding', format = ${format}, units = ${units}::integer,
            pieces = ${JSON.stringify(pieces)}, warnings = ${sql.param([...warnings])}::text[], title = ${title}::text,
            updated_at = ${iso(at)}::timestamptz
          where ${isOpen(tenant, place)}`),
      ]);
      return written.ok ? ok(written.value[1].rowCount > 0) : written;
    },

    async show(tenant, place, at) {
      const moment = sql`${iso(at)}::timestamptz`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with ready as (
            update knowledge_versions v set status = 'ready', updated_at = ${moment}, ended_at = ${moment}
            where ${isOpen(tenant, place)} and v.status = 'embedding' and not ${lacksVector(tenant, place)}
            returning document, version
          )
          update knowledge_documents d set unclean = d.unclean or d.shown is not null, shown = r.version,
            updated_at = ${moment}
          from ready r where d.tenant = ${tenant} and d.id = r.document`),
        query.execute(sql`
          select from knowledge_versions v where ${isOpen(tenant, place)} and ${lacksVector(tenant, place)}`),
      ]);
      if (!written.ok) return written;
      if (written.value[1].rows.length > 0) return failed("conflict", "Some of its pieces have no vector yet.");
      return ok(written.value[0].rowCount > 0);
    },

    fail: (tenant, place, { code, message }, at) =>
      run(
        tenant,
        sql`
          with ended as (
            update knowledge_versions v set status = 'failed', failure = ${JSON.stringify({ code, message })},
              updated_at = ${iso(at)}::timestamptz, ended_at = ${iso(at)}::timestamptz
            where ${isOpen(tenant, place)} returning document
          )
          update knowledge_documents set unclean = true, updated_at = ${iso(at)}::timestamptz
          where tenant = ${tenant} and id in (select document from ended)`,
      ),

    async leftovers(tenant, document, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select p.id from knowledge_pieces p
          where p.tenant = ${tenant} and p.document = ${document} and p.version in (
            select v.version from ${versionsOf(tenant, document)} where ${IS_OBSOLETE} or v.status = 'failed')
          limit ${limit}`),
        query.execute(sql`
          select v.files from ${versionsOf(tenant, document)} where ${IS_OBSOLETE} order by v.version limit ${limit}`),
      ]);
      if (!read.ok) return read;
      const [pieces, folders] = read.value;
      return ok({
        pieces: pieces.rows.map((row) => String(row["id"])),
        folders: folders.rows.map((row) => String(row["files"])),
      });
    },

    async removeVersions(tenant, document, folders) {
      const hasPieces = sql`exists (
        select from knowledge_pieces p where p.tenant = v.tenant and p.document = v.document and p.version = v.version)`;
      const removed = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          delete from knowledge_versions where tenant = ${tenant} and document = ${document}
            and files = any (${sql.param([...folders])}::text[]) and version in (
              select v.version from ${versionsOf(tenant, document)} where ${IS_OBSOLETE} and not ${hasPieces})`),
        query.execute(sql`
          update knowledge_documents set unclean = false
          where tenant = ${tenant} and id = ${document} and not exists (
            select from ${versionsOf(tenant, document)} where ${IS_OBSOLETE} or (v.status = 'failed' and ${hasPieces}))`),
        query.execute(sql`
          delete from knowledge_documents d where d.tenant = ${tenant} and d.id = ${document} and d.deleted_at is not null
            and not exists (select from knowledge_versions v where v.tenant = d.tenant and v.document = d.id)`),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },
  };
}

/** The condition that the version `v` is this one, and open. */
export function isOpen(tenant: string, { document, version }: VersionPlace): SQL {
  return sql`v.tenant = ${tenant} and v.document = ${document} and v.version = ${version}::integer and v.ended_at is null`;
}

function lacksVector(tenant: string, { document, version }: VersionPlace): SQL {
  return sql`exists (
    select from knowledge_pieces p where p.tenant = ${tenant} and p.document = ${document}
      and p.version = ${version}::integer and p.embedded_by is null)`;
}

/** Versions `v` of a document with their document `d`, for `from`. */
function versionsOf(tenant: string, document: string): SQL {
  return sql`knowledge_versions v join knowledge_documents d
    on d.tenant = v.tenant and d.id = v.document and d.tenant = ${tenant} and d.id = ${document}`;
}

/** No search reads this version, and none will. */
const IS_OBSOLETE = sql`(d.deleted_at is not null or (v.version < d.latest and v.version is distinct from d.shown))`;
