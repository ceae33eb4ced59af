/** Memories with their vectors: the database and the vector index together. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Memory, MemoryKind, MemoryScope, NewMemory } from "../memory/memory.ts";
import type { MemoryHit, RankRules } from "../memory/rank.ts";

/** A search. `kind`: only memories of this kind. `tag`: only those with this tag, at most the latest hundred. */
export interface MemorySearch extends RankRules {
  readonly query: string;
  readonly scope: MemoryScope;
  readonly kind: MemoryKind | null;
  readonly tag: string | null;
  /** False: only records of the tenant, without memories from outside. */
  readonly withOutside: boolean;
  readonly limit: number;
}

/** A saved memory. `isNew` is false if it was already stored and got the missing tags. */
export interface SavedMemory {
  readonly memory: Memory;
  readonly isNew: boolean;
}

/**
 * A memory is stored first and then gets its vector, except for summaries, which get theirs in the same write. If that fails, searches miss it until the sweep adds the vector.
 * Failures are those of the database's port; a search also has the embedder's.
 */
export interface MemoryStore {
  /** The current embedding model. */
  readonly embedder: string;
  search(tenant: string, search: MemorySearch, signal: AbortSignal): Promise<Result<readonly MemoryHit[]>>;
  /** Saves memories, and returns them in order, without those of a deleted tenant. Idempotent by id. */
  save(
    tenant: string,
    memories: readonly NewMemory[],
    act: AuditEntry | null,
    signal: AbortSignal,
  ): Promise<Result<readonly SavedMemory[]>>;
  /** Saves at most 64 summaries of tasks, without a deleted tenant's. Idempotent by id. */
  saveSummaries(tenant: string, summaries: readonly NewMemory[], signal: AbortSignal): Promise<Result<void>>;
  update(
    tenant: string,
    change: Pick<Memory, "id" | "kind" | "label" | "content" | "tags">,
    act: AuditEntry,
    signal: AbortSignal,
  ): Promise<Result<Memory>>;
  /** Returns the deleted memory. */
  delete(tenant: string, id: string, act: AuditEntry): Promise<Result<Memory>>;
  /** Deletes memories by their ids; missing ones are ignored. */
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** Deletes a bounded part of a scope. True when nothing is left. */
  erase(tenant: string, scope: MemoryScope): Promise<Result<boolean>>;
  /** Adds missing vectors of the current model, for at most `limit` memories; returns how many it processed. */
  embedPending(limit: number, signal: AbortSignal): Promise<Result<number>>;
}
