/** Documents in memory. They pass the same contract as those of Postgres. */
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import {
  type DocumentVersion,
  type KnowledgeDocument,
  MAX_QUEUED_DOCUMENTS,
  MAX_TENANT_BYTES,
  type NewDocument,
  type NewVersion,
} from "../../core/knowledge/document.ts";
import { toEmbeddedText } from "../../core/knowledge/embedded-text.ts";
import { getPieceId, type ReadPiece, type StoredPiece } from "../../core/knowledge/piece.ts";
import type { MemoryLabel, MemoryScope } from "../../core/memory/memory.ts";
import type { KnowledgeTable, PieceToEmbed, VersionPlace } from "../../core/ports/knowledge.ts";

type Version = DocumentVersion & { readonly title: string | null; readonly label: MemoryLabel; readonly at: number };
type FakePiece = StoredPiece & { readonly embeddedBy: string | null };

interface FakeDocument extends Omit<KnowledgeDocument, "latest" | "title" | "label"> {
  readonly tenant: string;
  readonly title: string | null;
  readonly deleted: boolean;
  readonly unclean: boolean;
  readonly versions: readonly Version[];
}

const NO_DOCUMENT = failed("not_found", "There is no such document.");
const FULL = failed("quota_exceeded", "The tenant has no room for another document.");
const REPLACED = { code: "conflict", message: "A later version replaced this one before it was ready." } as const;

/** Keyed by tenant and id. */
class Store {
  readonly documents = new Map<string, FakeDocument>();
  readonly pieces = new Map<string, FakePiece & { readonly tenant: string }>();

  find(tenant: string, scope: MemoryScope, id: string): FakeDocument | null {
    const found = this.documents.get(`${tenant} ${id}`);
    return found === undefined || found.deleted || !isIn(scope, found.project) ? null : found;
  }

  change(document: FakeDocument, change: Partial<FakeDocument>): FakeDocument {
    const changed = { ...document, ...change };
    this.documents.set(`${document.tenant} ${document.id}`, changed);
    return changed;
  }

  /** Changes an open version; false if it is not open. */
  changeOpen(tenant: string, place: VersionPlace, change: Partial<Version>, more: Partial<FakeDocument> = {}): boolean {
    const document = this.findOpen(tenant, place);
    if (document === null) return false;
    const versions = document.versions.map((one) => (one.version === place.version ? { ...one, ...change } : one));
    this.change(document, { ...more, versions });
    return true;
  }

  findOpen(tenant: string, { document: id, version }: VersionPlace): FakeDocument | null {
    const document = this.find(tenant, null, id);
    const isOpen = document?.versions.some((one) => one.version === version && one.endedAt === null) ?? false;
    return isOpen ? document : null;
  }

  piecesOf(tenant: string, { document, version }: VersionPlace): (FakePiece & { readonly tenant: string })[] {
    return [...this.pieces.values()]
      .filter((one) => one.tenant === tenant && one.document === document && one.version === version)
      .sort((a, b) => a.ordinal - b.ordinal);
  }

  hasRoom(tenant: string, size: number | null): boolean {
    const versions = [...this.documents.values()].flatMap((one) => (one.tenant === tenant ? one.versions : []));
    const bytes = versions.reduce((sum, one) => sum + (one.size ?? 0), 0);
    const queued = versions.filter(({ endedAt }) => endedAt === null).length;
    return queued < MAX_QUEUED_DOCUMENTS && bytes + (size ?? 0) <= MAX_TENANT_BYTES;
  }
}

export function fakeKnowledge(): KnowledgeTable {
  const store = new Store();
  return { ...documents(store), ...steps(store), ...pieces(store), ...all(store) };
}

type Documents = Pick<KnowledgeTable, "create" | "replace" | "get" | "page" | "usage" | "delete" | "deleteScope">;

function documents(store: Store): Documents {
  return {
    async create(tenant, document, { at }) {
      const known = store.documents.get(`${tenant} ${document.id}`);
      if (known === undefined && !store.hasRoom(tenant, document.size)) return FULL;
      const found = known ?? store.change(makeDocument(tenant, document, at), {});
      return found.deleted ? FULL : ok(toDocument(store, found));
    },
    async replace(tenant, scope, { id, version, label, ...change }, { at }) {
      const found = store.find(tenant, scope, id);
      if (found === null) return NO_DOCUMENT;
      if (found.versions.at(-1)?.files === version.files) return ok(toDocument(store, found));
      if (!store.hasRoom(tenant, version.size)) return FULL;
      const closed = found.versions.map((one) =>
        one.endedAt === null ? { ...one, status: "failed" as const, failure: REPLACED, endedAt: at } : one,
      );
      const latest = (found.versions.at(-1)?.version ?? 0) + 1;
      const changed = store.change(found, {
        filename: change.filename ?? found.filename,
        title: change.title ?? found.title,
        tags: change.tags ?? found.tags,
        unclean: true,
        updatedAt: at,
        versions: [...closed, makeVersion({ ...version, label }, latest, at)],
      });
      return ok(toDocument(store, changed));
    },
    async get(tenant, scope, id) {
      const found = store.find(tenant, scope, id);
      return found === null ? NO_DOCUMENT : ok(toDocument(store, found));
    },
    async page(tenant, { scope, status }, { after, limit }) {
      const found = [...store.documents.values()]
        .filter((one) => one.tenant === tenant && !one.deleted && isIn(scope, one.project))
        .map((one) => toDocument(store, one))
        .filter(({ latest }) => status === null || latest.status === status)
        .filter(
          ({ id, createdAt }) => after === null || createdAt < after.at || (createdAt === after.at && id < after.id),
        )
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      return ok(cutPage(found.slice(0, limit + 1), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },
    async usage(tenant) {
      const own = [...store.documents.values()].filter((one) => one.tenant === tenant);
      const versions = own.flatMap((one) => one.versions);
      const shown = own.filter(({ shown: version }) => version !== null);
      return ok({
        documents: own.filter(({ deleted }) => !deleted).length,
        pieces: shown.flatMap(({ id, shown: version }) =>
          store.piecesOf(tenant, { document: id, version: version ?? 0 }),
        ).length,
        bytes: versions.reduce((sum, one) => sum + (one.size ?? 0), 0),
        queued: versions.filter(({ endedAt }) => endedAt === null).length,
      });
    },
    async delete(tenant, scope, id, { at }) {
      const found = store.find(tenant, scope, id);
      if (found === null) return NO_DOCUMENT;
      hide(store, found, at);
      return ok(toDocument(store, found));
    },
    async deleteScope(tenant, scope, at) {
      const own = [...store.documents.values()].filter((one) => one.tenant === tenant && isIn(scope, one.project));
      for (const one of own) if (!one.deleted) hide(store, one, at);
      return ok(own.map(({ id }) => id));
    },
  };
}

type Steps = Pick<
  KnowledgeTable,
  "getOpen" | "beginReading" | "endReading" | "show" | "fail" | "leftovers" | "removeVersions"
>;

function steps(store: Store): Steps {
  return {
    async getOpen(tenant, place) {
      const found = store.findOpen(tenant, place);
      return found === null ? NO_DOCUMENT : ok(toDocument(store, found));
    },
    async beginReading(tenant, place, bytes, at) {
      return ok(store.changeOpen(tenant, place, { ...bytes, status: "reading", at }));
    },
    async endReading(tenant, place, facts, at) {
      const total = Object.values(facts.pieces).reduce((sum, count) => sum + count, 0);
      const isOpen = store.changeOpen(tenant, place, { ...facts, status: "embedding", at });
      if (!isOpen) return ok(false);
      for (const one of store.piecesOf(tenant, place))
        if (one.ordinal >= total) store.pieces.delete(`${tenant} ${one.id}`);
      return ok(true);
    },
    async show(tenant, place, at) {
      const found = store.findOpen(tenant, place);
      if (found === null) return ok(false);
      if (store.piecesOf(tenant, place).some(({ embeddedBy }) => embeddedBy === null))
        return failed("conflict", "Some of its pieces have no vector yet.");
      const status = found.versions.find(({ version }) => version === place.version)?.status;
      if (status !== "embedding") return ok(false);
      const more = { shown: place.version, unclean: found.unclean || found.shown !== null, updatedAt: at };
      return ok(store.changeOpen(tenant, place, { status: "ready", endedAt: at, at }, more));
    },
    async fail(tenant, place, { code, message }, at) {
      const end = { status: "failed", failure: { code, message }, endedAt: at, at } as const;
      return ok(store.changeOpen(tenant, place, end, { unclean: true, updatedAt: at }));
    },
    async leftovers(tenant, id, limit) {
      const document = store.documents.get(`${tenant} ${id}`);
      if (document === undefined) return ok({ pieces: [], folders: [] });
      const obsolete = document.versions.filter((one) => isObsolete(document, one));
      const left = document.versions.filter((one) => one.status === "failed" || isObsolete(document, one));
      const found = left.flatMap(({ version }) => store.piecesOf(tenant, { document: id, version }));
      return ok({
        pieces: found.slice(0, limit).map((piece) => piece.id),
        folders: obsolete.slice(0, limit).map(({ files }) => files),
      });
    },
    async removeVersions(tenant, id, folders) {
      const document = store.documents.get(`${tenant} ${id}`);
      if (document === undefined) return ok(undefined);
      const hasPieces = ({ version }: Version) => store.piecesOf(tenant, { document: id, version }).length > 0;
      const versions = document.versions.filter(
        (one) => !isObsolete(document, one) || hasPieces(one) || !folders.includes(one.files),
      );
      const isClean = !versions.some((one) => isObsolete(document, one) || (one.status === "failed" && hasPieces(one)));
      if (document.deleted && versions.length === 0) store.documents.delete(`${tenant} ${id}`);
      else store.change(document, { versions, unclean: !isClean });
      return ok(undefined);
    },
  };
}

type Pieces = Pick<
  KnowledgeTable,
  "savePieces" | "listUnembedded" | "readToEmbed" | "markEmbedded" | "removePieces" | "readPieces" | "neighbours"
>;

function pieces(store: Store): Pieces {
  const readable = (tenant: string, scope: MemoryScope, ids: readonly string[]): ReadPiece[] =>
    ids.flatMap((id) => {
      const piece = store.pieces.get(`${tenant} ${id}`);
      const document = piece === undefined ? null : store.find(tenant, scope, piece.document);
      if (piece === undefined || document === null || document.shown !== piece.version) return [];
      return [toReadPiece(document, piece)];
    });
  return {
    async savePieces(tenant, place, given) {
      const document = store.findOpen(tenant, place);
      if (document === null) return ok(false);
      for (const piece of given) {
        const id = await getPieceId(place.document, place.version, piece.ordinal);
        const before = store.pieces.get(`${tenant} ${id}`);
        const isSame = before?.text === piece.text && before.heading.join("\n") === piece.heading.join("\n");
        const embeddedBy = isSame ? before.embeddedBy : null;
        store.pieces.set(`${tenant} ${id}`, { ...piece, ...place, id, tenant, project: document.project, embeddedBy });
      }
      return ok(true);
    },
    async listUnembedded(tenant, place, model, limit) {
      const open = store.piecesOf(tenant, place).filter(({ embeddedBy }) => embeddedBy !== model);
      return ok(open.slice(0, limit).map((piece) => toPieceToEmbed(store, piece)));
    },
    async readToEmbed(tenant, ids) {
      const found = ids.flatMap((id) => store.pieces.get(`${tenant} ${id}`) ?? []);
      return ok(found.map((piece) => toPieceToEmbed(store, piece)));
    },
    async markEmbedded(tenant, model, ids) {
      const known = ids.flatMap((id) => store.pieces.get(`${tenant} ${id}`) ?? []);
      for (const one of known) store.pieces.set(`${tenant} ${one.id}`, { ...one, embeddedBy: model });
      return ok(known.map(({ id }) => id));
    },
    async removePieces(tenant, ids) {
      for (const id of ids) store.pieces.delete(`${tenant} ${id}`);
      return ok(undefined);
    },
    async readPieces(tenant, scope, ids) {
      return ok(readable(tenant, scope, ids));
    },
    async neighbours(tenant, scope, { id, before, after }) {
      const [found] = readable(tenant, scope, [id]);
      if (found === undefined) return failed("not_found", "There is no such piece of a document.");
      const near = store
        .piecesOf(tenant, found)
        .filter(({ ordinal }) => ordinal >= found.ordinal - before && ordinal <= found.ordinal + after);
      return ok(
        readable(
          tenant,
          scope,
          near.map((piece) => piece.id),
        ),
      );
    },
  };
}

function all(store: Store): Pick<KnowledgeTable, "openSince" | "unclean" | "toEmbed"> {
  return {
    async openSince(before, limit) {
      const open = [...store.documents.values()].flatMap(({ tenant, id, versions }) =>
        versions
          .filter(({ endedAt, at }) => endedAt === null && at < before)
          .map(({ version }) => ({ tenant, document: id, version })),
      );
      return ok(open.slice(0, limit));
    },
    async unclean(before, limit) {
      const found = [...store.documents.values()].filter((one) => one.unclean && one.updatedAt < before);
      return ok(found.slice(0, limit).map(({ tenant, id }) => ({ tenant, document: id })));
    },
    async toEmbed(model, limit) {
      const open = [...store.pieces.values()].filter(
        (one) => one.embeddedBy !== model && store.find(one.tenant, null, one.document)?.shown === one.version,
      );
      return ok(open.slice(0, limit).map(({ tenant, id }) => ({ tenant, id })));
    },
  };
}

function isIn(scope: MemoryScope, project: string | null): boolean {
  return scope === null || scope.includes(project);
}

function isObsolete(document: FakeDocument, { version }: Version): boolean {
  const latest = document.versions.at(-1)?.version ?? 0;
  return document.deleted || (version < latest && version !== document.shown);
}

function hide(store: Store, document: FakeDocument, at: number): void {
  const versions = document.versions.map((one) =>
    one.endedAt === null ? { ...one, status: "failed" as const, endedAt: at } : one,
  );
  store.change(document, { deleted: true, shown: null, unclean: true, updatedAt: at, versions });
}

function makeDocument(tenant: string, document: NewDocument, at: number): FakeDocument {
  const { id, project, filename, title, tags, author } = document;
  const times = { createdAt: at, updatedAt: at };
  const state = { deleted: false, unclean: false, shown: null, versions: [makeVersion(document, 1, at)] };
  return { tenant, id, project, filename, title, tags, author, ...times, ...state };
}

function makeVersion(given: NewVersion & { readonly label: MemoryLabel }, version: number, at: number): Version {
  const { source, files, hash, size, label } = given;
  const unknown = { format: null, units: null, pieces: {}, embedded: 0, warnings: [], failure: null, title: null };
  return { ...unknown, version, status: "queued", source, files, hash, size, label, createdAt: at, endedAt: null, at };
}

function toDocument(store: Store, document: FakeDocument): KnowledgeDocument {
  const { tenant, title, deleted: _, unclean: __, versions, ...fields } = document;
  const last = versions.at(-1);
  if (last === undefined) throw new Error("a document has a version");
  const { title: own, label, at: ___, ...latest } = last;
  const found = store.piecesOf(tenant, { document: document.id, version: latest.version });
  const embedded = found.filter(({ embeddedBy }) => embeddedBy !== null).length;
  return { ...fields, title: title ?? own ?? document.filename, label, latest: { ...latest, embedded } };
}

function toPieceToEmbed(store: Store, piece: FakePiece & { tenant: string }): PieceToEmbed {
  const document = store.documents.get(`${piece.tenant} ${piece.document}`);
  if (document === undefined) throw new Error("a piece has a document");
  const { id, kind, project } = piece;
  return { id, kind, project, text: toEmbeddedText(toReadPiece(document, piece)) };
}

function toReadPiece(document: FakeDocument, { tenant: _, ...piece }: FakePiece & { tenant: string }): ReadPiece {
  const version = document.versions.find((one) => one.version === piece.version);
  if (version === undefined) throw new Error("a piece has a version");
  const { label, files } = version;
  return { ...piece, title: document.title ?? version.title ?? document.filename, label, files };
}
