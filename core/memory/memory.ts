/**
 * What is remembered beyond a task: short texts of one project of a tenant, or of the whole tenant. They are data for
 * every reader, never instructions. Times are milliseconds since the epoch.
 */
import { z } from "zod";
import { type Label, OUTSIDE, TENANT } from "../provenance/label.ts";
import { sha256Hex } from "../base/sha256.ts";
import { ID_PREFIXES } from "../base/ids.ts";

/** Characters (Unicode code points) of a memory: about a thousand tokens, which every embedding model takes at once. */
const MAX_CONTENT_CHARACTERS = 4_000;
/** Tags of a memory, and characters (code points) of one. */
export const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 64;
/** Characters (code points) of a query. */
const MAX_QUERY_CHARACTERS = 2_000;
/** Memories that one search gives, and what it gives when nobody says. */
export const MAX_HITS = 20;
export const DEFAULT_HITS = 5;

/** Text that Postgres can hold and that says something, of at most so many code points. */
function text(maxCharacters: number) {
  return z.string().superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (value.trim() === "") refuse("must not be empty");
    if (value.includes("\0")) refuse("holds a NUL character");
    if (!value.isWellFormed()) refuse("holds half of a surrogate pair");
    if (value.length <= maxCharacters) return;
    const characters = Array.from(value).length;
    if (characters > maxCharacters) refuse(`holds ${characters} characters; the limit is ${maxCharacters}`);
  });
}

export const contentSchema = text(MAX_CONTENT_CHARACTERS).describe(
  `At most ${MAX_CONTENT_CHARACTERS} characters (Unicode code points)`,
);
export const tagSchema = text(MAX_TAG_CHARACTERS);
export const tagsSchema = z
  .array(tagSchema)
  .max(MAX_TAGS)
  .describe(
    `Words that a search for them should find this by: at most ${MAX_TAGS}, of ${MAX_TAG_CHARACTERS} characters`,
  );
export const querySchema = text(MAX_QUERY_CHARACTERS);

/** `note`: saved by an agent or by the API. `summary`: what Otto keeps of a completed task. */
export const MEMORY_KINDS = ["note", "summary"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** The labels of memories: a record of the tenant, or text that came from outside and is no fact. Neither may instruct. */
export type MemoryLabel = typeof TENANT | typeof OUTSIDE;

/** The label of a memory that is saved in a context with this label. */
export function toMemoryLabel(context: Label): MemoryLabel {
  return context === OUTSIDE ? OUTSIDE : TENANT;
}

/** The labels by their names in the API. */
export const MEMORY_LABELS = ["tenant", "outside"] as const;

/** A label's name in the API. */
export function nameMemoryLabel(label: MemoryLabel): (typeof MEMORY_LABELS)[number] {
  return label === OUTSIDE ? "outside" : "tenant";
}

/** The label of that name. */
export function readMemoryLabel(name: (typeof MEMORY_LABELS)[number]): MemoryLabel {
  return name === "outside" ? OUTSIDE : TENANT;
}

/** A memory. `project` null: the whole tenant's. */
export interface Memory {
  readonly id: string;
  readonly project: string | null;
  readonly kind: MemoryKind;
  readonly label: MemoryLabel;
  readonly content: string;
  readonly tags: readonly string[];
  /** The task that it came from; null: it came by the API. */
  readonly sourceTask: string | null;
  /** The agent or the API key that wrote it. */
  readonly author: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The embedding model that it can be found by; null: it has no vector yet. */
  readonly embeddedBy: string | null;
}

/** A memory to be kept. A note whose content is equal to another's of the same project is merged with it. */
export type NewMemory = Omit<Memory, "updatedAt" | "embeddedBy">;

/** The projects whose memories are meant, null among them for the tenant's own; as a whole null: all of the tenant. */
export type MemoryScope = readonly (string | null)[] | null;

/** What a task may read: its own project's memories and the tenant's own. */
export function scopeOfTask(project: string | null): MemoryScope {
  return project === null ? [null] : [null, project];
}

/**
 * Identifies a memory within its project. Notes of equal content, byte for byte, are one: texts that differ in white space
 * or in the composition of their letters are two, so that each is stored as it was given. A summary belongs to its task and
 * is deleted with it, also when another task left an equal one. (No content holds a NUL, so that no note is taken for a
 * summary.) Text from outside is never merged with a record: that would lend it trust, or add its tags to the record.
 */
export async function identityHashOf({
  id,
  kind,
  label,
  content,
}: Pick<Memory, "id" | "kind" | "label" | "content">): Promise<string> {
  const hash = await sha256Hex(kind === "summary" ? `${id}\0${content}` : content);
  return label === OUTSIDE ? await sha256Hex(`outside ${hash}`) : hash;
}

/** The id of the summary that a task leaves: each task has one, so that it is never kept twice. */
export function summaryIdOf(task: string): string {
  return `${ID_PREFIXES.memory}_${task.slice(task.indexOf("_") + 1)}`;
}
