/** Gives pieces their vectors: first the vector, then the record, so that a recorded piece has one. */
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { KnowledgeTable, PieceToEmbed, VersionPlace } from "../ports/knowledge.ts";
import { type EmbedderPort, MAX_EMBEDDED_TEXTS, type VectorsPort } from "../ports/vectors.ts";

/** A text that every model accepts: if it fails too, the server is misconfigured. */
const PROBE = "hello";
const EMBED_TIMEOUT_MS = 20_000;

export interface EmbedDeps {
  readonly tenant: string;
  readonly knowledge: KnowledgeTable;
  readonly embedder: EmbedderPort;
  readonly vectors: VectorsPort;
}

/** Embeds the next pieces of a version, and returns how many it found; 0: all have a vector. */
export async function embedSome(deps: EmbedDeps, place: VersionPlace): Promise<Result<number>> {
  const { tenant, knowledge, embedder } = deps;
  const open = await knowledge.listUnembedded(tenant, place, embedder.model, MAX_EMBEDDED_TEXTS);
  if (!open.ok || open.value.length === 0) return open.ok ? ok(0) : open;
  const failure = await embedPieces(deps, open.value, AbortSignal.timeout(EMBED_TIMEOUT_MS));
  return failure === null ? ok(open.value.length) : { ok: false, error: failure };
}

/** Embeds at most 64 pieces. A text that the model rejects is recorded without a vector: only its words find it. */
export async function embedPieces(
  deps: EmbedDeps,
  pieces: readonly PieceToEmbed[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const failure = await embedBatch(deps, pieces, signal);
  if (failure?.code !== "invalid_input") return failure;
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) {
    const probed = await deps.embedder.embed([PROBE], signal);
    if (!probed.ok) return probed.error;
    console.error("the embedding model rejects a piece of a document", deps.tenant, only.id, failure.message);
    const marked = await deps.knowledge.markEmbedded(deps.tenant, deps.embedder.model, [only.id]);
    return marked.ok ? null : marked.error;
  }
  for (const one of pieces) {
    const again = await embedPieces(deps, [one], signal);
    if (again !== null) return again;
  }
  return null;
}

async function embedBatch(
  { tenant, knowledge, embedder, vectors }: EmbedDeps,
  pieces: readonly PieceToEmbed[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const embedded = await embedder.embed(
    pieces.map(({ text }) => text),
    signal,
  );
  if (!embedded.ok) return embedded.error;
  const stored = pieces.flatMap(({ id, project, kind }, index) => {
    const values = embedded.value[index];
    return values === undefined ? [] : [{ id, project, collection: "knowledge" as const, kind, values }];
  });
  const written = await vectors.upsert(tenant, embedder.model, stored);
  if (!written.ok) return written.error;
  const ids = pieces.map(({ id }) => id);
  const marked = await knowledge.markEmbedded(tenant, embedder.model, ids);
  if (!marked.ok) return marked.error;
  // A piece that was removed meanwhile leaves no vector.
  const present = new Set(marked.value);
  const gone = ids.filter((id) => !present.has(id));
  if (gone.length === 0) return null;
  const forgotten = await vectors.delete(tenant, gone);
  return forgotten.ok ? null : forgotten.error;
}
