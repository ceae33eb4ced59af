/**
 * Reads the tokens of a YAML text before it is parsed, and refuses what a parser would spend too much on or read in a way
 * that surprises: tags, directives, deep nesting, texts without end.
 */
import { CST, Lexer } from "yaml";

/** What is refused, and the offset in UTF-16 units where it stands. */
export interface YamlMistake {
  readonly offset: number;
  readonly message: string;
}

/** Levels of a value, one inside the other. */
export const MAX_DEPTH = 100;

/** Tokens that are read in one turn: some milliseconds. */
export const TOKENS_OF_TURN = 2_000;

/** Finds the first mistake; null for a text without one. Yields after each turn. */
export function* findYamlMistake(text: string, maxTokens: number): Generator<void, YamlMistake | null> {
  // oxlint-disable-next-line no-control-regex -- YAML forbids them, and the lexer uses some for marks of its own
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text);
  if (control !== null) return { offset: control.index, message: "control characters are not allowed" };
  const outline = new Outline(maxTokens);
  let turn = 0;
  for (const token of new Lexer().lex(text)) {
    const message = outline.refuse(token);
    if (message !== null) return { offset: outline.offset, message };
    turn += 1;
    if (turn % TOKENS_OF_TURN === 0) yield;
  }
  return null;
}

const ESCAPE = /\\(?:[0abtnvfre "/\\N_LP\t\n\r]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/y;

/** Marks of the lexer that stand for no character of the text. */
const MARKS: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

const REFUSED: Readonly<Partial<Record<CST.TokenType, string>>> = {
  tag: "tags (!name) are refused",
};

const INDICATORS: ReadonlySet<CST.TokenType> = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"]);

/** What is said of a text with more than one document. */
export const MORE_DOCUMENTS = "it holds more than one document";

/** Follows the tokens. `offset` is where the last one began, or the place in it that is refused. */
class Outline {
  offset = 0;
  private next = 0;
  private tokens = 0;
  private documents = 0;
  private lineStart = 0;
  private flow = 0;
  /** The columns at which blocks stand open in each other. */
  private readonly blocks: number[] = [];
  /** Whether what comes next may begin a block: it is the first on its line, or behind `-`, `?` or `:`. */
  private isFresh = true;
  private isScalar = false;
  private readonly maxTokens: number;

  constructor(maxTokens: number) {
    this.maxTokens = maxTokens;
  }

  /** Why the token is refused; null: it is not. */
  refuse(token: string): string | null {
    this.offset = this.next;
    if (MARKS.has(token)) {
      this.isScalar = token === CST.SCALAR;
      return null;
    }
    this.next += token.length;
    this.tokens += 1;
    if (this.tokens > this.maxTokens) return `it has more than ${this.maxTokens} tokens`;
    const type = this.isScalar ? "scalar" : CST.tokenType(token);
    this.isScalar = false;
    return this.refuseType(type, token) ?? this.follow(type, token);
  }

  private refuseType(type: CST.TokenType | null, token: string): string | null {
    if (type === "directive-line" && !/^%YAML\s+1\.2\s*$/.test(token)) return "only the directive %YAML 1.2 is allowed";
    if (this.flow === 0 && (type === "flow-map-end" || type === "flow-seq-end")) return `${token} ends nothing`;
    if (type === "doc-start") this.documents += 1;
    if (this.documents > 1) return MORE_DOCUMENTS;
    if (type === "double-quoted-scalar") return this.refuseEscape(token);
    return (type === null ? undefined : REFUSED[type]) ?? null;
  }

  /** The library makes an error of each escape that it does not know. */
  private refuseEscape(token: string): string | null {
    for (let at = token.indexOf("\\"); at >= 0; at = token.indexOf("\\", ESCAPE.lastIndex)) {
      ESCAPE.lastIndex = at;
      if (ESCAPE.test(token)) continue;
      this.offset += at;
      return `${JSON.stringify(token.slice(at, at + 2))} is no escape`;
    }
    return null;
  }

  private follow(type: CST.TokenType | null, token: string): string | null {
    const isEmpty = type === "space" || type === "newline" || type === "comment";
    if (type === "flow-map-start" || type === "flow-seq-start") this.flow += 1;
    else if (type === "flow-map-end" || type === "flow-seq-end") this.flow = Math.max(0, this.flow - 1);
    else if (this.flow === 0 && this.isFresh && !isEmpty) this.standAt();
    if (!isEmpty) this.isFresh = type !== null && INDICATORS.has(type);
    const lineBreak = token.lastIndexOf("\n");
    if (lineBreak >= 0) {
      this.lineStart = this.offset + lineBreak + 1;
      this.isFresh = true;
    }
    return this.flow + this.blocks.length > MAX_DEPTH ? `it is nested more than ${MAX_DEPTH} deep` : null;
  }

  /** Something stands at this column: blocks further in have ended, and one may begin. */
  private standAt(): void {
    const column = this.offset - this.lineStart;
    while ((this.blocks.at(-1) ?? -1) > column) this.blocks.pop();
    if ((this.blocks.at(-1) ?? -1) < column) this.blocks.push(column);
  }
}
