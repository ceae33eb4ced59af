/** Gives the chunks of an attempt to index their vectors, before searches see them. */
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { EmbedDeps } from "../knowledge/embed.ts";
import { embedTexts } from "../knowledge/embed.ts";
import { toVectorMark } from "../knowledge/vector-mark.ts";
import type { BuildPlace, ChunkToEmbed, CodeChunks } from "../ports/codebases.ts";
import { MAX_EMBEDDED_TEXTS } from "../ports/vectors.ts";
import { MAX_TENANT_VECTORS } from "./limits.ts";

/** Chunks that are read at once, and the calls of the embedder that they are embedded by at the same time. */
const PAGE = 1_024;
const AT_ONCE = 4;
const CALL_MS = 20_000;

export interface ChunkEmbedDeps extends Pick<EmbedDeps, "embedder" | "vectors"> {
  readonly table: CodeChunks;
  readonly now: () => number;
}

/**
 * `why`: what left chunks without a vector; null: nothing. `isCut`: the time ended, so another attempt embeds more. `isOverLimit`:
 * the tenant would have too many, so none was added. `failure` of the embedder, the vectors or the database.
 */
interface EmbeddedChunks {
  readonly why: string | null;
  readonly isCut: boolean;
  readonly isOverLimit: boolean;
  readonly failure?: Failure;
}

const COMPLETE: EmbeddedChunks = { why: null, isCut: false, isOverLimit: false };

/** Counts first: a codebase whose vectors do not all fit is found by words, so some of them would be of no use. */
export async function embedChunks(
  deps: ChunkEmbedDeps,
  tenant: string,
  place: BuildPlace,
  until: number,
): Promise<EmbeddedChunks> {
  const { table, embedder, now } = deps;
  const mark = toVectorMark(embedder.model, "code");
  const count = await table.countVectors(tenant, place, mark);
  if (!count.ok) return toFailed(count.error);
  const { missing, total } = count.value;
  if (missing === 0) return COMPLETE;
  if (total > MAX_TENANT_VECTORS) return { ...COMPLETE, why: explainLimit(total), isOverLimit: true };
  for (let embedded = 0; ; ) {
    const open = await table.listUnembedded(tenant, place, mark, PAGE);
    if (!open.ok) return toFailed(open.error);
    if (open.value.length === 0) return COMPLETE;
    if (now() >= until) return { ...COMPLETE, why: "There was no time to embed all of it.", isCut: embedded > 0 };
    const failure = await embedPage(deps, tenant, open.value);
    if (failure !== null) return toFailed(failure);
    embedded += open.value.length;
    if (open.value.length < PAGE) return COMPLETE;
  }
}

/** Deletes the vectors of a codebase that searches use none of, and returns true when none is left. */
export async function deleteVectors(
  { table, vectors }: Pick<ChunkEmbedDeps, "table" | "vectors">,
  tenant: string,
  codebase: string,
): Promise<Result<boolean>> {
  for (let deleted = 0; deleted < MAX_TENANT_VECTORS; ) {
    const found = await table.listEmbedded(tenant, codebase, PAGE);
    if (!found.ok) return found;
    if (found.value.length === 0) return ok(true);
    const forgotten = await vectors.delete(tenant, found.value);
    if (!forgotten.ok) return forgotten;
    const marked = await table.markEmbedded(tenant, null, found.value);
    if (!marked.ok) return marked;
    deleted += found.value.length;
  }
  return ok(false);
}

function explainLimit(total: number): string {
  return `With it, ${total} chunks of the tenant would have vectors, and ${MAX_TENANT_VECTORS} are the most. Delete a codebase, or index less code.`;
}

async function embedPage(
  { table, embedder, vectors }: ChunkEmbedDeps,
  tenant: string,
  chunks: readonly ChunkToEmbed[],
): Promise<Failure | null> {
  const deps = { tenant, collection: "code", rows: table, embedder, vectors } as const;
  const batches = Array.from({ length: Math.ceil(chunks.length / MAX_EMBEDDED_TEXTS) }, (_, index) =>
    chunks.slice(index * MAX_EMBEDDED_TEXTS, (index + 1) * MAX_EMBEDDED_TEXTS),
  );
  for (let start = 0; start < batches.length; start += AT_ONCE) {
    const calls = batches.slice(start, start + AT_ONCE);
    const failures = await Promise.all(
      calls.map(async (batch) => await embedTexts(deps, batch, AbortSignal.timeout(CALL_MS))),
    );
    const failure = failures.find((one) => one !== null);
    if (failure !== undefined) return failure;
  }
  return null;
}

function toFailed(failure: Failure): EmbeddedChunks {
  return { ...COMPLETE, why: failure.message, failure };
}
