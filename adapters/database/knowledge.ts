/** Documents of tenants (migrations/0042_knowledge.sql). Their vectors are stored behind the vectors port. */
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { failed, ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { MAX_QUEUED_DOCUMENTS, MAX_TENANT_BYTES, type NewDocument } from "../../core/knowledge/document.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { DocumentChange, KnowledgeTable } from "../../core/ports/knowledge.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection } from "./connection.ts";
import { firstDocument, isInScope, isThis, NO_DOCUMENT, selectDocuments, toDocument } from "./knowledge-documents.ts";
import { knowledgeDocuments as documents, knowledgeVersions as versions } from "./knowledge-schema.ts";
import { ingestRows } from "./knowledge-ingest.ts";
import { knowledgeOfAll, pieceRows } from "./knowledge-pieces.ts";
import { isBefore } from "./list-order.ts";

const FULL = failed(
  "quota_exceeded",
  `A tenant has at most ${MAX_QUEUED_DOCUMENTS} documents that wait to be read, and ${MAX_TENANT_BYTES / 1024 ** 3} GB of documents. Wait until some are ready, or delete some.`,
);
const REPLACED = JSON.stringify({
  code: "conflict",
  message: "A later version replaced this one before it was ready.",
});
/** Ids that `deleteScope` returns. */
const MAX_DELETED = 1_000;

export function knowledgeTable(connection: Connection): KnowledgeTable {
  return {
    ...documentRows(connection),
    ...ingestRows(connection),
    ...pieceRows(connection),
    ...knowledgeOfAll(connection),
  };
}

type DocumentRows = Pick<KnowledgeTable, "create" | "replace" | "get" | "page" | "usage" | "delete" | "deleteScope">;

function documentRows(connection: Connection): DocumentRows {
  return {
    async create(tenant, document, act) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(insertDocument(tenant, document, act)),
        query.execute(insertProject(tenant, document, act)),
        selectDocuments(query).where(isThis(tenant, document.id)),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[2];
      return found === undefined ? FULL : ok(toDocument(found));
    },

    async replace(tenant, scope, change, act) {
      const isOwn = and(isThis(tenant, change.id), isInScope(scope));
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(insertVersion(tenant, isOwn, change, act)),
        selectDocuments(query).where(isOwn),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[1];
      if (found === undefined) return NO_DOCUMENT;
      return found.version.files === change.version.files ? ok(toDocument(found)) : FULL;
    },

    async get(tenant, scope, id) {
      const read = await asTenant(connection, tenant, (query) => [
        selectDocuments(query).where(and(isThis(tenant, id), isInScope(scope))),
      ]);
      return read.ok ? firstDocument(read.value[0]) : read;
    },

    async page(tenant, { scope, status }, { after, limit }) {
      const isWanted = and(
        eq(documents.tenant, tenant),
        sql`${documents.deletedAt} is null`,
        isInScope(scope),
        status === null ? undefined : eq(versions.status, status),
        isBefore(documents.createdAt, documents.id, after),
      );
      const read = await asTenant(connection, tenant, (query) => [
        selectDocuments(query)
          .where(isWanted)
          .orderBy(desc(documents.createdAt), desc(documents.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toDocument), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async usage(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select
            (select count(*) from knowledge_documents where tenant = ${tenant} and deleted_at is null) as documents,
            (select count(*) from knowledge_pieces p join knowledge_documents d
              on d.tenant = p.tenant and d.id = p.document and d.shown = p.version where p.tenant = ${tenant}) as pieces,
            (select coalesce(sum(size), 0) from knowledge_versions where tenant = ${tenant}) as bytes,
            (select count(*) from knowledge_versions where tenant = ${tenant} and ended_at is null) as queued`),
      ]);
      if (!read.ok) return read;
      const count = (name: string) => Number(read.value[0].rows[0]?.[name] ?? 0);
      return ok({
        documents: count("documents"),
        pieces: count("pieces"),
        bytes: count("bytes"),
        queued: count("queued"),
      });
    },

    async delete(tenant, scope, id, act) {
      const isOwn = and(isThis(tenant, id), isInScope(scope));
      const written = await asTenant(connection, tenant, (query) => [
        selectDocuments(query).where(isOwn),
        query.execute(sql`
          with ${hide(isOwn, act.at)} ${insertAuditFrom(tenant, act)} from hidden`),
        query.execute(closeVersions(tenant, act.at)),
      ]);
      return written.ok ? firstDocument(written.value[0]) : written;
    },

    async deleteScope(tenant, scope, at) {
      const isOwn = and(eq(documents.tenant, tenant), sql`${documents.deletedAt} is null`, isInScope(scope));
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`with ${hide(isOwn, at)} select id from hidden`),
        query.execute(closeVersions(tenant, at)),
        query
          .select({ id: documents.id })
          .from(documents)
          .where(and(eq(documents.tenant, tenant), sql`${documents.deletedAt} is not null`, isInScope(scope)))
          .limit(MAX_DELETED),
      ]);
      return written.ok ? ok(written.value[2].map(({ id }) => id)) : written;
    },
  };
}

/** The condition that the tenant exists and has room for another version. */
function hasRoom(tenant: string, size: number | null): SQL {
  return sql`exists (select from tenants where id = ${tenant} and erased_at is null)
    and (select count(*) from knowledge_versions where tenant = ${tenant} and ended_at is null) < ${MAX_QUEUED_DOCUMENTS}
    and (select coalesce(sum(size), 0) from knowledge_versions where tenant = ${tenant}) + ${size ?? 0} <= ${MAX_TENANT_BYTES}::bigint`;
}

const VERSION_COLUMNS = sql.raw(
  "tenant, document, version, status, source, label, files, hash, size, created_at, updated_at",
);

function insertDocument(tenant: string, document: NewDocument, act: AuditEntry): SQL {
  const { id, project, filename, title, tags, label, author, source, files, hash, size } = document;
  const at = sql`${iso(act.at)}::timestamptz`;
  return sql`
    with made as (
      insert into knowledge_documents (tenant, id, project, filename, title, tags, latest, author, created_at, updated_at)
      select ${tenant}::text, ${id}::text, ${project}::text, ${filename}::text, ${title}::text,
        ${sql.param([...tags])}::text[], 1, ${author}::text, ${at}, ${at}
      where ${hasRoom(tenant, size)}
      on conflict (tenant, id) do nothing
      returning id
    ),
    added as (
      insert into knowledge_versions (${VERSION_COLUMNS})
      select ${tenant}::text, id, 1, 'queued', ${JSON.stringify(source)}::text, ${label}::smallint, ${files}::text,
        ${hash}::text, ${size}::bigint, ${at}, ${at}
      from made
    )
    ${insertAuditFrom(tenant, act)} from made`;
}

function insertProject(tenant: string, { id, project }: NewDocument, { at }: AuditEntry): SQL {
  return sql`
    insert into projects (tenant, name, created_at)
    select tenant, project, ${iso(at)}::timestamptz from knowledge_documents
    where tenant = ${tenant} and id = ${id} and project = ${project}::text
    on conflict do nothing`;
}

function insertVersion(tenant: string, isOwn: SQL | undefined, change: DocumentChange, act: AuditEntry): SQL {
  const { filename, title, tags, label, version } = change;
  const { source, files, hash, size } = version;
  const at = sql`${iso(act.at)}::timestamptz`;
  return sql`
    with found as (
      select id, latest from knowledge_documents
      where ${isOwn} and ${hasRoom(tenant, size)}
        and not exists (select from knowledge_versions where tenant = ${tenant} and files = ${files})
      for update
    ),
    closed as (
      update knowledge_versions set status = 'failed', failure = ${REPLACED}, ended_at = ${at}, updated_at = ${at}
      where tenant = ${tenant} and document in (select id from found) and ended_at is null
    ),
    added as (
      insert into knowledge_versions (${VERSION_COLUMNS})
      select ${tenant}::text, id, latest + 1, 'queued', ${JSON.stringify(source)}::text, ${label}::smallint, ${files}::text,
        ${hash}::text, ${size}::bigint, ${at}, ${at}
      from found
      returning document, version
    ),
    changed as (
      update knowledge_documents d set latest = a.version, filename = coalesce(${filename}::text, d.filename),
        title = coalesce(${title}::text, d.title), unclean = true, updated_at = ${at},
        tags = coalesce(${tags === null ? null : sql.param([...tags])}::text[], d.tags)
      from added a where d.tenant = ${tenant} and d.id = a.document
      returning d.id
    )
    ${insertAuditFrom(tenant, act)} from changed`;
}

/** A query that hides documents from every reader, for `with`. */
function hide(isOwn: SQL | undefined, at: number): SQL {
  return sql`hidden as (
    update knowledge_documents set deleted_at = ${iso(at)}::timestamptz, shown = null, unclean = true,
      updated_at = ${iso(at)}::timestamptz
    where ${isOwn} returning id
  )`;
}

/** Nothing is read any more of the tenant's deleted documents. */
function closeVersions(tenant: string, at: number): SQL {
  return sql`
    update knowledge_versions v set ended_at = ${iso(at)}::timestamptz, status = 'failed', updated_at = ${iso(at)}::timestamptz
    where v.tenant = ${tenant} and v.ended_at is null and exists (
      select from knowledge_documents d where d.tenant = v.tenant and d.id = v.document and d.deleted_at is not null)`;
}
