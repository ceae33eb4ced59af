/** Gives texts their vectors: first the vector, then the record, so that a recorded text has one. */
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { KnowledgePieces, VersionPlace } from "../ports/knowledge.ts";
import { type EmbedderPort, MAX_EMBEDDED_TEXTS, type StoredVector, type VectorsPort } from "../ports/vectors.ts";
import { type MarkedCollection, toVectorMark } from "./vector-mark.ts";

/** A text that every model accepts: if it fails too, the server is misconfigured. */
const PROBE = "hello";
const EMBED_TIMEOUT_MS = 20_000;

/** A text that needs a vector. */
type TextToEmbed = Pick<StoredVector, "id" | "kind" | "project"> & { readonly text: string };

/** What embeds a tenant's texts. `rows` records which have a vector. */
export interface EmbedDeps {
  readonly tenant: string;
  readonly collection: MarkedCollection;
  readonly rows: Pick<KnowledgePieces, "markEmbedded">;
  readonly embedder: EmbedderPort;
  readonly vectors: VectorsPort;
}

/** Embeds the next pieces of a version, and returns how many it found; 0: all have a vector. */
export async function embedSome(
  from: Pick<EmbedDeps, "tenant" | "embedder" | "vectors"> & { readonly knowledge: KnowledgePieces },
  place: VersionPlace,
): Promise<Result<number>> {
  const { tenant, knowledge, embedder, vectors } = from;
  const mark = toVectorMark(embedder.model, "knowledge");
  const open = await knowledge.listUnembedded(tenant, place, mark, MAX_EMBEDDED_TEXTS);
  if (!open.ok || open.value.length === 0) return open.ok ? ok(0) : open;
  const deps = { tenant, collection: "knowledge", rows: knowledge, embedder, vectors } as const;
  const failure = await embedTexts(deps, open.value, AbortSignal.timeout(EMBED_TIMEOUT_MS));
  return failure === null ? ok(open.value.length) : { ok: false, error: failure };
}

/** Embeds at most 64 texts. One that the model rejects is recorded without a vector: only its words find it. */
export async function embedTexts(
  deps: EmbedDeps,
  texts: readonly TextToEmbed[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const failure = await embedBatch(deps, texts, signal);
  if (failure?.code !== "invalid_input") return failure;
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) {
    const probed = await deps.embedder.embed([PROBE], signal);
    if (!probed.ok) return probed.error;
    console.error("the embedding model rejects a text", deps.tenant, only.id, failure.message);
    const marked = await deps.rows.markEmbedded(deps.tenant, getMark(deps), [only.id]);
    return marked.ok ? null : marked.error;
  }
  for (const one of texts) {
    const again = await embedTexts(deps, [one], signal);
    if (again !== null) return again;
  }
  return null;
}

function getMark({ embedder, collection }: EmbedDeps): string {
  return toVectorMark(embedder.model, collection);
}

async function embedBatch(
  deps: EmbedDeps,
  texts: readonly TextToEmbed[],
  signal: AbortSignal,
): Promise<Failure | null> {
  const { tenant, collection, rows, embedder, vectors } = deps;
  const embedded = await embedder.embed(
    texts.map(({ text }) => text),
    signal,
  );
  if (!embedded.ok) return embedded.error;
  const stored = texts.flatMap(({ id, project, kind }, index) => {
    const values = embedded.value[index];
    return values === undefined ? [] : [{ id, project, collection, kind, values }];
  });
  const written = await vectors.upsert(tenant, embedder.model, stored);
  if (!written.ok) return written.error;
  const ids = texts.map(({ id }) => id);
  const marked = await rows.markEmbedded(tenant, getMark(deps), ids);
  if (!marked.ok) return marked.error;
  // A text that was removed meanwhile leaves no vector.
  const present = new Set(marked.value);
  const gone = ids.filter((id) => !present.has(id));
  if (gone.length === 0) return null;
  const forgotten = await vectors.delete(tenant, gone);
  return forgotten.ok ? null : forgotten.error;
}
