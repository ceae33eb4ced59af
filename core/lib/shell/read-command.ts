/**
 * Parses the part of the POSIX shell language that can be judged before it runs (POSIX.1-2024, XCU 2): simple commands
 * of words, joined by `|`, `&&`, `||` and `;`. Refuses by name what a shell would expand, run or redirect, and
 * everything that shells parse differently. Globs stay, because they can only become file names.
 */
import { getOwn } from "../../base/own-field.ts";
import { failed, ok, type Result } from "../../base/errors.ts";

/** A part of a word: text, or an unexpanded glob (`*`, `?`, `[a-z]`). */
export interface WordPart {
  readonly text: string;
  readonly isGlob: boolean;
}

/** Never empty; a quoted empty word is one empty text. */
export type Word = readonly WordPart[];

export type Joint = "|" | "&&" | "||" | ";";

/** One program and its arguments. `joint` precedes it; null for the first one. */
export interface Segment {
  readonly joint: Joint | null;
  readonly words: readonly [Word, ...Word[]];
}

/** Rewritten, it is at most four times as long, which fits one argument of a program. */
const MAX_COMMAND_CHARACTERS = 8_000;

/** A bracket that stays a glob. */
const BRACKET = /^\[!?[A-Za-z0-9_.]+(?:-[A-Za-z0-9_.]+)*\]/;

const RESERVED: ReadonlySet<string> = new Set(
  "if then else elif fi do done case esac while until for in function select".split(" "),
);

/** Characters that cannot be judged outside quotes, with their meaning. */
const UNJUDGED: Readonly<Record<string, string>> = {
  "`": "command substitution (`)",
  $: "an expansion ($)",
  "<": "a redirection, here-document or process substitution (<)",
  ">": "a redirection or process substitution (>)",
  "(": "a subshell or function (parenthesis)",
  ")": "a subshell or function (parenthesis)",
  "{": "a group or brace expansion ({)",
  "}": "a group or brace expansion (})",
};

/** Parses the segments of a command, in order; at least one. `blocked_by_policy` names what cannot be judged. */
export function readCommand(command: string): Result<readonly [Segment, ...Segment[]]> {
  const unreadable = whyUnreadable(command);
  if (unreadable !== null) return refuse(unreadable);
  const reader = new CommandReader(command);
  const reason = reader.read();
  if (reason !== null) return refuse(reason);
  const [first, ...rest] = reader.segments;
  return first === undefined ? refuse("an empty command") : ok([first, ...rest]);
}

/** Returns the text of a word; null if it has a glob. */
export function getLiteral(word: Word): string | null {
  return word.some(({ isGlob }) => isGlob) ? null : word.map(({ text }) => text).join("");
}

function whyUnreadable(command: string): string | null {
  if (command.length > MAX_COMMAND_CHARACTERS) return `a command of more than ${MAX_COMMAND_CHARACTERS} characters`;
  if (!command.isWellFormed()) return "half of a surrogate pair";
  if (/[\n\r\u0085\u2028\u2029]/.test(command)) return "a line break";
  return /\p{Cc}/u.test(command) ? "a control character" : null;
}

/** Parses a command in one pass, and stops at what it cannot judge. */
class CommandReader {
  readonly segments: Segment[] = [];
  private readonly text: string;
  private at = 0;
  private joint: Joint | null = null;
  private words: Word[] = [];
  private parts: WordPart[] | null = null;
  /** Whether the word has a quote or an escape: then it is not a reserved word to a shell. */
  private isQuoted = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Null when all was parsed; otherwise what cannot be judged. */
  read(): string | null {
    while (this.at < this.text.length) {
      const reason = this.readNext(this.text.charAt(this.at));
      if (reason !== null) return reason;
    }
    const reason = this.endWord();
    if (reason !== null) return reason;
    // One semicolon may end a list.
    if (this.words.length === 0 && this.joint === ";") return null;
    return this.endSegment(null);
  }

  private readNext(character: string): string | null {
    if (character === " ") {
      this.at += 1;
      return this.endWord();
    }
    if (character === "'" || character === '"') return this.readQuoted(character);
    if (character === "\\") return this.readEscape();
    if (character === "|" || character === "&" || character === ";") return this.readJoint(character);
    const unjudged = getOwn(UNJUDGED, character);
    if (unjudged !== undefined) return unjudged;
    if (this.parts === null && character === "#") return "a comment (#)";
    if (this.parts === null && character === "~") return "tilde expansion (~)";
    if (character === "*" || character === "?") return this.add(character, true);
    return character === "[" ? this.readBracket() : this.add(character, false);
  }

  private readQuoted(quote: "'" | '"'): string | null {
    this.isQuoted = true;
    this.add("", false, 1);
    for (; this.at < this.text.length; ) {
      const character = this.text.charAt(this.at);
      if (character === quote) {
        this.at += 1;
        return null;
      }
      if (quote === '"' && (character === "$" || character === "`"))
        return `${getOwn(UNJUDGED, character) ?? ""} in quotes`;
      const escaped =
        quote === '"' && character === "\\" ? /^[$`"\\]/.exec(this.text.slice(this.at + 1, this.at + 2)) : null;
      if (escaped === null) this.add(character, false);
      else this.add(escaped[0], false, 2);
    }
    return `a quote (${quote}) that is not closed`;
  }

  private readEscape(): string | null {
    const next = this.text.charAt(this.at + 1);
    if (next === "") return "a backslash at the end";
    this.isQuoted = true;
    return this.add(next, false, 2);
  }

  private readBracket(): string | null {
    const bracket = BRACKET.exec(this.text.slice(this.at));
    return bracket === null
      ? "a bracket ([) other than a plain set or range"
      : this.add(bracket[0], true, bracket[0].length);
  }

  private readJoint(character: "|" | "&" | ";"): string | null {
    const isDouble = this.text.charAt(this.at + 1) === character;
    if (character === "&" && !isDouble) return "a command in the background (&)";
    if (character === ";" && isDouble) return "a double semicolon (;;)";
    this.at += isDouble ? 2 : 1;
    const reason = this.endWord();
    return reason ?? this.endSegment(isDouble ? (`${character}${character}` as Joint) : (character as Joint));
  }

  /** Adds to the current word and advances by `length` characters. */
  private add(text: string, isGlob: boolean, length = text.length): null {
    this.parts ??= [];
    const last = this.parts.at(-1);
    if (last !== undefined && !isGlob && !last.isGlob) this.parts.splice(-1, 1, { text: last.text + text, isGlob });
    else this.parts.push({ text, isGlob });
    this.at += length;
    return null;
  }

  private endWord(): string | null {
    const { parts, isQuoted } = this;
    this.parts = null;
    this.isQuoted = false;
    if (parts === null) return null;
    const reason = this.words.length === 0 ? whyNoProgram(getLiteral(parts), isQuoted) : null;
    if (reason === null) this.words.push(parts);
    return reason;
  }

  /** `next` is the separator after the segment; null at the end. */
  private endSegment(next: Joint | null): string | null {
    const [program, ...rest] = this.words;
    if (program === undefined)
      return next === null && this.joint === null ? "an empty command" : "an operator without a command on both sides";
    this.segments.push({ joint: this.joint, words: [program, ...rest] });
    this.words = [];
    this.joint = next;
    return null;
  }
}

/** Returns why the first word of a segment names no program to a shell; null if it does. */
function whyNoProgram(word: string | null, isQuoted: boolean): string | null {
  if (word === null) return null;
  if (word === "!" && !isQuoted) return "a negation (!)";
  if (RESERVED.has(word) && !isQuoted) return `the reserved word ${word}`;
  return /^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word) ? "an assignment before a command" : null;
}

function refuse(what: string): Result<never> {
  return failed("blocked_by_policy", what);
}
