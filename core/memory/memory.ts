/**
 * Memories: short texts of a project or of the whole tenant that later tasks can find. For every reader they are data,
 * never instructions. Times are milliseconds since the epoch.
 */
import { z } from "zod";
import { type Label, OUTSIDE, TENANT } from "../provenance/label.ts";
import { sha256Hex } from "../base/sha256.ts";
import { ID_PREFIXES } from "../base/ids.ts";

/**
 * Characters (Unicode code points) of a memory: about a thousand tokens, which every embedding model accepts at once.
 */
const MAX_CONTENT_CHARACTERS = 4_000;
/** Tags of a memory, and characters (code points) of a tag. */
export const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 64;
/** Characters (code points) of a query. */
const MAX_QUERY_CHARACTERS = 2_000;
/** Most results of a search, and the default. */
export const MAX_HITS = 20;
export const DEFAULT_HITS = 5;

/** Non-empty text for Postgres, of at most `maxCharacters` code points. */
function createTextSchema(maxCharacters: number) {
  return z.string().superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (value.trim() === "") refuse("must not be empty");
    if (value.includes("\0")) refuse("contains a NUL character");
    if (!value.isWellFormed()) refuse("contains half of a surrogate pair");
    if (value.length <= maxCharacters) return;
    const characters = Array.from(value).length;
    if (characters > maxCharacters) refuse(`has ${characters} characters; the limit is ${maxCharacters}`);
  });
}

export const contentSchema = createTextSchema(MAX_CONTENT_CHARACTERS).describe(
  `At most ${MAX_CONTENT_CHARACTERS} characters (Unicode code points)`,
);
export const tagSchema = createTextSchema(MAX_TAG_CHARACTERS);
export const tagsSchema = z
  .array(tagSchema)
  .max(MAX_TAGS)
  .describe(
    `Words that a search for them should find this by: at most ${MAX_TAGS}, of ${MAX_TAG_CHARACTERS} characters`,
  );
export const querySchema = createTextSchema(MAX_QUERY_CHARACTERS);

/** `note`: saved by an agent or by the API. `summary`: saved by Otto for a completed task, in one sentence. */
export const MEMORY_KINDS = ["note", "summary"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** The labels of memories: a record of the tenant, or text from outside, which is no fact. Neither may instruct. */
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

/** A memory. `project` is null for the whole tenant. */
export interface Memory {
  readonly id: string;
  readonly project: string | null;
  readonly kind: MemoryKind;
  readonly label: MemoryLabel;
  readonly content: string;
  readonly tags: readonly string[];
  /** The task that saved it; null for the API. */
  readonly sourceTask: string | null;
  /** The agent or API key that saved it. */
  readonly author: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The embedding model of its vector; null without a vector. */
  readonly embeddedBy: string | null;
}

/** A memory to save. A note with the same content as another one of its project is merged with it. */
export type NewMemory = Omit<Memory, "updatedAt" | "embeddedBy">;

/** The projects whose memories are visible; null among them is the tenant's own. As a whole null: all of the tenant. */
export type MemoryScope = readonly (string | null)[] | null;

/** The memories that a task may read: its project's and the tenant's own. */
export function getTaskScope(project: string | null): MemoryScope {
  return project === null ? [null] : [null, project];
}

/**
 * Identifies a memory within its project. Notes with equal bytes are one; texts that differ in white space or in the
 * composition of letters are two. A summary belongs to its task and is deleted with it, even if another task saved an
 * equal one. (No content contains a NUL, so no note collides with a summary.) Text from outside is never merged with a
 * record: that would give it trust, or add its tags to the record.
 */
export async function getIdentityHash({
  id,
  kind,
  label,
  content,
}: Pick<Memory, "id" | "kind" | "label" | "content">): Promise<string> {
  const hash = await sha256Hex(kind === "summary" ? `${id}\0${content}` : content);
  return label === OUTSIDE ? await sha256Hex(`outside ${hash}`) : hash;
}

/** The id of a task's summary. Each task has one, so it is saved once. */
export function getSummaryId(task: string): string {
  return `${ID_PREFIXES.memory}_${task.slice(task.indexOf("_") + 1)}`;
}
