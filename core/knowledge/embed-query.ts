/** The vector of a query. */
import { ok, type Result } from "../base/errors.ts";
import type { EmbedderPort } from "../ports/vectors.ts";

/** A search also has words, and its tool ends after ten seconds: an embedder that does not answer must not take all of them. */
const EMBED_MS = 3_000;

/** Null if the embedder returned nothing. Fails within three seconds, or when `signal` aborts. */
export async function embedQuery(
  embedder: Pick<EmbedderPort, "embed">,
  query: string,
  signal: AbortSignal,
): Promise<Result<Float32Array | null>> {
  const embedded = await embedder.embed([query], AbortSignal.any([signal, AbortSignal.timeout(EMBED_MS)]));
  return embedded.ok ? ok(embedded.value[0] ?? null) : embedded;
}
