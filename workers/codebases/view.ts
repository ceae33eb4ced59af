/** Codebases in the API. */
import { z } from "@hono/zod-openapi";
import {
  type Codebase,
  CODEBASE_STATUSES,
  codebaseNameSchema,
  codebaseSourceSchema,
} from "../../core/codebases/codebase.ts";
import { MAX_RULE_CHARACTERS } from "../../core/codebases/reindex-rule.ts";
import { getMarkedModel } from "../../core/knowledge/vector-mark.ts";
import { SKIP_REASONS } from "../../core/codebases/indexed-file.ts";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import {
  hasList,
  NO_LIST,
  type UserLists,
  userListsChangeShape,
  userListsShape,
  userListsViewShape,
} from "../../core/base/user-lists.ts";

const time = z.iso.datetime();
const [git, , project] = codebaseSourceSchema.options;
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** `zip`: the hash that `POST /v1/codebases/archives` returned. */
const sourceInput = z.union([git, z.strictObject({ zip: hash }), project]);

const every = z
  .string()
  .min(1)
  .max(MAX_RULE_CHARACTERS)
  .describe("An interval from `1h` to `7d`, or a cron expression in UTC that is due once an hour at most.");
/** How often it is indexed again. */
export const reindexInput = z.strictObject({ every: every.nullable() }).meta({ id: "CodebaseReindexInput" });

export const codebaseInput = z
  .strictObject({
    name: codebaseNameSchema,
    source: sourceInput.describe(
      "`git`: the https URL of a repository, with a `ref` and the name of a `secret` that is bound to its host; `zip`: the hash of an uploaded archive; `project`: the shared files of a project.",
    ),
    ...userListsShape,
    reindex: z.strictObject({ every: every.optional() }).optional().describe("How often it is indexed again."),
  })
  .refine(hasList, { message: NO_LIST, path: ["agents"] })
  .meta({ id: "NewCodebaseInput" });
export type CodebaseInput = z.output<typeof codebaseInput>;

export const codebaseChange = z.strictObject(userListsChangeShape).meta({ id: "CodebaseChangeInput" });

export const codebaseSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    source: sourceInput,
    ...userListsViewShape,
    status: z
      .enum(CODEBASE_STATUSES)
      .describe("`failed`: the last indexing failed, as `error` says. The index before it is still searched."),
    error: z.string().nullable(),
    commit: z.string().nullable().describe("The commit of the present index."),
    files: z.int(),
    symbols: z.int(),
    chunks: z.int(),
    skipped: z.partialRecord(z.enum(SKIP_REASONS), z.int()).describe("How many files were left out, by reason."),
    embedder: z
      .string()
      .nullable()
      .describe("The model whose vectors searches use, beside names and words; null: names and words alone."),
    reindex: z.strictObject({ every: every.nullable() }),
    next_at: time.nullable().describe("When it is indexed again next by `reindex.every`; null without it."),
    indexed_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Codebase" });

export const archiveSchema = z
  .strictObject({
    hash: z.string().describe("SHA-256 in hex: the `zip` of a source."),
    size: z.int().describe("Bytes."),
  })
  .meta({ id: "CodebaseArchive" });

/** `nameLists` writes its lists, with agents by name. */
export function toCodebaseView(
  codebase: Codebase,
  nameLists: (lists: UserLists) => CodebaseLists,
): z.input<typeof codebaseSchema> {
  const {
    source,
    agents,
    projects,
    people,
    skipped,
    every,
    dueAt,
    embedder,
    indexedAt,
    createdAt,
    updatedAt,
    ...more
  } = codebase;
  const { builds: _, published: __, ...rest } = more;
  return {
    ...rest,
    source: "zip" in source ? { zip: source.zip.hash } : source,
    ...nameLists({ agents, projects, people }),
    skipped: { ...skipped },
    embedder: embedder === null ? null : getMarkedModel(embedder),
    reindex: { every },
    next_at: isoOrNull(dueAt),
    indexed_at: isoOrNull(indexedAt),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

type CodebaseLists = Pick<z.input<typeof codebaseSchema>, keyof UserLists>;
