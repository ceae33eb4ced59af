/**
 * Scans streamed XML for what overloads XML parsers: document type declarations, deep nesting, and too many nodes. It works on bytes with
 * constant memory, and continues where a parser would stop.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";

const MAX_XML_DEPTH = 256;
/** Limits all parts of a document together. */
export const MAX_XML_NODES = 2_000_000;

/** `by_name` allows a document type by name and address, which is never fetched. An internal subset is always refused. */
export interface XmlRules {
  readonly doctype: "refused" | "by_name";
}

/** Totals over all parts of a document. */
export interface XmlTotals {
  nodes: number;
}

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const DASH = 0x2d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

type State =
  | "text"
  | "opened"
  | "open_tag"
  | "close_tag"
  | "instruction"
  | "declared"
  | "declaration"
  | "comment"
  | "cdata";

/** Scans one part. `scan` takes its next bytes. */
export class XmlScan {
  readonly #rules: XmlRules;
  readonly #totals: XmlTotals;
  #state: State = "text";
  #quote = 0;
  #before = 0;
  #beforeThat = 0;
  #depth = 0;
  /** The characters after `<!` that identify the construct. */
  #word = "";

  constructor(rules: XmlRules, totals: XmlTotals) {
    this.#rules = rules;
    this.#totals = totals;
  }

  scan(chunk: Uint8Array): Result<void> {
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#state === "text") {
        const next = chunk.indexOf(LT, at);
        if (next < 0) return ok(undefined);
        at = next;
        this.#state = "opened";
        continue;
      }
      if (this.#state === "open_tag" || this.#state === "close_tag") {
        at = this.#state === "open_tag" ? this.#skipTag(chunk, at) : this.#skipClosing(chunk, at);
        continue;
      }
      const refused = this.#step(chunk[at] ?? 0);
      if (refused !== null) return refused;
    }
    return ok(undefined);
  }

  #step(byte: number): Result<never> | null {
    const refused = this.#take(byte);
    this.#beforeThat = this.#before;
    this.#before = byte;
    return refused;
  }

  #take(byte: number): Result<never> | null {
    switch (this.#state) {
      case "opened":
        return this.#begin(byte);
      case "instruction":
        if (byte === GT && this.#before === QUESTION) this.#state = "text";
        return null;
      case "comment":
        if (byte === GT && this.#before === DASH && this.#beforeThat === DASH) this.#state = "text";
        return null;
      case "cdata":
        if (byte === GT && this.#before === CLOSE_BRACKET && this.#beforeThat === CLOSE_BRACKET) this.#state = "text";
        return null;
      case "declared":
        return this.#declare(byte);
      case "declaration":
        return this.#inDeclaration(byte);
      case "open_tag":
      case "close_tag":
      case "text":
        return null;
    }
  }

  #begin(byte: number): Result<never> | null {
    this.#quote = 0;
    this.#word = "";
    if (byte === BANG) this.#state = "declared";
    else if (byte === QUESTION) this.#state = "instruction";
    else if (byte === SLASH) this.#state = "close_tag";
    else return this.#openElement();
    return null;
  }

  #openElement(): Result<never> | null {
    this.#state = "open_tag";
    this.#totals.nodes += 1;
    this.#depth += 1;
    if (this.#depth > MAX_XML_DEPTH) return refuseTooLarge(`nests its elements more than ${MAX_XML_DEPTH} deep`);
    if (this.#totals.nodes > MAX_XML_NODES) return refuseTooLarge(`has more than ${MAX_XML_NODES} elements`);
    return null;
  }

  #closeElement(): void {
    this.#state = "text";
    if (this.#depth > 0) this.#depth -= 1;
  }

  /** Skips to the end of a tag without a call per byte, since most of a document is tags. */
  #skipTag(chunk: Uint8Array, from: number): number {
    let quote = this.#quote;
    let before = this.#before;
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) quote = byte;
      else if (byte === GT) {
        this.#quote = 0;
        if (before === SLASH) this.#closeElement();
        else this.#state = "text";
        return at;
      }
      before = byte;
    }
    this.#quote = quote;
    this.#before = before;
    return chunk.length;
  }

  #skipClosing(chunk: Uint8Array, from: number): number {
    const end = chunk.indexOf(GT, from);
    if (end < 0) return chunk.length;
    this.#closeElement();
    return end;
  }

  /** Handles the first characters after `<!`. */
  #declare(byte: number): Result<never> | null {
    this.#word += String.fromCharCode(byte).toUpperCase();
    if (this.#word === "--") this.#state = "comment";
    else if (this.#word === "[CDATA[") this.#state = "cdata";
    else if (this.#word === "DOCTYPE" && this.#rules.doctype === "by_name") this.#state = "declaration";
    else if (!"--".startsWith(this.#word) && !"[CDATA[".startsWith(this.#word) && !this.#mayBeDoctype())
      return refuseDeclaration();
    // Do not count the opening dashes: `<!-->` does not end a comment.
    if (this.#state === "comment") this.#before = 0;
    return null;
  }

  #mayBeDoctype(): boolean {
    return this.#rules.doctype === "by_name" && "DOCTYPE".startsWith(this.#word);
  }

  #inDeclaration(byte: number): Result<never> | null {
    if (this.#quote !== 0) {
      if (byte === this.#quote) this.#quote = 0;
    } else if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) this.#quote = byte;
    else if (byte === OPEN_BRACKET || byte === LT) return refuseDeclaration();
    else if (byte === GT) this.#state = "text";
    return null;
  }
}

function refuseDeclaration(): Result<never> {
  return failed("invalid_input", "The document declares XML entities or its own document type, so it cannot be read.");
}

function refuseTooLarge(why: string): Result<never> {
  return failed("too_large", `The document ${why}.`);
}
