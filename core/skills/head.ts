/**
 * The head of a SKILL.md as it stands there: every value is the text that was written, so that `version: 1.0` stays `1.0`.
 * A reader of YAML gives it; what it means is `read-skill.ts`'s business.
 */

/** A value with the line of SKILL.md on which it begins. */
export type HeadNode =
  | { readonly kind: "text"; readonly line: number; readonly text: string }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly HeadNode[] }
  | { readonly kind: "map"; readonly line: number; readonly entries: readonly HeadEntry[] };

/** A name with its value. `line` is the name's. */
export interface HeadEntry {
  readonly name: string;
  readonly line: number;
  readonly value: HeadNode;
}

/** Something that is wrong, or worth to be known, in a file of a skill. */
export interface SkillNote {
  readonly file: string;
  /** From 1; null: it is about the whole file. */
  readonly line: number | null;
  /** The field of the head that it is about; null: none. */
  readonly field: string | null;
  readonly message: string;
}

/** `SKILL.md:3: description is missing` */
export function sayNote({ file, line, message }: SkillNote): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

/** A node as plain data, as it is kept in `metadata`. */
export function plainOf(node: HeadNode): unknown {
  if (node.kind === "text") return node.text;
  if (node.kind === "list") return node.items.map(plainOf);
  return Object.fromEntries(node.entries.map(({ name, value }) => [name, plainOf(value)]));
}
