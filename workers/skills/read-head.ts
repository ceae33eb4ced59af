/** The head of a SKILL.md, which is YAML: every value as the text that stands there, with its line. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";
import type { HeadEntry, HeadNode, SkillNote } from "../../core/skills/head.ts";
import type { SkillText } from "../../core/skills/read-skill.ts";
import { SKILL_FILE, splitSkill } from "../../core/skills/skill.ts";

/** Characters of a head: the parser takes its time by them. */
const MAX_HEAD = 20_000;
/** Lists and maps, one inside the other, and values of a head. */
const MAX_DEPTH = 10;
const MAX_VALUES = 2_000;
/** Lines of a head that are looked at one by one when the whole is no YAML. */
const MAX_QUOTED_LINES = 200;
/** A flow collection is read by recursion, before its depth is known. */
const MAX_BRACKETS = 200;

/** Why a SKILL.md cannot be read. */
export interface UnreadableSkill {
  readonly ok: false;
  readonly problem: SkillNote;
  /** True: its head is no YAML. */
  readonly isSyntax: boolean;
}

/** A SKILL.md that was read, and what had to be overlooked for it. */
export interface ReadableSkill {
  readonly ok: true;
  readonly text: SkillText;
  readonly warnings: readonly SkillNote[];
}

/** The parts of a SKILL.md, of its bytes. */
export function readSkillText(bytes: Uint8Array): ReadableSkill | UnreadableSkill {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return unreadable(1, "is not valid UTF-8");
  }
  if (text.includes("\0")) return unreadable(1, "holds a NUL character");
  const split = splitSkill(text);
  if (split === null) {
    const isBegun = /^---[ \t]*$/m.test(text.slice(0, 10).split("\n")[0] ?? "");
    return unreadable(
      1,
      isBegun
        ? "the head is not closed: a line of three hyphens (---) has to follow it"
        : "there is no head: the file begins with a line of three hyphens (---), name and description, and another such line",
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
 * A head in which texts stand in quotes that cannot stand without, as those who wrote it forgot: the guide for clients of
 * the format has such heads read. Null: no line is a name with such a text.
 */
function quoteTexts(head: string): { readonly head: string; readonly warnings: readonly SkillNote[] } | null {
  const warnings: SkillNote[] = [];
  const lines = head.split("\n");
  if (lines.length > MAX_QUOTED_LINES) return null;
  const quoted = lines.map((line, index) => {
    const [, field = "", text = ""] = /^([A-Za-z][\w-]*):[ \t]+([^"'|>&*!][^]*)$/.exec(line) ?? [];
    const alone = field === "" ? null : readHead(line);
    if (alone === null || alone.ok || !alone.isSyntax) return line;
    const message = `${field} holds what has to stand in quotes (": ", or a bracket and more behind it): it is read as if it did`;
    warnings.push({ file: SKILL_FILE, line: index + 2, field, message });
    return `${field}: '${text.trimEnd().replaceAll("'", "''")}'`;
  });
  return warnings.length === 0 ? null : { head: quoted.join("\n"), warnings };
}

function readHead(text: string): { readonly ok: true; readonly value: readonly HeadEntry[] } | UnreadableSkill {
  if (text.length > MAX_HEAD) return unreadable(1, `the head has ${text.length} characters: at most ${MAX_HEAD}`);
  if ((text.match(/[[{]/g)?.length ?? 0) > MAX_BRACKETS)
    return unreadable(1, `the head has more than ${MAX_BRACKETS} brackets`);
  const lines = new LineCounter();
  const document = parseDocument<ParsedNode>(text, {
    version: "1.2",
    // Every scalar is the text that was written: `1.0` is no number, and `no` no switch.
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
    return { ...unreadable(line, sayError(error.message, error.code)), isSyntax: true };
  }
  if (document.contents === null) return { ok: true, value: [] };
  try {
    const node = new Reader(lines).read(document.contents, 0);
    if (node.kind === "map") return { ok: true, value: node.entries };
    return unreadable(node.line, "the head is not made of names with values (name: …)");
  } catch (thrown) {
    if (thrown instanceof Refusal) return unreadable(thrown.line, thrown.message);
    throw thrown;
  }
}

/** The mistake that is made most: a text with a colon in it that is not in quotes. */
function sayError(message: string, code: string): string {
  // The parser reads what is nested by recursion, and says how that ended.
  if (/call stack/i.test(message)) return "the head is nested too deep";
  const said = `the head is no YAML: ${message.replace(/\.$/, "")}`;
  const isColon = code === "BLOCK_AS_IMPLICIT_KEY" || /nested mappings|implicit key/i.test(message);
  return isColon ? `${said}. A text that holds ": " has to stand in quotes` : said;
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
        "the head has an anchor or an alias (& or *): write out what is meant, in quotes if need be",
      );
    if (isScalar(node)) return { kind: "text", line, text: textOf(node.value) };
    if (depth === MAX_DEPTH) throw new Refusal(line, `the head is nested more than ${MAX_DEPTH} deep`);
    if (isSeq<ParsedNode>(node))
      return { kind: "list", line, items: node.items.map((item) => this.read(item, depth + 1)) };
    if (!isMap<ParsedNode, ParsedNode | null>(node)) throw new Refusal(line, "the head cannot be read");
    const names = new Set<string>();
    const entries = node.items.map(({ key, value }): HeadEntry => {
      const at = this.#lineOf(key);
      if (!isScalar(key)) throw new Refusal(at, "a name has to be a text");
      const name = textOf(key.value);
      if (names.has(name)) throw new Refusal(at, `${JSON.stringify(name.slice(0, 100))} is there twice`);
      names.add(name);
      return {
        name,
        line: at,
        value: value === null ? { kind: "text", line: at, text: "" } : this.read(value, depth + 1),
      };
    });
    return { kind: "map", line, entries };
  }

  /** Of SKILL.md: the head begins on its second line. */
  #lineOf(node: ParsedNode): number {
    return this.#lines.linePos(node.range[0]).line + 1;
  }
}

/** A scalar of this schema: a text, or nothing. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function unreadable(line: number, message: string): UnreadableSkill {
  return { ok: false, problem: { file: SKILL_FILE, line, field: SKILL_FILE, message }, isSyntax: false };
}
