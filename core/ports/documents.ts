/** Office documents and similar files as Markdown. Converters run in separate processes with limits. */
import { z } from "zod";
import type { Result } from "../base/errors.ts";
import type { DocumentMaker } from "../documents/make.ts";
import type { CutPiece } from "../documents/cut-piece.ts";

/** The readable kinds. `image` is a picture: only its facts are read. `text` is any other text file. */
export const DOCUMENT_KINDS = [
  "pdf",
  "docx",
  "odt",
  "rtf",
  "epub",
  "html",
  "pptx",
  "xlsx",
  "ods",
  "eml",
  "ipynb",
  "image",
  "csv",
  "tsv",
  "markdown",
  "text",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** The largest readable document. */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

/** The first and the last page, counted from 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** A document to read. `name` distinguishes text formats. `open` returns exactly `size` bytes. */
export interface DocumentToRead {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of its bytes in lower-case hex. Without it the document is read twice, to hash it. */
  readonly sha256?: string;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
  /** Pages of a PDF; null for all. */
  readonly pages: PageRange | null;
  /** Whether to return the bytes of its pictures. */
  readonly withImages: boolean;
  /** Whether to cut it into pieces, at most `MAX_DOCUMENT_PIECES`: one with more is `too_large`. */
  readonly withPieces?: boolean;
  readonly signal: AbortSignal;
}

/** The facts of a document. `units`: how many pages, slides or sheets it has, and how many of them were read. */
export const documentFacts = z.object({
  kind: z.enum(DOCUMENT_KINDS),
  title: z.string().nullable(),
  units: z.object({ name: z.enum(["pages", "slides", "sheets"]), total: z.int(), read: z.int() }).nullable(),
  images: z.array(z.object({ name: z.string(), contentType: z.string(), size: z.int() })),
  warnings: z.array(z.string()),
});
export type DocumentFacts = z.infer<typeof documentFacts>;

/** A picture's bytes. `name` is one of `DocumentFacts.images`, by which the Markdown refers to it. */
export interface DocumentImage {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** `markdown` refers to a picture as `![text](name)`. */
export interface DocumentRead extends DocumentFacts {
  readonly markdown: string;
  /** In order, with offsets in `markdown`. Empty unless requested. */
  readonly pieces: readonly CutPiece[];
  /** Empty unless requested. Streamed; reading throws when the connection breaks. */
  readonly imageFiles: AsyncIterable<DocumentImage>;
}

/**
 * Failures: `unsupported_media` (the message lists the readable kinds), `too_large`, `invalid_input` (damaged,
 * encrypted, or hostile), `timeout`, `not_available`, `upstream_failed`. Never throws.
 */
export interface DocumentsPort extends DocumentMaker {
  read(document: DocumentToRead): Promise<Result<DocumentRead>>;
}
