/** The question to the process that reads a document, and its answer. */
import type { DocumentKind, PageRange } from "../../../core/ports/documents.ts";

/** The question's head. Its one part is the document. */
export interface ReadQuestion {
  readonly kind: DocumentKind;
  readonly pages: PageRange | null;
  readonly withImages: boolean;
  /** Until when after the question a PDF's tables may be read a second time, in milliseconds. Absent: not at all. */
  readonly secondReadingUntilMs?: number;
}

/** A reader's result. The Markdown refers to pictures by the path of the archive's part or by their name in `images`. */
export interface ReadPart {
  readonly markdown: string;
  readonly units: {
    readonly name: "pages" | "slides" | "sheets";
    readonly total: number;
    readonly read: number;
  } | null;
  readonly warnings: readonly string[];
  readonly images?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** The rest of the document as HTML, which pandoc converts. */
  readonly html?: string;
}

/** The answer's head. Its parts are the Markdown, the HTML if there is any, and the pictures; absent when `error` is set. */
export interface ReadAnswer {
  readonly error: string | null;
  readonly units: ReadPart["units"];
  readonly warnings: readonly string[];
  readonly hasHtml: boolean;
  readonly images: readonly string[];
}
