/** The rows of memories and projects. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Memory, MemoryKind, MemoryScope, NewMemory } from "../memory/memory.ts";
import type { StoredVector } from "./vectors.ts";

/** The filter of a list of memories; null matches all. */
export interface MemoryFilter {
  readonly scope: MemoryScope;
  readonly kind: MemoryKind | null;
  /** A tag, in any case. */
  readonly tag: string | null;
  /** False: only records of the tenant. */
  readonly withOutside: boolean;
}

/** A memory to store, with the hash that identifies it in its project (`getIdentityHash`). */
export interface HashedMemory extends NewMemory {
  readonly contentHash: string;
}

/** A memory with its hash when it was read. */
export interface ReadMemory extends Memory {
  readonly contentHash: string;
}

/** The model that summaries have vectors of, and the vectors that are stored with them, unless an index has them. */
export interface EmbeddedSummaries {
  readonly model: string;
  readonly vectors: readonly StoredVector[];
}

export interface MemoryTable {
  /**
   * Stores memories, and returns each as stored, in order: an existing id unchanged; content that its project already
   * has as that memory, with the tags of both. Skips those of a deleted tenant.
   */
  save(
    tenant: string,
    memories: readonly HashedMemory[],
    act: AuditEntry | null,
  ): Promise<Result<readonly ReadMemory[]>>;
  /**
   * Stores summaries of tasks in one statement, and returns the ids of those that are stored now. An existing one is
   * unchanged; those of a deleted tenant are skipped.
   */
  saveSummaries(
    tenant: string,
    summaries: readonly HashedMemory[],
    embedded: EmbeddedSummaries | null,
  ): Promise<Result<readonly string[]>>;
  /** Returns those of these memories that are in the scope, in no order. */
  read(tenant: string, scope: MemoryScope, ids: readonly string[]): Promise<Result<readonly ReadMemory[]>>;
  /**
   * Memories that match the filter and have a tag with one of these words, or any when it is null: facts first, then the
   * latest.
   */
  tagged(
    tenant: string,
    filter: MemoryFilter,
    words: readonly string[] | null,
    limit: number,
  ): Promise<Result<readonly Pick<Memory, "id" | "tags">[]>>;
  page(tenant: string, filter: MemoryFilter, request: PageRequest): Promise<Result<Page<Memory>>>;
  /** `conflict` if the project already has that content. */
  update(
    tenant: string,
    change: {
      readonly id: string;
      readonly label: Memory["label"];
      readonly content: string;
      readonly contentHash: string;
      readonly tags: readonly string[];
    },
    act: AuditEntry,
  ): Promise<Result<ReadMemory>>;
  /** Returns the deleted memory. */
  delete(tenant: string, id: string, act: AuditEntry): Promise<Result<Memory>>;
  /** Deletes memories without an audit entry. */
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** Ids of some memories of a scope, in no order, for deletion. */
  some(tenant: string, scope: MemoryScope, limit: number): Promise<Result<readonly string[]>>;
  /**
   * Records that memories have a vector of this model, and returns the ids of those that still exist. One whose content
   * changed since it was read is recorded without a vector.
   */
  markEmbedded(
    tenant: string,
    model: string,
    read: readonly Pick<ReadMemory, "id" | "contentHash">[],
  ): Promise<Result<readonly string[]>>;
  /** Memories of any existing tenant that have no vector of this model. */
  toEmbed(model: string, limit: number): Promise<Result<readonly { readonly tenant: string; readonly id: string }[]>>;
}

/** A project, which a task or a memory named. */
export interface Project {
  readonly name: string;
  readonly createdAt: number;
  readonly memories: number;
  /** Tasks in the index, without hidden ones. */
  readonly tasks: number;
}

export interface ProjectTable {
  /** Projects by name, after `after`; a page has `limit` + 1 when there are more. `among` null: all. */
  list(
    tenant: string,
    after: string | null,
    limit: number,
    among?: readonly string[] | null,
  ): Promise<Result<readonly Project[]>>;
  get(tenant: string, name: string): Promise<Result<Project>>;
  /** `conflict` while the index has an open task of it. */
  refuseLive(tenant: string, name: string): Promise<Result<void>>;
  /** Deletes the project after its memories. */
  erase(tenant: string, name: string, act: AuditEntry): Promise<Result<void>>;
}
