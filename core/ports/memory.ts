/** The memory port of a task's tools. */
import type { Result } from "../base/errors.ts";
import type { Label } from "../provenance/label.ts";
import type { Memory, MemoryKind } from "../memory/memory.ts";
import type { MemoryHit } from "../memory/rank.ts";

/** The memories of a task's project and of its tenant. A task with a project saves into the project. */
export interface MemoryPort {
  /**
   * `onlyProject`: without the tenant's own memories. `kind`: only memories of it. `withOutside`: also memories that were saved under outside text,
   * which are not facts. `embedder` is the name of the model that compared them.
   */
  search(request: {
    readonly query: string;
    readonly onlyProject: boolean;
    readonly kind: MemoryKind | null;
    readonly withOutside: boolean;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<Result<{ readonly hits: readonly MemoryHit[]; readonly embedder: string }>>;
  /**
   * Saves a text once for a key. `isNew` is false for a text that was already stored; it gets the missing tags.
   * `label`: that of the call's context.
   */
  save(note: {
    readonly content: string;
    readonly tags: readonly string[];
    readonly label: Label;
    readonly key: string;
    readonly nowMs: number;
    readonly signal: AbortSignal;
  }): Promise<Result<{ readonly memory: Memory; readonly isNew: boolean }>>;
}
