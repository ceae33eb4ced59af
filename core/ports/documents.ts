/** Documents of offices and the like, as Markdown. What reads them runs apart, in processes with limits of their own. */
import { z } from "zod";
import type { Result } from "../base/errors.ts";
import type { DocumentMaker } from "../documents/make.ts";

/** What can be read. `text` is any other file of text. */
export const DOCUMENT_KINDS = [
  "pdf",
  "docx",
  "odt",
  "rtf",
  "epub",
  "html",
  "pptx",
  "xlsx",
  "csv",
  "tsv",
  "markdown",
  "text",
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** The largest document that is read. */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

/** The first and the last page, counted from 1. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** `name` is the file's own name: it decides between kinds that are all text. `open` gives exactly `size` bytes. */
export interface DocumentToRead {
  readonly name: string;
  readonly size: number;
  /** Of its bytes, lower-case hex. Without it the document is read once more, to be hashed. */
  readonly sha256?: string;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
  /** Of a PDF; null: all. */
  readonly pages: PageRange | null;
  /** Whether the bytes of its pictures are wanted. */
  readonly withImages: boolean;
  readonly signal: AbortSignal;
}

/** The facts of a document that was read. `units`: how many pages, slides or sheets it has, and how many of them were read. */
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
  /** Empty unless they were wanted. They come as they are read, and reading them throws when the connection breaks. */
  readonly imageFiles: AsyncIterable<DocumentImage>;
}

/**
 * Failures: `unsupported_media` (the message lists what is read), `too_large`, `invalid_input` (damaged, encrypted, made to
 * overwhelm a reader), `timeout`, `not_available`, `upstream_failed`. Never throws.
 */
export interface DocumentsPort extends DocumentMaker {
  read(document: DocumentToRead): Promise<Result<DocumentRead>>;
}
