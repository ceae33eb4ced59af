/**
 * Reads the head of a SKILL.md by the rules of the Agent Skills format (https://agentskills.io/specification) and of
 * Otto's own fields. All errors are reported at once; fields that only other programs understand are warnings.
 */
import { getOwn } from "../base/own-field.ts";
import type { HeadEntry, HeadNode, SkillNote } from "./head.ts";
import { toPlainData } from "./head.ts";
import { type PackedFile, formatUntrusted } from "./package.ts";
import { readScripts } from "./read-scripts.ts";
import {
  isSkillName,
  MAX_COMPATIBILITY,
  MAX_DESCRIPTION,
  MAX_NAME,
  type Skill,
  SKILL_FILE,
  toSkillSlug,
} from "./skill.ts";

/** A skill's head, and where its instructions begin. */
export interface SkillText {
  readonly head: readonly HeadEntry[];
  readonly body: string;
  readonly bodyLine: number;
}

/** The result: a skill without its hash when there is no error. */
export interface ReadSkill {
  readonly skill: Omit<Skill, "hash"> | null;
  readonly problems: readonly SkillNote[];
  readonly warnings: readonly SkillNote[];
}

/** Limits where the format has none: characters of a text, and items of a list. */
const MAX_TEXT = 1_000;
const MAX_ITEMS = 200;
/** Characters of all `metadata` as JSON. */
const MAX_METADATA = 16_000;
/** The length from which the format advises to move parts to other files. */
const LONG_BODY_LINES = 500;

const FIELDS = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "category",
  "version",
  "author",
  "tags",
  "scripts",
]);

/** Common misspellings of fields. */
const MISSPELT: Readonly<Record<string, string>> = {
  allowed_tools: "allowed-tools",
  allowedtools: "allowed-tools",
  tools: "allowed-tools",
  licence: "license",
  desc: "description",
};

/** `folder` is the folder around the package; null without one. */
export function readSkill(text: SkillText, files: readonly PackedFile[], folder: string | null): ReadSkill {
  const reader = new HeadReader(text.head);
  const name = reader.name(folder);
  const description = reader.description();
  const metadata = reader.metadata();
  const declared = reader.entry("scripts")?.value ?? null;
  const scripts = readScripts(declared, files);
  const skill = {
    name,
    slug: toSkillSlug(name),
    description,
    allowedTools: reader.allowedTools(),
    scripts: scripts.scripts,
    ...(declared !== null && scripts.scripts.length === 0 ? { declaresNoScripts: true as const } : {}),
    category: reader.text("category", MAX_TEXT),
    version: reader.text("version", MAX_TEXT) ?? metadata["version"] ?? null,
    author: reader.text("author", MAX_TEXT) ?? metadata["author"] ?? null,
    tags: reader.words("tags", /[,\n]+/),
    license: reader.text("license", MAX_TEXT),
    compatibility: reader.text("compatibility", MAX_COMPATIBILITY),
    metadata,
  };
  reader.unknownFields();
  addBodyWarnings(reader, text);
  const problems = [...reader.problems, ...scripts.problems].sort(compareLines);
  const warnings = [...reader.warnings, ...scripts.warnings].sort(compareLines);
  return { skill: problems.length === 0 ? skill : null, problems, warnings };
}

class HeadReader {
  readonly problems: SkillNote[] = [];
  readonly warnings: SkillNote[] = [];
  readonly #entries: readonly HeadEntry[];

  constructor(entries: readonly HeadEntry[]) {
    this.#entries = entries;
  }

  entry(field: string): HeadEntry | undefined {
    return this.#entries.find(({ name }) => name === field);
  }

  problem(field: string, line: number | null, message: string): void {
    this.problems.push({ file: SKILL_FILE, line: line ?? 1, field, message: `${field} ${message}` });
  }

  warning(field: string | null, line: number | null, message: string): void {
    const text = field === null ? message : `${field} ${message}`;
    this.warnings.push({ file: SKILL_FILE, line, field, message: text });
  }

  /** The text of a field; null when missing or empty. */
  text(field: string, longest: number, isRequired = false): string | null {
    const entry = this.entry(field);
    if (entry === undefined) {
      if (isRequired) this.problem(field, null, "is missing");
      return null;
    }
    const { value, line } = entry;
    if (value.kind !== "text") {
      this.problem(field, line, `is a ${value.kind}: it has to be a text`);
      return null;
    }
    const text = value.text.trim();
    const length = Array.from(text).length;
    if (length === 0 && isRequired) this.problem(field, line, "is empty");
    if (length > longest) this.problem(field, line, `has ${length} characters: at most ${longest}`);
    return length === 0 ? null : text;
  }

  /** A description that is too long is cut, since many public skills have one. */
  description(): string {
    const characters = Array.from(this.text("description", Number.POSITIVE_INFINITY, true) ?? "");
    if (characters.length <= MAX_DESCRIPTION) return characters.join("");
    const message = `has ${characters.length} characters: only the first ${MAX_DESCRIPTION} are used`;
    this.warning("description", this.entry("description")?.line ?? null, message);
    return characters.slice(0, MAX_DESCRIPTION).join("").trimEnd();
  }

  name(folder: string | null): string {
    const name = this.text("name", MAX_NAME, true) ?? "";
    const line = this.entry("name")?.line ?? null;
    if (name !== "" && name.length <= MAX_NAME && !isSkillName(name)) {
      const better = toSkillSlug(name.normalize("NFKD").replace(/\p{M}/gu, "")).replaceAll("_", "-").slice(0, MAX_NAME);
      const hint = better === "" ? "" : `; write ${better}`;
      this.problem(
        "name",
        line,
        `is ${JSON.stringify(formatUntrusted(name))}: it may hold lower-case letters (a-z), digits and single hyphens between them${hint}`,
      );
    } else if (name !== "" && folder !== null && folder !== name) {
      this.warning(
        "name",
        line,
        `is ${name}, and the folder is ${JSON.stringify(formatUntrusted(folder))}: the format requires the same name`,
      );
    }
    return name;
  }

  /** The texts of a list, or of a text that is split at `between`. */
  words(field: string, between: RegExp): string[] {
    const entry = this.entry(field);
    if (entry === undefined) return [];
    return this.#checked(
      entry,
      this.#items(entry.value, (text) => text.split(between)),
    );
  }

  /** Null when the field is missing. Inside brackets, spaces and commas belong to a name: `Bash(git add:*)`. */
  allowedTools(): readonly string[] | null {
    const entry = this.entry("allowed-tools");
    if (entry === undefined) return null;
    const patterns = this.#checked(entry, this.#items(entry.value, splitOutsideBrackets));
    if (patterns.length === 0)
      this.warning("allowed-tools", entry.line, "is empty: under the skill, a task may use only ask_human");
    return [...new Set(patterns)];
  }

  metadata(): Record<string, string> {
    const entry = this.entry("metadata");
    if (entry === undefined || isEmpty(entry.value)) return {};
    if (entry.value.kind !== "map") {
      this.problem("metadata", entry.line, `is a ${entry.value.kind}: it has to be names with texts`);
      return {};
    }
    const members = entry.value.entries.map(({ name, line, value }) => {
      if (value.kind === "text") return [name, value.text] as const;
      this.warning(
        "metadata",
        line,
        `has a ${value.kind} at ${formatUntrusted(name)}, where texts are expected: it is stored as JSON`,
      );
      return [name, JSON.stringify(toPlainData(value))] as const;
    });
    const metadata = Object.fromEntries(members);
    const size = JSON.stringify(metadata).length;
    if (size > MAX_METADATA) this.problem("metadata", entry.line, `has ${size} characters: at most ${MAX_METADATA}`);
    return metadata;
  }

  unknownFields(): void {
    for (const { name, line } of this.#entries) {
      if (FIELDS.has(name)) continue;
      const meant =
        getOwn(MISSPELT, name.toLowerCase().replaceAll("-", "_")) ??
        [...FIELDS].find((field) => field === name.toLowerCase());
      const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
      this.warning(
        null,
        line,
        `${formatUntrusted(name)} is not a field that Otto uses: it is stored and ignored.${hint}`,
      );
    }
  }

  #items(value: HeadNode, cut: (text: string) => string[]): string[] | null {
    if (value.kind === "text") return cut(value.text);
    if (value.kind === "map") return null;
    const texts = value.items.map((item) => (item.kind === "text" ? item.text : null));
    return texts.includes(null) ? null : texts.map(String);
  }

  #checked({ name, line, value }: HeadEntry, given: string[] | null): string[] {
    if (given === null) {
      this.problem(
        name,
        line,
        `is a ${value.kind === "map" ? "map" : "list with other values"}: it has to be a text or a list of texts`,
      );
      return [];
    }
    const items = given.map((item) => item.trim()).filter((item) => item !== "");
    if (items.length > MAX_ITEMS) this.problem(name, line, `has ${items.length} entries: at most ${MAX_ITEMS}`);
    const long = items.find((item) => item.length > MAX_TEXT);
    if (long !== undefined) this.problem(name, line, `has an entry of ${long.length} characters: at most ${MAX_TEXT}`);
    return items;
  }
}

function addBodyWarnings(reader: HeadReader, { body, bodyLine }: SkillText): void {
  if (body.trim() === "") reader.warning(null, bodyLine, "there are no instructions below the head");
  const lines = body.split("\n").length;
  if (lines > LONG_BODY_LINES)
    reader.warning(null, bodyLine, `the instructions have ${lines} lines: move rarely needed parts to references/`);
}

/** Splits a text at spaces and commas outside brackets. An unclosed bracket is an ordinary character. */
function splitOutsideBrackets(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  let depth = 0;
  const isClosed = hasBalancedBrackets(text);
  for (const character of text) {
    if (isClosed && character === "(") depth += 1;
    if (isClosed && character === ")") depth -= 1;
    if (depth === 0 && /[\s,]/.test(character)) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
}

function hasBalancedBrackets(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function isEmpty(node: HeadNode): boolean {
  return node.kind === "text" && node.text.trim() === "";
}

function compareLines(a: SkillNote, b: SkillNote): number {
  return a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : a.file === SKILL_FILE ? -1 : b.file === SKILL_FILE ? 1 : 0;
}
