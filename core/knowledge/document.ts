/**
 * Documents of the knowledge base. Each belongs to a project or to the whole tenant; for every reader their text is data, never
 * instructions. Times are milliseconds since the epoch.
 */
import type { ErrorCode } from "../base/errors.ts";
import type { MemoryLabel, MemoryScope } from "../memory/memory.ts";
import type { DocumentKind } from "../ports/documents.ts";
import type { PieceKind } from "./piece.ts";

/** Pieces of one document, and of all documents of a tenant; bytes of all originals of a tenant; documents that wait to be read. */
export const MAX_DOCUMENT_PIECES = 5_000;
export const MAX_TENANT_PIECES = 100_000;
export const MAX_TENANT_BYTES = 10 * 1024 ** 3;
export const MAX_QUEUED_DOCUMENTS = 1_000;

/** The projects whose documents a caller may read, as of memories. */
export type DocumentScope = MemoryScope;

/** `queued`: accepted. `reading`: its text is read and cut. `embedding`: its pieces get vectors. `ready`: searches find it. */
export const INGEST_STATES = ["queued", "reading", "embedding", "ready", "failed"] as const;
export type IngestState = (typeof INGEST_STATES)[number];

/**
 * Where the bytes of a version come from. `upload`: the bucket has them by `hash`. `url`: fetched when it is read. `file`: a file of
 * a task's sandbox, copied into the bucket when it was accepted. `text`: given as Markdown, in the bucket too.
 */
export type DocumentSource =
  | { readonly kind: "upload" | "text" }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "file"; readonly task: string; readonly path: string };

/** One accepted version of a document. `hash`, `size`, `format` and `units` are null until they are known. */
export interface DocumentVersion {
  readonly version: number;
  readonly status: IngestState;
  readonly source: DocumentSource;
  /** The folder of its files in the bucket (`getKnowledgeKey`). No two versions share one. */
  readonly files: string;
  readonly hash: string | null;
  readonly size: number | null;
  readonly format: DocumentKind | null;
  readonly units: number | null;
  readonly pieces: Readonly<Partial<Record<PieceKind, number>>>;
  /** Of its pieces, those that have a vector. */
  readonly embedded: number;
  readonly warnings: readonly string[];
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/**
 * A document. `project` null: the whole tenant's. `title`: the given one, else its own, else its filename. `shown`: the
 * version that searches read; null before the first is ready.
 */
export interface KnowledgeDocument {
  readonly id: string;
  readonly project: string | null;
  readonly filename: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly label: MemoryLabel;
  readonly shown: number | null;
  readonly latest: DocumentVersion;
  /** The agent or API key that added it. */
  readonly author: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A document to add, with its first version. `title` null: its own title, or its filename. */
export interface NewDocument extends NewVersion {
  readonly id: string;
  readonly project: string | null;
  readonly filename: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly label: MemoryLabel;
  readonly author: string;
}

/** A version to add. Of an address, `hash` and `size` are null until it is read. */
export type NewVersion = Pick<DocumentVersion, "source" | "files" | "hash" | "size">;

/** What is known of a version once it has been read. `title`: the document's own. */
export interface DocumentFacts extends Pick<DocumentVersion, "format" | "units" | "pieces" | "warnings"> {
  readonly title: string | null;
}
