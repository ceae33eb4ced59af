/** The rows of memories and projects. Expected failures are values. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Memory, MemoryScope, NewMemory } from "../memory/memory.ts";

/** What narrows a list of memories; null: it does not. */
export interface MemoryFilter {
  readonly scope: MemoryScope;
  /** A tag, as it was written. */
  readonly tag: string | null;
  /** False: only records of the tenant. */
  readonly withOutside: boolean;
}

/** A memory to be kept, with the hash that tells it from the others of its project (`identityHashOf`). */
export interface HashedMemory extends NewMemory {
  readonly contentHash: string;
}

/** A memory as it was read, with the hash that it had then. */
export interface ReadMemory extends Memory {
  readonly contentHash: string;
}

export interface MemoryTable {
  /**
   * Keeps memories, and gives each as it is kept, in order: a memory whose id is there already as it is; one whose content its
   * project has already as that one, with the tags of both. Those of an erased tenant are not kept, and given by none.
   */
  save(
    tenant: string,
    memories: readonly HashedMemory[],
    act: AuditEntry | null,
  ): Promise<Result<readonly ReadMemory[]>>;
  /** Those of these memories that the scope holds, in no order. */
  read(tenant: string, scope: MemoryScope, ids: readonly string[]): Promise<Result<readonly ReadMemory[]>>;
  /** The ids of the latest memories that the filter lets through and that have a tag with one of these words. */
  tagged(
    tenant: string,
    filter: MemoryFilter,
    words: readonly string[],
    limit: number,
  ): Promise<Result<readonly string[]>>;
  page(tenant: string, filter: MemoryFilter, request: PageRequest): Promise<Result<Page<Memory>>>;
  /** `conflict` when the project has that content already. */
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
  /** Gives the memory as it was. */
  delete(tenant: string, id: string, act: AuditEntry): Promise<Result<Memory>>;
  /** Deletes memories without a word in the audit log. */
  remove(tenant: string, ids: readonly string[]): Promise<Result<void>>;
  /** The ids of some memories of a scope, in no order: what there is to erase. */
  some(tenant: string, scope: MemoryScope, limit: number): Promise<Result<readonly string[]>>;
  /**
   * Notes that memories have a vector of this model, and gives the ids of those that are still there. One whose content
   * changed since it was read is noted to have none.
   */
  markEmbedded(
    tenant: string,
    model: string,
    read: readonly Pick<ReadMemory, "id" | "contentHash">[],
  ): Promise<Result<readonly string[]>>;
  /** Memories of any tenant that lives which have no vector of this model. */
  toEmbed(model: string, limit: number): Promise<Result<readonly { readonly tenant: string; readonly id: string }[]>>;
}

/** A project: a name that a task or a memory was made with. */
export interface Project {
  readonly name: string;
  readonly createdAt: number;
  readonly memories: number;
  /** Of the index, hidden ones left out. */
  readonly tasks: number;
}

export interface ProjectTable {
  /** By name, from after `after` on; a page holds one more than `limit` when there are more. `among` null: all of them. */
  list(
    tenant: string,
    after: string | null,
    limit: number,
    among?: readonly string[] | null,
  ): Promise<Result<readonly Project[]>>;
  get(tenant: string, name: string): Promise<Result<Project>>;
  /** `conflict` while the index has a task of it that has not ended. */
  refuseLive(tenant: string, name: string): Promise<Result<void>>;
  /** Forgets the project, whose memories are gone. */
  erase(tenant: string, name: string, act: AuditEntry): Promise<Result<void>>;
}
