/** Memory as a task's tools have it. */
import type { Result } from "../errors.ts";
import type { Label } from "../provenance/label.ts";
import type { Memory } from "./memory.ts";
import type { MemoryHit } from "./rank.ts";

/** What a task remembers: the memories of its project and of its tenant. It saves into its project, if it has one. */
export interface MemoryPort {
  /**
   * `onlyProject`: without the tenant's own. `withOutside`: also what was saved under text from outside, which is no fact.
   * `embedder` is the name of the model that compared them.
   */
  search(request: {
    readonly query: string;
    readonly onlyProject: boolean;
    readonly withOutside: boolean;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<Result<{ readonly hits: readonly MemoryHit[]; readonly embedder: string }>>;
  /** Saves a text once for a key. `isNew` false: it was there, and got the tags that it had not. `label`: of the call's context. */
  save(note: {
    readonly content: string;
    readonly tags: readonly string[];
    readonly label: Label;
    readonly key: string;
    readonly nowMs: number;
    readonly signal: AbortSignal;
  }): Promise<Result<{ readonly memory: Memory; readonly isNew: boolean }>>;
}
