/**
 * The text of HTML in one linear pass. It reads tokens and no tree: a stack of open elements makes the time of a page
 * with half a million of them quadratic.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Elements whose text is left out, up to their own end. Each needs an end tag. */
const UNREAD: ReadonlySet<string> = new Set(
  "script style noscript template svg iframe object select button textarea nav footer".split(" "),
);
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote br dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header " +
    "hr li main ol p pre section summary table tbody tfoot thead title tr ul"
  ).split(" "),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
const MAX_NAME_CHARACTERS = 20;

/** Returns the text, at most `maxCharacters` of it, with a line for each block, and whether more was left out. */
export function toText(html: string, maxCharacters: number): { readonly text: string; readonly isCut: boolean } {
  const reader = new TextReader(html, maxCharacters);
  const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.finish();
}

class TextReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #maxCharacters: number;
  readonly #lines: string[] = [];
  #length = 0;
  #line = "";
  /** The element that is not read, and how many of its name are open. */
  #unread = "";
  #depth = 0;
  #isInPre = false;
  #name = "";

  constructor(html: string, maxCharacters: number) {
    this.#html = html;
    this.#maxCharacters = maxCharacters;
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#readName(start, end);
    if (this.#unread === "" && UNREAD.has(this.#name)) this.#unread = this.#name;
    if (this.#unread !== "") {
      if (this.#name === this.#unread) this.#depth += 1;
      return;
    }
    if (BLOCKS.has(this.#name)) this.#endLine();
    else if (CELLS.has(this.#name)) this.#line += " ";
    if (this.#name === "pre") this.#isInPre = true;
  }

  onselfclosingtag(): void {
    if (this.#name === "svg") this.#close("svg");
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#readName(start, end));
  }

  ontext(start: number, end: number): void {
    if (this.#unread === "" && this.#length <= this.#maxCharacters) this.#line += this.#html.slice(start, end);
  }

  ontextentity(codepoint: number): void {
    if (this.#unread === "") this.#line += String.fromCodePoint(codepoint);
  }

  #close(name: string): void {
    if (this.#unread !== "") {
      if (name !== this.#unread) return;
      this.#depth -= 1;
      if (this.#depth === 0) this.#unread = "";
      return;
    }
    if (BLOCKS.has(name)) this.#endLine();
    if (name === "pre") this.#isInPre = false;
  }

  #endLine(): void {
    const text = this.#isInPre ? this.#line : this.#line.replaceAll(/\s+/g, " ").trim();
    this.#line = "";
    if (text.trim() === "" || this.#length > this.#maxCharacters) return;
    this.#lines.push(text);
    this.#length += text.length + 1;
  }

  #readName(start: number, end: number): string {
    return end - start > MAX_NAME_CHARACTERS ? "" : this.#html.slice(start, end).toLowerCase();
  }

  finish(): { readonly text: string; readonly isCut: boolean } {
    this.#endLine();
    const text = this.#lines.join("\n");
    return { text: text.slice(0, this.#maxCharacters), isCut: text.length > this.#maxCharacters };
  }

  // Tokens without text.
  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  onattribname(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}
}
