/** A YAML text as a JSON value: YAML 1.2 with the core schema, one document, names that are texts. */
import {
  type Alias,
  Composer,
  type CST,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLMap,
} from "yaml";
import type { YieldTurn } from "../../core/base/turns.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { findPosition } from "../../core/base/text-position.ts";
import { findYamlMistake, MAX_DEPTH, MORE_DOCUMENTS, TOKENS_OF_TURN, type YamlMistake } from "./yaml-outline.ts";

/** What all aliases of a text stand for together: values, and characters of texts and names. A few lines could be a billion. */
const MAX_COPIED_VALUES = 50_000;
const MAX_COPIED_CHARACTERS = 500_000;

/** What is wrong and what to write instead, for every error of the parser. */
const MISTAKES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*name) has no anchor or tag of its own; omit those",
  BAD_ALIAS: "an alias is written *name, without other characters",
  BAD_DIRECTIVE: "this directive is unknown; omit the line",
  BAD_DQ_ESCAPE: "this escape is unknown; write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "the line is indented too little or too far; align it with its neighbours",
  BAD_PROP_ORDER: "an anchor (&name) belongs directly before its value, on the same line or the line above",
  BAD_SCALAR_START: "a value cannot begin with this character; put the value in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a list or mapping cannot begin on the line of its name; put it on the next line, indented",
  BLOCK_IN_FLOW: "inside [ ] and { } everything is written on lines with commas, without - or |",
  DUPLICATE_KEY: "the name is there twice; keep one",
  IMPOSSIBLE: "it cannot be read; check the indentation and quotes of this line",
  KEY_OVER_1024_CHARS: "a name has at most 1024 characters; close the quotes before its colon",
  MISSING_CHAR: "a bracket, quote, comma or colon is missing; add it, or put the value in quotes",
  MULTILINE_IMPLICIT_KEY: "a name has to end on its own line; add a colon behind it, or indent the line",
  MULTIPLE_ANCHORS: "a value has one anchor (&name); omit the other",
  MULTIPLE_DOCS: MORE_DOCUMENTS,
  MULTIPLE_TAGS: "tags (!name) are refused; omit them",
  NON_STRING_KEY: "a name has to be a text; put it in quotes",
  RESOURCE_EXHAUSTION: "it is too large or nested too deep; parse it in parts",
  TAB_AS_INDENT: "tabs cannot indent; use spaces",
  TAG_RESOLVE_FAILED: "tags (!name) are refused; omit them",
  UNEXPECTED_TOKEN: "this does not belong here; check the indentation, or put the value in quotes",
  BAD_COLLECTION_TYPE: "tags (!name) are refused; omit them",
};

const OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  // The library compares every name of a mapping with every other.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

/**
 * The value, read in turns; `invalid_input` names the line and the column. A name that a mapping has twice is refused, and so
 * are the numbers that JSON does not have. An alias is a copy of what its anchor marks, and
 * `<<` merges mappings. One turn builds the nodes, and
 * another one the value: their time grows with `maxTokens`.
 */
export async function readYaml(text: string, maxTokens: number, giveWay: YieldTurn): Promise<Result<unknown>> {
  const reading = readTurns(text, maxTokens);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    await giveWay();
  }
}

function* readTurns(text: string, maxTokens: number): Generator<void, Result<unknown>> {
  const refused = yield* findYamlMistake(text, maxTokens);
  if (refused !== null) return failure(text, refused);
  const parsed = yield* parseTokens(text);
  const [document, second] = new Composer<ParsedNode>(OPTIONS).compose(parsed, true, text.length);
  yield;
  const [error] = document?.errors ?? [];
  if (error !== undefined) return failure(text, { offset: error.pos[0], message: MISTAKES[error.code] });
  if (second !== undefined) return failure(text, { offset: second.range[0], message: MORE_DOCUMENTS });
  return valueOf(document?.contents ?? null, text);
}

/** The concrete syntax of a text. */
function* parseTokens(text: string): Generator<void, CST.Token[]> {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let turn = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    turn += 1;
    if (turn % TOKENS_OF_TURN === 0) yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

function valueOf(contents: ParsedNode | null, text: string): Result<unknown> {
  try {
    return ok(new Values().of(contents));
  } catch (thrown) {
    if (thrown instanceof Mistake) return failure(text, thrown);
    throw thrown;
  }
}

class Mistake extends Error implements YamlMistake {
  override readonly name = "Mistake";
  readonly offset: number;

  constructor(node: ParsedNode | Alias.Parsed | null, message: string) {
    super(message);
    this.offset = node?.range[0] ?? 0;
  }
}

/** How much a value is, with what its aliases stand for. */
interface Size {
  readonly values: number;
  readonly characters: number;
}

/** What an anchor marks. `height`: its lists and mappings, one inside the other. */
interface Marked extends Size {
  readonly value: unknown;
  readonly height: number;
}

/** The JSON values of a document's nodes, in their order: an alias means the last anchor of its name before it. */
class Values {
  readonly #anchors = new Map<string, Marked>();
  #values = 0;
  #characters = 0;
  #copied: Size = { values: 0, characters: 0 };
  /** The most lists and mappings that stood one inside the other in the node that is read, aliases written out. */
  #deepest = 0;

  /** Nesting was bounded before, that of aliases is here. */
  of(node: ParsedNode | null, depth = 0): unknown {
    if (node === null) return null;
    if (isAlias(node)) return this.#copyOf(node, depth);
    if (node.anchor === undefined) return this.#plain(node, depth);
    const { anchor } = node;
    const [values, characters, deepest] = [this.#values, this.#characters, this.#deepest];
    this.#deepest = depth;
    // What stands inside cannot mean the whole.
    this.#anchors.delete(anchor);
    const value = this.#plain(node, depth);
    const size = { values: this.#values - values, characters: this.#characters - characters };
    this.#anchors.set(anchor, { value, height: this.#deepest - depth, ...size });
    this.#deepest = Math.max(deepest, this.#deepest);
    return value;
  }

  #copyOf(alias: Alias.Parsed, depth: number): unknown {
    const marked = this.#anchors.get(alias.source);
    if (marked === undefined) throw new Mistake(alias, `*${alias.source.slice(0, 100)} has no anchor before it`);
    const { value, values, characters, height } = marked;
    if (depth + height > MAX_DEPTH) throw new Mistake(alias, `it is nested more than ${MAX_DEPTH} deep`);
    this.#copied = { values: this.#copied.values + values, characters: this.#copied.characters + characters };
    if (this.#copied.values > MAX_COPIED_VALUES || this.#copied.characters > MAX_COPIED_CHARACTERS)
      throw new Mistake(alias, "its aliases (*name) stand for too much: write out what is needed");
    this.#values += values;
    this.#characters += characters;
    this.#deepest = Math.max(this.#deepest, depth + height);
    return value;
  }

  #plain(node: Exclude<ParsedNode, Alias.Parsed>, depth: number): unknown {
    this.#values += 1;
    this.#deepest = Math.max(this.#deepest, isScalar(node) ? depth : depth + 1);
    if (isSeq<ParsedNode>(node)) return node.items.map((item) => this.of(item, depth + 1));
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      return Object.fromEntries(this.#membersOf(node, depth));
    }
    if (!isScalar(node)) throw new Mistake(node, "it cannot be read");
    if (typeof node.value === "number" && !Number.isFinite(node.value)) {
      throw new Mistake(node, "infinity and not-a-number are no JSON values");
    }
    if (typeof node.value === "string") this.#characters += node.value.length;
    return node.value;
  }

  /** The members of a mapping. Its own win over those that `<<` merges, and of these the first. */
  #membersOf({ items }: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): ReadonlyMap<string, unknown> {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    const names = new Set<string>();
    for (const { key, value } of items) {
      const name = this.#nameOf(key, depth);
      if (names.has(name)) throw new Mistake(key, `the name ${JSON.stringify(name.slice(0, 100))} is there twice`);
      names.add(name);
      const read = this.of(value, depth + 1);
      if (!isMergeKey(key)) own.set(name, read);
      else for (const [one, each] of listMerged(read, key)) if (!merged.has(one)) merged.set(one, each);
    }
    return new Map([...merged, ...own]);
  }

  /** A name: a text, or what a number, true, false or null is written as. */
  #nameOf(key: ParsedNode, depth: number): string {
    const value = this.of(key, depth + 1);
    if (typeof value === "object" && value !== null) throw new Mistake(key, "a name has to be a text");
    return String(value);
  }
}

/** `<<` without quotes merges (https://yaml.org/type/merge.html). */
function isMergeKey(key: ParsedNode): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

function listMerged(value: unknown, key: ParsedNode): (readonly [string, unknown])[] {
  const sources: readonly unknown[] = Array.isArray(value) ? value : [value];
  return sources.flatMap((source) => {
    if (typeof source === "object" && source !== null && !Array.isArray(source)) return Object.entries(source);
    throw new Mistake(
      key,
      "<< merges a mapping, an alias of one, or a list of these; put it in quotes to use it as a name",
    );
  });
}

function failure(text: string, { offset, message }: YamlMistake): Result<never> {
  const { line, column } = findPosition(text, offset);
  return failed("invalid_input", `The YAML cannot be read. Line ${line}, column ${column}: ${message}.`);
}
