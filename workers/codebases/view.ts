/** Codebases in the API. */
import { z } from "@hono/zod-openapi";
import {
  type Codebase,
  CODEBASE_STATUSES,
  codebaseNameSchema,
  codebaseSourceSchema,
  codebaseUsersShape,
} from "../../core/codebases/codebase.ts";
import { SKIP_REASONS } from "../../core/codebases/indexed-file.ts";
import { iso, isoOrNull } from "../../core/base/iso.ts";

const time = z.iso.datetime();
const [git, , project] = codebaseSourceSchema.options;
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** `zip`: the hash that `POST /v1/codebases/archives` returned. */
const sourceInput = z.union([git, z.strictObject({ zip: hash }), project]);

export const codebaseInput = z
  .strictObject({
    name: codebaseNameSchema,
    source: sourceInput.describe(
      "`git`: the https URL of a repository, with a `ref` and the name of a `secret` that is bound to its host; `zip`: the hash of an uploaded archive; `project`: the shared files of a project.",
    ),
    ...codebaseUsersShape,
  })
  .meta({ id: "NewCodebaseInput" });
export type CodebaseInput = z.output<typeof codebaseInput>;

const list = z.array(z.string()).nullable();
export const codebaseSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    source: sourceInput,
    agents: list.describe("Names of agents that may search it; null: agents are not limited by this list."),
    projects: list,
    people: list,
    status: z
      .enum(CODEBASE_STATUSES)
      .describe("`failed`: the last indexing failed, as `error` says. The index before it is still searched."),
    error: z.string().nullable(),
    commit: z.string().nullable().describe("The commit of the present index."),
    files: z.int(),
    symbols: z.int(),
    chunks: z.int(),
    skipped: z.partialRecord(z.enum(SKIP_REASONS), z.int()).describe("How many files were left out, by reason."),
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

export function toCodebaseView(codebase: Codebase): z.input<typeof codebaseSchema> {
  const { source, agents, projects, people, skipped, indexedAt, createdAt, updatedAt, ...rest } = codebase;
  const copy = (names: readonly string[] | null): string[] | null => (names === null ? null : [...names]);
  return {
    ...rest,
    source: "zip" in source ? { zip: source.zip.hash } : source,
    agents: copy(agents),
    projects: copy(projects),
    people: copy(people),
    skipped: { ...skipped },
    indexed_at: isoOrNull(indexedAt),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}
