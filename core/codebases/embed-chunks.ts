/** Gives the chunks of an attempt to index their vectors, before searches see them. */
import type { Failure } from "../base/errors.ts";
import type { EmbedDeps } from "../knowledge/embed.ts";
import { embedTexts } from "../knowledge/embed.ts";
import type { ChunkToEmbed, CodeChunks } from "../ports/codebases.ts";
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
 * `why`: what left chunks without a vector; null: nothing. `isCut`: the time ended, so another attempt embeds more. `failure` of the
 * embedder, the vectors or the database.
 */
interface EmbeddedChunks {
  readonly why: string | null;
  readonly isCut: boolean;
  readonly failure?: Failure;
}

export async function embedChunks(
  deps: ChunkEmbedDeps,
  place: { readonly tenant: string; readonly codebase: string; readonly build: number },
  until: number,
): Promise<EmbeddedChunks> {
  const { table, embedder, now } = deps;
  const { tenant } = place;
  const count = await table.countEmbedded(tenant, embedder.model);
  if (!count.ok) return toFailed(count.error);
  for (let embedded = 0; ; ) {
    const open = await table.listUnembedded(tenant, place, embedder.model, PAGE);
    if (!open.ok) return toFailed(open.error);
    if (open.value.length === 0) return { why: null, isCut: false };
    if (count.value + embedded + open.value.length > MAX_TENANT_VECTORS)
      return { why: `The tenant's code has more than ${MAX_TENANT_VECTORS} chunks.`, isCut: false };
    if (now() >= until) return { why: "There was no time to embed all of it.", isCut: embedded > 0 };
    const failure = await embedPage(deps, tenant, open.value);
    if (failure !== null) return toFailed(failure);
    embedded += open.value.length;
  }
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
  return { why: failure.message, isCut: false, failure };
}
