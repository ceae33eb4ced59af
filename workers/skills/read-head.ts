/** Reads the head of a SKILL.md, which is YAML: every value as its original text, with its line. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";
import type { HeadEntry, HeadNode, SkillNote } from "../../core/skills/head.ts";
import type { SkillText } from "../../core/skills/read-skill.ts";
import { SKILL_FILE, splitSkill } from "../../core/skills/skill.ts";

/** Characters of a head, which bound the parser's time. */
const MAX_HEAD = 20_000;
/** Depth and number of values of a head. */
const MAX_DEPTH = 10;
const MAX_VALUES = 2_000;
/** Lines of an invalid head that are checked one by one. */
const MAX_QUOTED_LINES = 200;
/** A flow collection is read by recursion, before its depth is known. */
const MAX_BRACKETS = 200;

/** Why a SKILL.md cannot be read. */
export interface UnreadableSkill {
  readonly ok: false;
  readonly problem: SkillNote;
  /** True if its head is not valid YAML. */
  readonly isSyntax: boolean;
}

/** A readable SKILL.md, with its warnings. */
export interface ReadableSkill {
  readonly ok: true;
  readonly text: SkillText;
  readonly warnings: readonly SkillNote[];
}

/** Splits the bytes of a SKILL.md into its parts. */
export function readSkillText(bytes: Uint8Array): ReadableSkill | UnreadableSkill {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return toUnreadable(1, "is not valid UTF-8");
  }
  if (text.includes("\0")) return toUnreadable(1, "contains a NUL character");
  const split = splitSkill(text);
  if (split === null) {
    const isBegun = /^---[ \t]*$/m.test(text.slice(0, 10).split("\n")[0] ?? "");
    return toUnreadable(
      1,
      isBegun
        ? "the head is not closed: add a line of three hyphens (---) after it"
        : "the head is missing: start the file with a line of three hyphens (---), name and description, and another such line",
    );
  }
  const { body, bodyLine } = split;
  const head = readHead(split.head);
  if (head.ok) return { ok: true, text: { head: head.value, body, bodyLine }, warnings: [] };
  const quoted = head.isSyntax ? quoteTexts(split.head) : null;
  const repaired = quoted === null ? head : readHead(quoted.head);
  if (quoted === null || !repaired.ok) return head;
  return { ok: true, text: { head: repaired.value, body, bodyLine }, warnings: quoted.warnings };
}

/**
 * Quotes texts that need quotes, in a head whose author forgot them, as the client guide of the format recommends.
 * Returns null if no line has such a text.
 */
function quoteTexts(head: string): { readonly head: string; readonly warnings: readonly SkillNote[] } | null {
  const warnings: SkillNote[] = [];
  const lines = head.split("\n");
  if (lines.length > MAX_QUOTED_LINES) return null;
  const quoted = lines.map((line, index) => {
    const [, field = "", text = ""] = /^([A-Za-z][\w-]*):[ \t]+([^"'|>&*!][^]*)$/.exec(line) ?? [];
    const alone = field === "" ? null : readHead(line);
    if (alone === null || alone.ok || !alone.isSyntax || isUnclosed(text)) return line;
    const message = `${field} needs quotes (it contains ": ", or text after a bracket); it was read as if quoted`;
    warnings.push({ file: SKILL_FILE, line: index + 2, field, message });
    return `${field}: '${text.trimEnd().replaceAll("'", "''")}'`;
  });
  return warnings.length === 0 ? null : { head: quoted.join("\n"), warnings };
}

/** Whether a text begins a list or a map that it does not close: such a value is broken off, and no text was meant. */
function isUnclosed(text: string): boolean {
  const close = { "[": "]", "{": "}" }[text.charAt(0)];
  return close !== undefined && !text.includes(close);
}

function readHead(text: string): { readonly ok: true; readonly value: readonly HeadEntry[] } | UnreadableSkill {
  if (text.length > MAX_HEAD) return toUnreadable(1, `the head has ${text.length} characters: at most ${MAX_HEAD}`);
  if ((text.match(/[[{]/g)?.length ?? 0) > MAX_BRACKETS)
    return toUnreadable(1, `the head has more than ${MAX_BRACKETS} brackets`);
  const lines = new LineCounter();
  const document = parseDocument<ParsedNode>(text, {
    version: "1.2",
    // Every scalar stays text: `1.0` is no number, and `no` no boolean.
    schema: "failsafe",
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line + 1;
    return { ...toUnreadable(line, explainError(error.message, error.code)), isSyntax: true };
  }
  if (document.contents === null) return { ok: true, value: [] };
  try {
    const node = new Reader(lines).read(document.contents, 0);
    if (node.kind === "map") return { ok: true, value: node.entries };
    return toUnreadable(node.line, "the head must consist of names with values (name: …)");
  } catch (thrown) {
    if (thrown instanceof Refusal) return toUnreadable(thrown.line, thrown.message);
    throw thrown;
  }
}

/** Explains the most common mistake: a text with a colon that is not in quotes. */
function explainError(message: string, code: string): string {
  // The parser reads nested values by recursion, and reports when that failed.
  if (/call stack/i.test(message)) return "the head is nested too deep";
  const said = `the head is not valid YAML: ${message.replace(/\.$/, "")}`;
  const isColon = code === "BLOCK_AS_IMPLICIT_KEY" || /nested mappings|implicit key/i.test(message);
  return isColon ? `${said}. Put a text with ": " in quotes` : said;
}

class Refusal extends Error {
  override readonly name = "Refusal";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

class Reader {
  readonly #lines: LineCounter;
  #values = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(node: ParsedNode, depth: number): HeadNode {
    const line = this.#lineOf(node);
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw new Refusal(line, `the head has more than ${MAX_VALUES} values`);
    if (isAlias(node) || node.anchor !== undefined)
      throw new Refusal(
        line,
        "the head has an anchor or an alias (& or *): write out the value, in quotes if necessary",
      );
    if (isScalar(node)) return { kind: "text", line, text: toText(node.value) };
    if (depth === MAX_DEPTH) throw new Refusal(line, `the head is nested more than ${MAX_DEPTH} deep`);
    if (isSeq<ParsedNode>(node))
      return { kind: "list", line, items: node.items.map((item) => this.read(item, depth + 1)) };
    if (!isMap<ParsedNode, ParsedNode | null>(node)) throw new Refusal(line, "the head cannot be read");
    const names = new Set<string>();
    const entries = node.items.map(({ key, value }): HeadEntry => {
      const at = this.#lineOf(key);
      if (!isScalar(key)) throw new Refusal(at, "a name must be text");
      const name = toText(key.value);
      if (names.has(name)) throw new Refusal(at, `${JSON.stringify(name.slice(0, 100))} appears twice`);
      names.add(name);
      return {
        name,
        line: at,
        value: value === null ? { kind: "text", line: at, text: "" } : this.read(value, depth + 1),
      };
    });
    return { kind: "map", line, entries };
  }

  /** The line in SKILL.md: the head starts on its second line. */
  #lineOf(node: ParsedNode): number {
    return this.#lines.linePos(node.range[0]).line + 1;
  }
}

/** Returns a scalar as text; empty for nothing. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toUnreadable(line: number, message: string): UnreadableSkill {
  return { ok: false, problem: { file: SKILL_FILE, line, field: SKILL_FILE, message }, isSyntax: false };
}
