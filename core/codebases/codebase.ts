/** A codebase that agents can search: where its code comes from, who may use it, and its index. */
import type { UserLists } from "../base/user-lists.ts";
import { z } from "zod";
import { projectSchema } from "../task/new-task.ts";
import type { SkipReason } from "./indexed-file.ts";

/** Of one tenant. */
export const MAX_CODEBASES = 100;

/** A lower-case name by which agents choose it. */
export const codebaseNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "is 1 to 64 lower-case letters, digits, dots, hyphens or underscores");

/** Where the code comes from. A path on the server is no source. `zip.hash`: SHA-256 of the stored archive, in hex. */
export const codebaseSourceSchema = z.union([
  z.strictObject({
    git: z
      .url({ protocol: /^https?$/, error: "must be the https URL of a repository" })
      .max(2_000)
      .refine((url) => URL.parse(url)?.username === "" && URL.parse(url)?.password === "", {
        error: "must not contain credentials: store them as a secret and name it in secret",
      }),
    ref: z
      .string()
      .regex(/^[A-Za-z0-9._/@+=][A-Za-z0-9._/@+=-]{0,249}$/, "is no name of a branch, a tag or a commit")
      .refine((ref) => !ref.includes(".."), "is no name of a branch, a tag or a commit")
      .optional(),
    secret: z.string().min(1).max(100).optional(),
  }),
  z.strictObject({ zip: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().min(1) }) }),
  z.strictObject({ project: projectSchema }),
]);
export type CodebaseSource = z.infer<typeof codebaseSourceSchema>;

export const CODEBASE_STATUSES = ["queued", "indexing", "ready", "failed"] as const;
export type CodebaseStatus = (typeof CODEBASE_STATUSES)[number];

/** Times are milliseconds since the epoch. */
export interface Codebase extends UserLists {
  readonly id: string;
  readonly name: string;
  readonly source: CodebaseSource;
  readonly status: CodebaseStatus;
  /** Why the last indexing failed. The index before it stays. */
  readonly error: string | null;
  /** Of the present index; null before the first one, and for a source that has no commits. */
  readonly commit: string | null;
  readonly files: number;
  readonly symbols: number;
  readonly chunks: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** The mark (`toVectorMark`) of the vectors that searches use; null: names and words alone. */
  readonly embedder: string | null;
  /** How often it is indexed again (`reindex-rule.ts`); null: on request only. */
  readonly every: string | null;
  /** When it is indexed again next by its rule; null without one. */
  readonly dueAt: number | null;
  /** The number of the last attempt to index, and of the one that searches see; null: none. */
  readonly builds: number;
  readonly published: number | null;
  readonly indexedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
