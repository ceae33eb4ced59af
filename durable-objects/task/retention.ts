/**
 * What retention asks of a task: whether its whole tree has ended, and to remove its log or its large results. Each task of a
 * tree removes its own rows; the root also what the tree has in the bucket. Everything can be done again.
 */
import { blobsFromEnv } from "../../adapters/env/files.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { getResultsPrefix } from "../../core/prompt/stored-results.ts";
import type { TrimmedPart } from "../../core/task/rpc.ts";
import type { ToolError, ToolResult } from "../../core/tool/tool.ts";
import type { TaskRelations } from "./relations.ts";
import type { StoredTask, TaskStore } from "./store.ts";
import { COMPACTION, TRIMMED } from "./tables.ts";

/** What the result of a call says that was removed. */
const GONE = { gone: true };

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

  /** The latest end of the tree at and below this task; null: something of it lives, or its end was not reported yet. */
  async treeEndedAt(): Promise<Result<number | null>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.whyAbsent() };
    const { phase, toCancel } = stored.state;
    if (phase.name !== "ended" || toCancel.length > 0 || this.store.hasNews()) return ok(null);
    let latest = phase.at;
    for (const task of this.relations.tasksBelow(stored.state)) {
      const ended = await task.treeEndedAt();
      if (!ended.ok && ended.error.code !== "not_found") return ended;
      if (!ended.ok) continue;
      if (ended.value === null) return ok(null);
      latest = Math.max(latest, ended.value);
    }
    return ok(latest);
  }

  /** False once the tree lost the part and nothing was written since. */
  async hasPart(part: TrimmedPart): Promise<Result<boolean>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.whyAbsent() };
    if (this.trimmedVersion(part) !== stored.version) return ok(true);
    for (const task of this.relations.tasksBelow(stored.state)) {
      const has = await task.hasPart(part);
      if (!has.ok && has.error.code !== "not_found") return has;
      if (has.ok && has.value) return has;
    }
    return ok(false);
  }

  async trim(part: TrimmedPart): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: this.store.erasing.whyAbsent() };
    if (stored.state.phase.name !== "ended") return failed("conflict", "The task is still alive.");
    for (const task of this.relations.tasksBelow(stored.state)) {
      const trimmed = await task.trim(part);
      if (!trimmed.ok && trimmed.error.code !== "not_found") return trimmed;
    }
    if (part === "logs") this.trimLog(stored);
    else await this.trimResults(stored);
    this.storage.sql.exec("INSERT OR REPLACE INTO task VALUES (?, ?)", TRIMMED + part, String(stored.version));
    this.store.conversation.rest();
    return ok(undefined);
  }

  /** The version of the task that lost the part; null: none did. */
  private trimmedVersion(part: TrimmedPart): number | null {
    const query = "SELECT value FROM task WHERE name = ?";
    const [row] = this.storage.sql.exec<{ value: string }>(query, TRIMMED + part).toArray();
    return row === undefined ? null : Number(row.value);
  }

  /**
   * The events but the last one, which ends every stream; what the model and people wrote; what calls were given and gave. Who
   * did what when, with which effect and for how much stays.
   */
  private trimLog({ lastEvent }: StoredTask): void {
    const { sql } = this.storage;
    this.storage.transactionSync(() => {
      sql.exec("DELETE FROM events WHERE seq < ?", lastEvent);
      sql.exec("DELETE FROM journal WHERE kind = 'message'");
      sql.exec("DELETE FROM task WHERE name = ?", COMPACTION);
      sql.exec("UPDATE calls SET arguments = 'null', content = NULL");
      for (const { step, position, result } of this.results(false)) this.putResult(step, position, result);
    });
  }

  /** Results that were too large for their rows or for the model. The rows come last: they say what is left to remove. */
  private async trimResults({ state: { facts } }: StoredTask): Promise<void> {
    if (facts.rootId === facts.id) {
      const blobs = blobsFromEnv(this.env);
      for (let isGone = false; !isGone; ) isGone = await blobs.erase(getResultsPrefix(facts));
    }
    this.storage.transactionSync(() => {
      for (const { step, position, result } of this.results(true)) this.putResult(step, position, result);
    });
  }

  /** The results that stand in the bucket, or those that stand in their rows. */
  private results(isStored: boolean): { step: number; position: number; result: ToolResult }[] {
    const query = "SELECT step, position, result FROM calls WHERE result IS NOT NULL";
    return this.storage.sql
      .exec<{ step: number; position: number; result: string }>(query)
      .toArray()
      .map(({ result, ...place }) => ({ ...place, result: JSON.parse(result) as ToolResult }))
      .filter(({ result }) => isInBucket(result) === isStored);
  }

  private putResult(step: number, position: number, result: ToolResult): void {
    const gone: ToolResult = result.ok ? { ok: true, result: GONE } : { ok: false, error: withoutText(result.error) };
    const query = "UPDATE calls SET result = ? WHERE step = ? AND position = ?";
    this.storage.sql.exec(query, JSON.stringify(gone), step, position);
  }
}

/** An error's text may quote what the call was given; its code stays. */
function withoutText({ code, retry }: ToolError): ToolError {
  return { code, message: "The text of this error was removed by retention.", retry };
}

function isInBucket(result: ToolResult): boolean {
  const value: unknown = "result" in result ? result.result : null;
  return typeof value === "object" && value !== null && "stored" in value && "characters" in value;
}
