/** Pieces of documents, and what the sweep finds across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { failed, ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { toEmbeddedText } from "../../core/knowledge/embedded-text.ts";
import { getPieceId, type Piece, type PieceKind, type ReadPiece } from "../../core/knowledge/piece.ts";
import type { MemoryLabel, MemoryScope } from "../../core/memory/memory.ts";
import type { KnowledgeOfAll, KnowledgePieces, PieceToEmbed } from "../../core/ports/knowledge.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";
import { isOpen } from "./knowledge-ingest.ts";

const NO_PIECE = failed("not_found", "There is no such piece of a document.");

export function pieceRows(connection: Connection): KnowledgePieces {
  return {
    async savePieces(tenant, place, pieces) {
      const rows = await Promise.all(
        pieces.map(async ({ start, end, data, ...piece }) => ({
          ...piece,
          id: await getPieceId(place.document, place.version, piece.ordinal),
          start_at: start,
          end_at: end,
          data: JSON.stringify(data),
        })),
      );
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          insert into knowledge_pieces (tenant, id, document, version, ordinal, kind, project, heading, page, start_at, end_at,
            text, data)
          select v.tenant, r.id, v.document, v.version, r.ordinal, r.kind, coalesce(d.project, ''), r.heading, r.page,
            r.start_at, r.end_at, r.text, r.data
          from knowledge_versions v
          join knowledge_documents d on d.tenant = v.tenant and d.id = v.document
          cross join json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, ordinal integer, kind text,
            heading text[], page integer, start_at integer, end_at integer, text text, data text)
          where ${isOpen(tenant, place)}
          on conflict (tenant, id) do update set kind = excluded.kind, heading = excluded.heading, page = excluded.page,
            start_at = excluded.start_at, end_at = excluded.end_at, text = excluded.text, data = excluded.data,
            embedded_by = case when (knowledge_pieces.text, knowledge_pieces.heading) = (excluded.text, excluded.heading)
              then knowledge_pieces.embedded_by end`),
        query.execute(sql`select from knowledge_versions v where ${isOpen(tenant, place)}`),
      ]);
      return written.ok ? ok(written.value[1].rows.length > 0) : written;
    },

    async listUnembedded(tenant, { document, version }, mark, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          ${selectToEmbed(tenant)} and p.document = ${document} and p.version = ${version}::integer
            and p.embedded_by is distinct from ${mark}::text
          order by p.ordinal limit ${limit}`),
      ]);
      return read.ok ? ok(read.value[0].rows.map(toPieceToEmbed)) : read;
    },

    async readToEmbed(tenant, ids) {
      if (ids.length === 0) return ok([]);
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`${selectToEmbed(tenant)} and ${isOneOf(sql`p.id`, ids)}`),
      ]);
      return read.ok ? ok(read.value[0].rows.map(toPieceToEmbed)) : read;
    },

    async markEmbedded(tenant, mark, ids) {
      if (ids.length === 0) return ok([]);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update knowledge_pieces set embedded_by = ${mark}::text where tenant = ${tenant} and ${isOneOf(sql`id`, ids)}
          returning id`),
      ]);
      return written.ok ? ok(written.value[0].rows.map((row) => String(row["id"]))) : written;
    },

    async removePieces(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const removed = await asTenant(connection, tenant, (query) => [
        query.execute(sql`delete from knowledge_pieces where tenant = ${tenant} and ${isOneOf(sql`id`, ids)}`),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async readPieces(tenant, scope, ids) {
      if (ids.length === 0) return ok([]);
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`${selectPieces(tenant, scope)} and ${isOneOf(sql`p.id`, ids)}`),
      ]);
      return read.ok ? ok(read.value[0].rows.map(toPiece)) : read;
    },

    async neighbours(tenant, scope, { id, before, after }) {
      const one = sql`(select o.document, o.version, o.ordinal from knowledge_pieces o where o.tenant = ${tenant} and o.id = ${id})`;
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          ${selectPieces(tenant, scope)} and exists (
            select from ${one} o where o.document = p.document and o.version = p.version
              and p.ordinal between o.ordinal - ${before}::integer and o.ordinal + ${after}::integer)
          order by p.ordinal`),
      ]);
      if (!read.ok) return read;
      const found = read.value[0].rows.map(toPiece);
      return found.some((piece) => piece.id === id) ? ok(found) : NO_PIECE;
    },
  };
}

/** What is read across tenants, by database functions. */
export function knowledgeOfAll(connection: Connection): KnowledgeOfAll {
  return {
    async openSince(before, limit) {
      const from = sql`otto_open_documents(${iso(before)}::timestamptz, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, document, version from ${from}`);
      if (!read.ok) return read;
      return ok(
        read.value.map(({ tenant, document, version }) => {
          return { tenant: String(tenant), document: String(document), version: Number(version) };
        }),
      );
    },

    async unclean(before, limit) {
      const from = sql`otto_unclean_documents(${iso(before)}::timestamptz, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, document from ${from}`);
      if (!read.ok) return read;
      return ok(read.value.map(({ tenant, document }) => ({ tenant: String(tenant), document: String(document) })));
    },

    async toEmbed(model, limit) {
      const from = sql`otto_pieces_to_embed(${model}::text, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, id from ${from}`);
      if (!read.ok) return read;
      return ok(read.value.map(({ tenant, id }) => ({ tenant: String(tenant), id: String(id) })));
    },
  };
}

function isOneOf(column: SQL, ids: readonly string[]): SQL {
  return sql`${column} = any (${sql.param([...ids])}::text[])`;
}

/** Pieces that searches read, of a scope; append conditions with `and`. */
function selectPieces(tenant: string, scope: MemoryScope): SQL {
  const names = scope?.map((project) => project ?? "") ?? null;
  const isInScope = names === null ? sql`true` : isOneOf(sql`p.project`, names);
  return sql`
    select p.*, coalesce(d.title, v.title, d.filename) as title, v.label, v.files
    from knowledge_pieces p
    join knowledge_documents d on d.tenant = p.tenant and d.id = p.document and d.shown = p.version
    join knowledge_versions v on v.tenant = p.tenant and v.document = p.document and v.version = p.version
    where p.tenant = ${tenant} and d.deleted_at is null and ${isInScope}`;
}

/** Pieces with what their vectors are made of; append conditions with `and`. */
function selectToEmbed(tenant: string): SQL {
  return sql`
    select p.id, p.kind, p.project, p.heading, p.text, coalesce(d.title, v.title, d.filename) as title
    from knowledge_pieces p
    join knowledge_documents d on d.tenant = p.tenant and d.id = p.document
    join knowledge_versions v on v.tenant = p.tenant and v.document = p.document and v.version = p.version
    where p.tenant = ${tenant}`;
}

function toPieceToEmbed(row: Record<string, unknown>): PieceToEmbed {
  const [title, heading, text] = [String(row["title"]), row["heading"] as string[], String(row["text"])];
  return {
    id: String(row["id"]),
    kind: String(row["kind"]) as PieceKind,
    project: toProject(row["project"]),
    text: toEmbeddedText({ title, heading, text }),
  };
}

function toPiece(row: Record<string, unknown>): ReadPiece {
  const piece = {
    kind: String(row["kind"]),
    ordinal: Number(row["ordinal"]),
    heading: row["heading"] as string[],
    page: row["page"] === null ? null : Number(row["page"]),
    start: Number(row["start_at"]),
    end: Number(row["end_at"]),
    text: String(row["text"]),
    data: JSON.parse(String(row["data"])) as unknown,
  } as Piece;
  return {
    ...piece,
    id: String(row["id"]),
    document: String(row["document"]),
    version: Number(row["version"]),
    project: toProject(row["project"]),
    title: String(row["title"]),
    label: Number(row["label"]) as MemoryLabel,
    files: String(row["files"]),
    embeddedBy: typeof row["embedded_by"] === "string" ? row["embedded_by"] : null,
  };
}

function toProject(value: unknown): string | null {
  return value === "" ? null : String(value);
}
