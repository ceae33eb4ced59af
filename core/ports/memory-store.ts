/** Memories with what they are found by: the database and the vectors together. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Memory, MemoryScope, NewMemory } from "../memory/memory.ts";
import type { MemoryHit, RankRules } from "../memory/rank.ts";

/** What is looked for. `tag`: only among the memories that have it, at most the latest hundred of them. */
export interface MemorySearch extends RankRules {
  readonly query: string;
  readonly scope: MemoryScope;
  readonly tag: string | null;
  /** False: only records of the tenant are found, no memories from outside. */
  readonly withOutside: boolean;
  readonly limit: number;
}

/** What came of saving. `isNew` false: the memory was there, and got the tags that it had not. */
export interface SavedMemory {
  readonly memory: Memory;
  readonly isNew: boolean;
}

/**
 * A memory is kept first and gets its vector then. When that fails it is there, found by no search, and the sweep gives it
 * one. Failures are those of the database's port; a search also has the embedder's.
 */
export interface MemoryStore {
  /** The model that finds memories now. */
  readonly embedder: string;
  search(tenant: string, search: MemorySearch, signal: AbortSignal): Promise<Result<readonly MemoryHit[]>>;
  /** In order; without those of an erased tenant. Saving the same id again changes nothing. */
  save(
    tenant: string,
    memories: readonly NewMemory[],
    act: AuditEntry | null,
    signal: AbortSignal,
  ): Promise<Result<readonly SavedMemory[]>>;
  update(
    tenant: string,
    change: Pick<Memory, "id" | "kind" | "label" | "content" | "tags">,
    act: AuditEntry,
    signal: AbortSignal,
  ): Promise<Result<Memory>>;
  /** Gives the memory as it was. */
  delete(tenant: string, id: string, act: AuditEntry): Promise<Result<Memory>>;
  /** Deletes memories by their ids; those that are not there are no failure. */
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** Deletes a bounded part of a scope. True: nothing is left. */
  erase(tenant: string, scope: MemoryScope): Promise<Result<boolean>>;
  /** Gives vectors to memories that have none of the present model, at most `limit`; the number of those that it went through. */
  embedPending(limit: number, signal: AbortSignal): Promise<Result<number>>;
}
