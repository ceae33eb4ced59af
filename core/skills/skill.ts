/**
 * A skill: a folder with a SKILL.md, which is instructions for a model under a head in YAML, and files that belong to it
 * (the Agent Skills format, https://agentskills.io/specification, with fields of our own: category, version, author, tags
 * and scripts).
 */

/** A skill at one version, as data: what a task pins and what a tool of the source `skills` carries. */
export interface Skill {
  /** As in the head: lower-case letters, digits and single hyphens. */
  readonly name: string;
  /** The name of the skill's tool. */
  readonly slug: string;
  readonly description: string;
  /** SHA-256 in hex of the package: its paths, modes and bytes. */
  readonly hash: string;
  /** Patterns as `core/lib/fnmatch.ts` reads them, of the tools that a task may use under the skill; null: it restricts nothing. */
  readonly allowedTools: readonly string[] | null;
  /** Those that may be run, in the order of the head. */
  readonly scripts: readonly SkillScript[];
  readonly category: string | null;
  readonly version: string | null;
  readonly author: string | null;
  readonly tags: readonly string[];
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * How a skill came into force: the request named it (`request`), the input did as `/name` (`mention`), the agent's
 * configuration (`agent`), its description fits the task (`similarity`), the task is a call of its tool (`tool`), the model
 * loaded it (`load`).
 */
export const HOWS = ["request", "mention", "agent", "similarity", "tool", "load"] as const;
export type HowInForce = (typeof HOWS)[number];

/** A skill in force, at the version that is pinned. */
export interface SkillInForce extends Pick<Skill, "name" | "slug" | "hash" | "allowedTools"> {
  readonly how: HowInForce;
  /** Of one that fits by its description: how well, from 0 to 1. */
  readonly similarity: number | null;
}

/**
 * Skills that a task is made under, and that its model may load beside them: their lists stand in the state's one row, twice
 * those of the former, and a list has up to 20,000 characters.
 */
export const MAX_IN_FORCE = 20;
export const MAX_LOADED = 20;

/** A script that the skill declares. What stands in `scripts/` undeclared is a file like any other and cannot be run. */
export interface SkillScript {
  /** By which it is run; unique in the skill. */
  readonly name: string;
  /** In the package: `scripts/report.py`. It is there, is no link, and begins with `#!`. */
  readonly path: string;
  readonly description: string;
  /** Null: as long as the operator lets scripts run. */
  readonly timeoutS: number | null;
  /** Whether it asks for the network. */
  readonly network: boolean;
  /** True for one that only looks: what it writes is dropped, so that it may run again. Absent: it may change the sandbox. */
  readonly readOnly?: boolean;
}

/** The file with head and instructions, at the top of the package. */
export const SKILL_FILE = "SKILL.md";
export const SCRIPTS_FOLDER = "scripts/";

export const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1_024;
export const MAX_COMPATIBILITY = 500;

/** The tool name of a skill: lower case, runs of other characters as one `_`, none at the ends. Empty when nothing is left. */
export function skillSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}

/** True for a text that can be a skill's name by the format: lower-case letters, digits, single hyphens between them. */
export function isSkillName(text: string): boolean {
  return text.length <= MAX_NAME && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** What stands under the head of a SKILL.md: the instructions. A text without a head is all instructions. */
export function skillInstructions(text: string): string {
  return splitSkill(text)?.body ?? text;
}

/** A SKILL.md in its two parts. `bodyLine` is the line on which the instructions begin; the head begins on line 2. */
export interface SplitSkill {
  readonly head: string;
  readonly body: string;
  readonly bodyLine: number;
}

/** Cuts at the two lines of three hyphens; null when the first line is none of them, or no second one follows. */
export function splitSkill(text: string): SplitSkill | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (!isFence(lines[0])) return null;
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0) return null;
  const body = lines.slice(end + 1).join("\n");
  return { head: lines.slice(1, end).join("\n"), body: body.replace(/^\n+/, ""), bodyLine: end + 2 };
}

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---[ \t]*$/.test(line);
}
