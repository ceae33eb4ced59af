/**
 * A skill: a folder with a SKILL.md, which has instructions for a model below a YAML head, and its files (the Agent
 * Skills format, https://agentskills.io/specification, with Otto's fields category, version, author, tags and scripts).
 */

/** A version of a skill as data: a task pins it, and a tool of the source `skills` carries it. */
export interface Skill {
  /** As in the head: lower-case letters, digits and single hyphens. */
  readonly name: string;
  /** The name of the skill's tool. */
  readonly slug: string;
  readonly description: string;
  /** The SHA-256 in hex of the package: its paths, modes and bytes. */
  readonly hash: string;
  /** Patterns (`core/lib/fnmatch.ts`) of the tools that a task may use under the skill; null for all tools. */
  readonly allowedTools: readonly string[] | null;
  /** The scripts that may run, in the order of the head; without a declaration all that were found (`find-scripts.ts`). */
  readonly scripts: readonly SkillScript[];
  /** True if the head declares an empty list of scripts, so that no file may run. Absent otherwise, and from a version of an earlier release. */
  readonly declaresNoScripts?: true;
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
 * configuration (`agent`), its description fits the task (`similarity`), the task is a call of its tool (`tool`), the
 * model loaded it (`load`).
 */
export const HOWS = ["request", "mention", "agent", "similarity", "tool", "load"] as const;
export type HowInForce = (typeof HOWS)[number];

/** A skill in force, at its pinned version. */
export interface SkillInForce extends Pick<Skill, "name" | "slug" | "hash" | "allowedTools"> {
  readonly how: HowInForce;
  /** For `similarity`: the score from 0 to 1. */
  readonly similarity: number | null;
}

/**
 * Skills at a task's start, and further ones that its model may load. Their tool lists are in the state's single row,
 * the former twice, with up to 20,000 characters each.
 */
export const MAX_IN_FORCE = 20;
export const MAX_LOADED = 20;

/** A script of a skill. Where the head declares scripts, no other file can be run. */
export interface SkillScript {
  /** The name that runs it; unique in the skill. */
  readonly name: string;
  /** Its path in the package: `scripts/report.py`. It exists and is no link; `interpreter.ts` says what runs it. */
  readonly path: string;
  readonly description: string;
  /** Null for the operator's time limit. */
  readonly timeoutS: number | null;
  /** Whether it asks for network access. */
  readonly network: boolean;
  /**
   * True for a script that only reads: its changes are discarded, so it may run again. Otherwise it may change the
   * sandbox.
   */
  readonly readOnly?: boolean;
}

/** The file with head and instructions, at the top of the package. */
export const SKILL_FILE = "SKILL.md";
export const SCRIPTS_FOLDER = "scripts/";

export const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1_024;
export const MAX_COMPATIBILITY = 500;

/** The tool name of a skill: lower case, with `_` for runs of other characters, trimmed. Empty when nothing is left. */
export function toSkillSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}

/** True for a valid skill name: lower-case letters, digits, single hyphens between them. */
export function isSkillName(text: string): boolean {
  return text.length <= MAX_NAME && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** The instructions of a SKILL.md. A text without a head is all instructions. */
export function getSkillInstructions(text: string): string {
  return splitSkill(text)?.body ?? text;
}

/** The two parts of a SKILL.md. `bodyLine` is the first line of the instructions; the head begins on line 2. */
export interface SplitSkill {
  readonly head: string;
  readonly body: string;
  readonly bodyLine: number;
}

/** Splits at the two lines of three hyphens; null without both. */
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
