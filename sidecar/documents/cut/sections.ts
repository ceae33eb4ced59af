/** The headings and the page at each block of a document. */
import type { DocumentKind } from "../../../core/ports/documents.ts";
import { getText, type MarkdownNode } from "./parse.ts";

const MAX_HEADING_CHARACTERS = 200;
const PAGE_COMMENT = /^<!-- page (\d{1,6}) -->/;
const SLIDE = /^Slide (\d{1,6})\b/;
/** The level of the heading that begins a slide or a sheet, as the readers write it. */
const UNIT_DEPTH = 2;

/** Follows the blocks of a document in order. */
export class Sections {
  readonly #kind: DocumentKind;
  readonly #open: { readonly depth: number; readonly text: string }[] = [];
  #page: number | null = null;
  #sheets = 0;

  constructor(kind: DocumentKind) {
    this.#kind = kind;
  }

  get heading(): readonly string[] {
    return this.#open.map(({ text }) => text);
  }

  get page(): number | null {
    return this.#page;
  }

  /** Whether the block begins another section. */
  enter(node: MarkdownNode): boolean {
    if (node.type === "html" && this.#kind === "pdf") {
      const [, page] = PAGE_COMMENT.exec(node.value ?? "") ?? [];
      if (page === undefined) return false;
      this.#page = Number(page);
      return true;
    }
    if (node.type !== "heading") return false;
    const depth = node.depth ?? 1;
    const text = getText(node).slice(0, MAX_HEADING_CHARACTERS).toWellFormed();
    while ((this.#open.at(-1)?.depth ?? 0) >= depth) this.#open.pop();
    if (text !== "") this.#open.push({ depth, text });
    if (depth === UNIT_DEPTH) this.#enterUnit(text);
    return true;
  }

  #enterUnit(text: string): void {
    if (this.#kind === "pptx") {
      const [, slide] = SLIDE.exec(text) ?? [];
      if (slide !== undefined) this.#page = Number(slide);
    } else if (this.#kind === "xlsx" || this.#kind === "ods") this.#page = this.#sheets += 1;
  }
}
