/** The ports behind a search by meaning: the model that makes vectors, and the index that stores them. */
import type { Result } from "../errors.ts";
import type { MemoryScope } from "./memory.ts";

/**
 * What turns texts into vectors of length 1, so that their inner product is the cosine of the angle between them. Never
 * throws. Failures: `invalid_input` (the model does not take a text), `rate_limited`, `timeout`, `upstream_failed`.
 */
export interface EmbedderPort {
  /** The name under which its vectors are kept. Vectors of two names are never compared. */
  readonly model: string;
  /** Null: its first reply tells. */
  readonly dimensions: number | null;
  /** One vector for each text, in order. At most `MAX_EMBEDDED_TEXTS`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Result<readonly Float32Array[]>>;
}

/** Texts of one call of an embedder. */
export const MAX_EMBEDDED_TEXTS = 64;

/** A vector of length 1, by the id of what it stands for. `project` null: the tenant's own. */
export interface StoredVector {
  readonly id: string;
  readonly project: string | null;
  readonly values: Float32Array;
}

/** What is near is asked of: at most `limit` (≤ 100) ids, the nearest first. `among`: of these ids only (≤ 100). */
export interface VectorQuery {
  readonly values: Float32Array;
  readonly scope: MemoryScope;
  readonly limit: number;
  readonly among: readonly string[] | null;
}

/**
 * Vectors of each tenant, kept by their id and model. It proposes ids; whether the caller may read what they stand for,
 * and whether that is still there, is for the database to say. What was written may be found some seconds later only.
 */
export interface VectorsPort {
  /** An id that is there already gets this vector in the place of its own, whatever model that was of. */
  upsert(tenant: string, model: string, vectors: readonly StoredVector[]): Promise<Result<void>>;
  /** `score` is the cosine similarity. Vectors of another model, or of other dimensions, are not looked at. */
  query(
    tenant: string,
    model: string,
    query: VectorQuery,
  ): Promise<Result<readonly { readonly id: string; readonly score: number }[]>>;
  delete(tenant: string, ids: readonly string[]): Promise<Result<void>>;
}
