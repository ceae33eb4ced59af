/** The ports of a semantic search: the model that computes vectors, and the index that stores them. */
import type { Result } from "../base/errors.ts";
import type { MemoryKind, MemoryScope } from "../memory/memory.ts";

/**
 * Turns texts into vectors of length 1, so that their inner product is the cosine of the angle between them. Never
 * throws. Failures: `invalid_input` (the model does not take a text), `rate_limited`, `timeout`, `upstream_failed`.
 */
export interface EmbedderPort {
  /** The name under which its vectors are stored. Vectors of different names are never compared. */
  readonly model: string;
  /** Null until its first reply. */
  readonly dimensions: number | null;
  /** One vector for each text, in order. At most `MAX_EMBEDDED_TEXTS`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Result<readonly Float32Array[]>>;
}

/** Texts of one call of an embedder. */
export const MAX_EMBEDDED_TEXTS = 64;

/** What a vector belongs to. No search finds vectors of two collections. */
export type VectorCollection = "memory" | "knowledge" | "code";
/** A kind of the vector's collection: of memories, of pieces of documents (`PieceKind`), or of code. */
export type VectorKind = MemoryKind | "text" | "table" | "formula" | "image" | "code";

/** A vector of length 1, by the id of its text. `project` null: the tenant's own. */
export interface StoredVector {
  readonly id: string;
  readonly project: string | null;
  readonly collection: VectorCollection;
  readonly kind: VectorKind;
  readonly values: Float32Array;
}

/**
 * A search for the nearest vectors: at most `limit` (≤ 100) ids, the nearest first. `kind` null: of every kind of the
 * collection. `among`: of these ids only (≤ 100).
 */
export interface VectorQuery {
  readonly values: Float32Array;
  readonly scope: MemoryScope;
  readonly collection: VectorCollection;
  readonly kind: VectorKind | null;
  readonly limit: number;
  readonly among: readonly string[] | null;
}

/**
 * Stores the vectors of each tenant by their id and model. It proposes ids; the database decides whether the caller may read
 * their texts, and whether they still exist. A write may take some seconds until searches find it.
 */
export interface VectorsPort {
  /** `database`: the statement that saves memories can also write their vectors. `index`: another system. */
  readonly place: "database" | "index";
  /** Replaces the vector of a stored id, also one of another model. */
  upsert(tenant: string, model: string, vectors: readonly StoredVector[]): Promise<Result<void>>;
  /**
   * `score` is the cosine similarity. Vectors of another model, or of other dimensions, are not looked at. A summary that an
   * earlier release embedded may count as a note.
   */
  query(
    tenant: string,
    model: string,
    query: VectorQuery,
  ): Promise<Result<readonly { readonly id: string; readonly score: number }[]>>;
  delete(tenant: string, ids: readonly string[]): Promise<Result<void>>;
}
