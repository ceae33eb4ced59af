/** The order of the job kind `code`. */
import { z } from "zod";
import { MAX_FILES, MAX_READ_MS } from "../../core/codebases/limits.ts";

/** A branch, a tag, or the hash of a commit. */
const gitRef = z
  .string()
  .regex(/^(?!-)(?!.*\.\.)[A-Za-z0-9._/@+=-]{1,250}$/, "is no name of a branch, a tag or a commit");

const sourceSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("git"),
    url: z.url({ protocol: /^https?$/ }).max(2_000),
    /** Null: the branch that the server names. */
    ref: gitRef.nullable(),
    /** The value of the header of that name. It stays outside of the cage. */
    authorization: z.string().min(1).max(70_000).nullable(),
  }),
  /** The file `source.zip`. */
  z.strictObject({ kind: z.literal("zip") }),
  /** The files below `files/`. */
  z.strictObject({ kind: z.literal("files") }),
]);
export type CodeSource = z.infer<typeof sourceSchema>;

export const codeOrderSchema = z.strictObject({
  source: sourceSchema,
  /** Globs of paths that are not read. */
  denied: z.array(z.string().min(1).max(1_000)).max(200),
  timeout_ms: z.int().min(1).max(MAX_READ_MS),
});
export type CodeOrder = z.infer<typeof codeOrderSchema>;

/** The file `known.json` of the packet: the hash of each file that the index has, by its path. */
export const knownFilesSchema = z
  .record(z.string().min(1).max(1_024), z.string().regex(/^[0-9a-f]{64}$/))
  .refine((known) => Object.keys(known).length <= MAX_FILES, "names too many files");
