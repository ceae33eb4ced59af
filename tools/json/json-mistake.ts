/**
 * Finds the first mistake of a JSON text (RFC 8259) and where it is. It takes what `JSON.parse` takes, whose own messages
 * differ between engines and do not always name the place, and refuses three things more: a name that an object has
 * twice, a number beyond the largest there is, and nesting beyond a limit.
 */

/** A mistake, and the offset in UTF-16 units where it begins. */
export interface JsonMistake {
  readonly offset: number;
  readonly message: string;
}

/** Objects and arrays that may stand in each other. */
const MAX_DEPTH = 100;
/** Characters of the text that a message shows. */
const SHOWN = 20;

const SPACE = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in a text
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /(?:true|false|null)/y;

/** Finds the first mistake; null for valid JSON. */
export function findJsonMistake(text: string): JsonMistake | null {
  try {
    new Reader(text).readAll();
    return null;
  } catch (thrown) {
    if (thrown instanceof Mistake) return { offset: thrown.offset, message: thrown.message };
    throw thrown;
  }
}

class Mistake extends Error {
  override readonly name = "Mistake";
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readAll(): void {
    this.readValue(0);
    if (this.at < this.text.length) throw this.expected("the end");
  }

  /** Reads a value, and the space on both sides of it. */
  private readValue(depth: number): void {
    this.moveOver(SPACE);
    const character = this.text[this.at];
    if (character === "{") this.readObject(depth + 1);
    else if (character === "[") this.readArray(depth + 1);
    else if (character === '"') this.readText();
    else if (!this.moveOver(WORD)) this.readNumber();
    this.moveOver(SPACE);
  }

  private readObject(depth: number): void {
    this.open(depth);
    if (this.takes("}")) return;
    const names = new Set<string>();
    do {
      this.moveOver(SPACE);
      const start = this.at;
      if (this.text[start] !== '"') throw this.expected("a name in double quotes");
      const name = this.readText();
      if (names.has(name)) throw new Mistake(start, `the name ${JSON.stringify(name.slice(0, 100))} is there twice`);
      names.add(name);
      this.moveOver(SPACE);
      if (!this.takes(":")) throw this.expected('":"');
      this.readValue(depth);
    } while (this.takes(","));
    if (!this.takes("}")) throw this.expected('"," or "}"');
  }

  private readArray(depth: number): void {
    this.open(depth);
    if (this.takes("]")) return;
    do this.readValue(depth);
    while (this.takes(","));
    if (!this.takes("]")) throw this.expected('"," or "]"');
  }

  private open(depth: number): void {
    if (depth > MAX_DEPTH) throw new Mistake(this.at, `it is nested more than ${MAX_DEPTH} deep`);
    this.at += 1;
    this.moveOver(SPACE);
  }

  /** Reads a text in quotes and gives what it says. */
  private readText(): string {
    const start = this.at;
    this.at += 1;
    for (this.moveOver(PLAIN_TEXT); this.text[this.at] !== '"'; this.moveOver(PLAIN_TEXT)) {
      if (this.at >= this.text.length) throw new Mistake(start, "the text that begins here has no closing quote");
      if (this.moveOver(ESCAPE)) continue;
      if (this.text[this.at] === "\\") throw new Mistake(this.at, `${this.shown(2)} is no escape`);
      throw new Mistake(this.at, `${this.shown(1)} has to be escaped inside a text`);
    }
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private readNumber(): void {
    const start = this.at;
    if (!this.moveOver(NUMBER)) throw this.expected("a value");
    if (!Number.isFinite(Number(this.text.slice(start, this.at)))) {
      throw new Mistake(start, "the number is too large");
    }
  }

  /** Moves on over what the expression matches here; false: nothing, or less than a character. */
  private moveOver(expression: RegExp): boolean {
    expression.lastIndex = this.at;
    if (!expression.test(this.text)) return false;
    const isLonger = expression.lastIndex > this.at;
    this.at = expression.lastIndex;
    return isLonger;
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expected(what: string): Mistake {
    return new Mistake(
      this.at,
      `expected ${what}, found ${this.at < this.text.length ? this.shown(SHOWN) : "the end"}`,
    );
  }

  /** Quotes the text at this position, up to a space. */
  private shown(characters: number): string {
    const rest = this.text.slice(this.at, this.at + characters);
    const [word = ""] = /^[\w'.+-]+|^\\?[^]/u.exec(rest) ?? [];
    return JSON.stringify(word);
  }
}
