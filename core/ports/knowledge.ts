/** The rows of documents and their pieces. Expected failures are values. */
import type { Failure, Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type {
  DocumentFacts,
  DocumentScope,
  DocumentVersion,
  IngestState,
  KnowledgeDocument,
  NewDocument,
  NewVersion,
} from "../knowledge/document.ts";
import type { Piece, PieceKind, ReadPiece } from "../knowledge/piece.ts";
import type { AuditEntry } from "./audit.ts";

/** One version of a document. */
export interface VersionPlace {
  readonly document: string;
  readonly version: number;
}

/** A new version. What is null stays as it is. */
export interface DocumentChange {
  readonly id: string;
  readonly filename: string | null;
  readonly title: string | null;
  readonly tags: readonly string[] | null;
  readonly label: KnowledgeDocument["label"];
  readonly version: NewVersion;
}

/** The filter of a list of documents; null matches all. */
export interface DocumentFilter {
  readonly scope: DocumentScope;
  readonly status: IngestState | null;
}

/** What a tenant has: documents, pieces that searches read, bytes of originals, and versions that are not read yet. */
export interface KnowledgeUsage {
  readonly documents: number;
  readonly pieces: number;
  readonly bytes: number;
  readonly queued: number;
}

/** A piece that needs a vector. `text`: what the vector is made of (`toEmbeddedText`). */
export interface PieceToEmbed {
  readonly id: string;
  readonly kind: PieceKind;
  readonly project: string | null;
  readonly text: string;
}

/** What is left of versions that no search reads. `folders`: of files in the bucket. */
export interface Leftovers {
  readonly pieces: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Documents. A scope names the projects that the caller may read (`DocumentScope`). A version is open until it is ready or
 * failed, a later one is accepted, or its document is deleted; a method that takes a `VersionPlace` changes open ones only,
 * and returns false for others.
 */
export interface KnowledgeTable extends KnowledgePieces, KnowledgeOfAll {
  /** Adds a document. Idempotent by id. `quota_exceeded` at the tenant's limits of bytes and of queued documents. */
  create(tenant: string, document: NewDocument, act: AuditEntry): Promise<Result<KnowledgeDocument>>;
  /** Adds a version, and closes an open earlier one. Idempotent by the version's `files`. The same limits. */
  replace(
    tenant: string,
    scope: DocumentScope,
    change: DocumentChange,
    act: AuditEntry,
  ): Promise<Result<KnowledgeDocument>>;
  get(tenant: string, scope: DocumentScope, id: string): Promise<Result<KnowledgeDocument>>;
  /** The latest first. */
  page(tenant: string, filter: DocumentFilter, request: PageRequest): Promise<Result<Page<KnowledgeDocument>>>;
  usage(tenant: string): Promise<Result<KnowledgeUsage>>;
  /** Hides a document from every reader. The sweep removes its pieces, vectors and files. Returns it as it was. */
  delete(tenant: string, scope: DocumentScope, id: string, act: AuditEntry): Promise<Result<KnowledgeDocument>>;
  /** Hides the documents of a scope; null: all of the tenant. Returns the ids of at most 1,000 that are not removed yet. */
  deleteScope(tenant: string, scope: DocumentScope, at: number): Promise<Result<readonly string[]>>;

  /** The document of an open version; `not_found` if the version is not open. */
  getOpen(tenant: string, place: VersionPlace): Promise<Result<KnowledgeDocument>>;
  /** Records that a version is being read, and what is known of its bytes. */
  beginReading(
    tenant: string,
    place: VersionPlace,
    bytes: Pick<DocumentVersion, "hash" | "size">,
    at: number,
  ): Promise<Result<boolean>>;
  /** Records what was read. All pieces are saved: those with a higher ordinal, of an earlier attempt, are removed. */
  endReading(tenant: string, place: VersionPlace, facts: DocumentFacts, at: number): Promise<Result<boolean>>;
  /** Lets searches read this version instead of the one before, in one statement. `conflict` while a piece has no vector. */
  show(tenant: string, place: VersionPlace, at: number): Promise<Result<boolean>>;
  /** Ends a version. The version that searches read stays. */
  fail(tenant: string, place: VersionPlace, failure: Failure, at: number): Promise<Result<boolean>>;

  /** At most `limit` pieces and folders of versions that no search reads any more. */
  leftovers(tenant: string, document: string, limit: number): Promise<Result<Leftovers>>;
  /** Removes the rows of such versions that have no pieces and whose files were in these folders, and a deleted document. */
  removeVersions(tenant: string, document: string, folders: readonly string[]): Promise<Result<void>>;
}

/** Pieces of documents. */
export interface KnowledgePieces {
  /** Saves pieces, at most 250. One of the same ordinal is replaced. */
  savePieces(tenant: string, place: VersionPlace, pieces: readonly Piece[]): Promise<Result<boolean>>;
  /** Pieces of a version that have no vector with this mark (`toVectorMark`), in order. */
  listUnembedded(
    tenant: string,
    place: VersionPlace,
    mark: string,
    limit: number,
  ): Promise<Result<readonly PieceToEmbed[]>>;
  /** Pieces to embed by their ids; those that do not exist are left out. */
  readToEmbed(tenant: string, ids: readonly string[]): Promise<Result<readonly PieceToEmbed[]>>;
  /** Records that pieces have a vector with this mark, and returns the ids of those that exist. */
  markEmbedded(tenant: string, mark: string, ids: readonly string[]): Promise<Result<readonly string[]>>;
  removePieces(tenant: string, ids: readonly string[]): Promise<Result<void>>;

  /** Those of these pieces that searches read and that are in the scope, in no order. */
  readPieces(tenant: string, scope: DocumentScope, ids: readonly string[]): Promise<Result<readonly ReadPiece[]>>;
  /** A piece with those next to it in its version, in order; `not_found` if searches do not read it, or not in the scope. */
  neighbours(
    tenant: string,
    scope: DocumentScope,
    piece: { readonly id: string; readonly before: number; readonly after: number },
  ): Promise<Result<readonly ReadPiece[]>>;
}

/** What the sweep finds across tenants. */
export interface KnowledgeOfAll {
  /** Open versions that nothing has changed since. */
  openSince(before: number, limit: number): Promise<Result<readonly (VersionPlace & { readonly tenant: string })[]>>;
  /** Documents with leftovers that nothing has changed since. */
  unclean(
    before: number,
    limit: number,
  ): Promise<Result<readonly { readonly tenant: string; readonly document: string }[]>>;
  /** Pieces that searches read and that have no vector with this mark. */
  toEmbed(mark: string, limit: number): Promise<Result<readonly { readonly tenant: string; readonly id: string }[]>>;
}
