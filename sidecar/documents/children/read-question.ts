/** What the process that reads a document is asked, and what it answers. */
import type { DocumentKind, PageRange } from "../../../core/ports/documents.ts";

/** The question's head; its one part is the document. */
export interface ReadQuestion {
  readonly kind: DocumentKind;
  readonly pages: PageRange | null;
  readonly withImages: boolean;
}

/** What a reader gives. The Markdown refers to a picture by the path of the archive's part, or by the name that is in `images`. */
export interface ReadPart {
  readonly markdown: string;
  readonly units: {
    readonly name: "pages" | "slides" | "sheets";
    readonly total: number;
    readonly read: number;
  } | null;
  readonly warnings: readonly string[];
  readonly images?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** The answer's head; its parts are the Markdown and then the pictures. With `error` there are none. */
export interface ReadAnswer {
  readonly error: string | null;
  readonly units: ReadPart["units"];
  readonly warnings: readonly string[];
  readonly images: readonly string[];
}
