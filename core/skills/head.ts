/**
 * The head of a SKILL.md as written: every value is its text, so `version: 1.0` stays `1.0`. A YAML parser produces it,
 * and `read-skill.ts` interprets it.
 */

/** A value with its line in SKILL.md. */
export type HeadNode =
  | { readonly kind: "text"; readonly line: number; readonly text: string }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly HeadNode[] }
  | { readonly kind: "map"; readonly line: number; readonly entries: readonly HeadEntry[] };

/** A name with its value. `line` is the line of the name. */
export interface HeadEntry {
  readonly name: string;
  readonly line: number;
  readonly value: HeadNode;
}

/** An error or a warning about a skill's file. */
export interface SkillNote {
  readonly file: string;
  /** The line, from 1; null for the whole file. */
  readonly line: number | null;
  /** The field of the head; null for none. */
  readonly field: string | null;
  readonly message: string;
}

/** `SKILL.md:3: description is missing` */
export function formatNote({ file, line, message }: SkillNote): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

/** Converts a node to plain data for `metadata`. */
export function toPlainData(node: HeadNode): unknown {
  if (node.kind === "text") return node.text;
  if (node.kind === "list") return node.items.map(toPlainData);
  return Object.fromEntries(node.entries.map(({ name, value }) => [name, toPlainData(value)]));
}
