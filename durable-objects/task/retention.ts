/**
 * What retention needs of a task: whether its whole tree has ended, and the deletion of its log or its large results.
 * Each task of a tree deletes its own rows; the root also deletes the tree's objects in the bucket. Idempotent.
 */
import { blobsFromEnv } from "../../adapters/env/files.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { getResultsPrefix } from "../../core/prompt/stored-results.ts";
import type { TrimmedPart } from "../../core/task/rpc.ts";
import type { TaskRelations } from "./relations.ts";
import type { StoredTask, TaskStore } from "./store.ts";
import { TRIMMED } from "./tables.ts";

export class TaskRetention {
  private readonly env: Env;
  private readonly storage: DurableObjectStorage;
  private readonly store: TaskStore;
  private readonly relations: TaskRelations;

  constructor(env: Env, storage: DurableObjectStorage, store: TaskStore, relations: TaskRelations) {
    this.env = env;
    this.storage = storage;
    this.store = store;
    this.relations = relations;
  }

  /**
   * Returns the latest end of the tree at and below this task; null while a task is active or its end is unreported.
   */
  async treeEndedAt(): Promise<Result<number | null>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.explainAbsence() };
    const { phase, toCancel } = stored.state;
    if (phase.name !== "ended" || toCancel.length > 0 || this.store.hasUnpublished()) return ok(null);
    let latest = phase.at;
    for (const task of this.relations.getTasksBelow(stored.state)) {
      const ended = await task.treeEndedAt();
      if (!ended.ok && ended.error.code !== "not_found") return ended;
      if (!ended.ok) continue;
      if (ended.value === null) return ok(null);
      latest = Math.max(latest, ended.value);
    }
    return ok(latest);
  }

  /** False once the part was deleted from the tree and nothing was written since. */
  async hasPart(part: TrimmedPart): Promise<Result<boolean>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.explainAbsence() };
    if (this.readTrimmedVersion(part) !== stored.version) return ok(true);
    for (const task of this.relations.getTasksBelow(stored.state)) {
      const has = await task.hasPart(part);
      if (!has.ok && has.error.code !== "not_found") return has;
      if (has.ok && has.value) return has;
    }
    return ok(false);
  }

  async trim(part: TrimmedPart): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.explainAbsence() };
    if (stored.state.phase.name !== "ended") return failed("conflict", "The task has not ended.");
    for (const task of this.relations.getTasksBelow(stored.state)) {
      const trimmed = await task.trim(part);
      if (!trimmed.ok && trimmed.error.code !== "not_found") return trimmed;
    }
    if (part === "logs") this.store.trimLog();
    else await this.trimResults(stored);
    this.storage.sql.exec("INSERT OR REPLACE INTO task VALUES (?, ?)", TRIMMED + part, String(stored.version));
    this.store.conversation.dropCache();
    return ok(undefined);
  }

  /** Returns the version at which the part was deleted; null if it never was. */
  private readTrimmedVersion(part: TrimmedPart): number | null {
    const query = "SELECT value FROM task WHERE name = ?";
    const [row] = this.storage.sql.exec<{ value: string }>(query, TRIMMED + part).toArray();
    return row === undefined ? null : Number(row.value);
  }

  /** Deletes results that were too large for the model. Their calls then read as `gone`. */
  private async trimResults({ state: { facts } }: StoredTask): Promise<void> {
    if (facts.rootId !== facts.id) return;
    const blobs = blobsFromEnv(this.env);
    for (let isGone = false; !isGone; ) isGone = await blobs.erase(getResultsPrefix(facts));
  }
}
