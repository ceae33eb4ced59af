/**
 * Embeddings from a server with OpenAI's API: one request per call, without retry. The key is sent to the configured
 * address only, so redirects are not followed. https://platform.openai.com/docs/api-reference/embeddings/create
 */
import { z } from "zod";
import { type Failure, failed, ok, type Result } from "../../core/base/errors.ts";
import type { EmbedderPort } from "../../core/ports/vectors.ts";
import { getRequestKey } from "../model/guarded-fetch.ts";
import { fromStatus, readBodyQuote, scrubQuote } from "../model/model-failure.ts";
import { readAtMost } from "../http/reply-text.ts";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const TIMEOUT_MS = 15_000;
/** Maximum bytes of a reply: 64 vectors of 4,096 numbers of about 24 characters. */
const MAX_REPLY_BYTES = 16_777_216;
const MAX_ERROR_BYTES = 65_536;
const MAX_DIMENSIONS = 4_096;
const RETRY_AFTER_MS = 1_000;

/** The server. `baseUrl` null: OpenAI's own. */
export interface EmbeddingServer {
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly model: string;
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })),
});

export function openAiEmbedder(server: EmbeddingServer): EmbedderPort {
  const { apiKey, model } = server;
  const url = `${(server.baseUrl ?? DEFAULT_BASE_URL).replace(/\/$/, "")}/embeddings`;
  return {
    model,
    dimensions: null,
    async embed(texts, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        const response = await fetch(url, {
          method: "POST",
          redirect: "manual",
          headers: {
            "content-type": "application/json",
            authorization: `Bearer ${getRequestKey(apiKey)}`,
            "user-agent": "otto",
          },
          body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
          signal: limit,
        });
        if (!response.ok) return { ok: false, error: await toFailure(response, apiKey ?? "") };
        const body = await readAtMost(response, MAX_REPLY_BYTES);
        return body === null ? failUnreadable("its reply is too long") : readVectors(body, texts.length);
      } catch (thrown) {
        if (signal.aborted) return failed("timeout", "The embedding was cancelled.", { retryAfterMs: RETRY_AFTER_MS });
        const isLate = limit.aborted;
        const details = { thrown: thrown instanceof Error ? thrown.message.slice(0, 500) : String(thrown) };
        const message = isLate ? "The embedding server did not reply in time." : "The embedding server is unavailable.";
        return failed(isLate ? "timeout" : "upstream_failed", message, { retryAfterMs: RETRY_AFTER_MS, details });
      }
    },
  };
}

/** Returns the vectors of a reply, in the order of the texts. */
function readVectors(body: string, count: number): Result<readonly Float32Array[]> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return failUnreadable("its reply is no JSON");
  }
  const reply = replySchema.safeParse(parsed);
  if (!reply.success) return failUnreadable("its reply holds no list of embeddings");
  const vectors = new Map(reply.data.data.map(({ index, embedding }) => [index, normalize(embedding)]));
  const dimensions = vectors.get(0)?.length;
  const inOrder = Array.from({ length: count }, (_, index) => vectors.get(index) ?? null);
  const found = inOrder.filter((vector) => vector !== null && vector.length === dimensions);
  const isWhole = found.length === count && reply.data.data.length === count;
  return isWhole
    ? ok(found as Float32Array[])
    : failUnreadable("it did not give one vector of one length for each text");
}

/** Scales to length 1; null for a zero vector. */
function normalize(embedding: readonly number[]): Float32Array | null {
  const length = Math.sqrt(embedding.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return null;
  return Float32Array.from(embedding, (value) => value / length);
}

/** Converts an error status to a failure. A text that the model rejects is the caller's fault; other errors are not. */
async function toFailure(response: Response, apiKey: string): Promise<Failure> {
  const quote = scrubQuote(readBodyQuote((await readAtMost(response, MAX_ERROR_BYTES)) ?? ""), apiKey);
  const { status, headers } = response;
  const { kind, retryable, retryAfterMs } = fromStatus(status, headers.get("retry-after"), quote, Date.now());
  const said = quote === "" ? "" : `: ${quote}`;
  const details = { status };
  if (kind === "rate_limited") {
    const message = `The embedding server limits requests (429)${said}`;
    return failed("rate_limited", message, { retryAfterMs: retryAfterMs ?? RETRY_AFTER_MS, details }).error;
  }
  if (status === 400 || status === 413 || status === 422)
    return failed("invalid_input", `The embedding server refused the text (${status})${said}`, { details }).error;
  const message = `The embedding server answered ${status}${said}`;
  const wait = retryable ? { retryAfterMs: retryAfterMs ?? RETRY_AFTER_MS } : {};
  return failed("upstream_failed", message, { details, ...wait }).error;
}

function failUnreadable(why: string): Result<never> {
  return failed("upstream_failed", `The embedding server cannot be used: ${why}. Check OPENAI_BASE_URL.`);
}
