/**
 * The summaries that completed tasks leave in memory. A task is noted in the same write as its last report. The note
 * stays after its summary is saved, so a task leaves one summary, even if a report repeats or the summary is deleted.
 */
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, toFailure } from "../../core/base/errors.ts";
import { type NewMemory, getSummaryId } from "../../core/memory/memory.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantTables } from "./tables.ts";

/** A summary waits this long for others to share its batch. */
const GATHER_MS = 500;
/** Tasks that are read, and summaries that are saved, per batch. */
const BATCH = 50;
/** Timeout of embedding a batch. The sweep embeds the rest. */
const EMBED_MS = 10_000;

export class TenantSummaries {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly outbox: TenantOutbox;
  private failures = 0;
  private writing: Promise<void> | null = null;

  constructor(env: Env, tables: TenantTables, outbox: TenantOutbox) {
    this.env = env;
    this.tables = tables;
    this.outbox = outbox;
  }

  /** Notes a completed task once. The task itself decides later whether it leaves a summary. */
  noteCompleted({ task, hidden, view }: TaskReport): void {
    if (hidden || view.parent_id !== null || view.status !== "completed") return;
    this.tables.write("INSERT OR IGNORE INTO summaries VALUES (?, ?)", task, Date.now() + GATHER_MS);
  }

  /** Deletes the note of an erased task. The index deletes its summary. */
  deleteOfTask(task: string): void {
    this.tables.write("DELETE FROM summaries WHERE task = ?", task);
  }

  /**
   * Returns when the next summary is due; null if none is due. While some are written, that is when a crash would be
   * recovered.
   */
  nextAt(now: number): number | null {
    // The condition lets SQLite use the partial index. Without it, the query reads a row of every completed task.
    const [row] = this.tables.read<{ at: number | null }>(
      "SELECT MIN(due_at) AS at FROM summaries WHERE due_at IS NOT NULL",
    );
    if (row?.at == null) return null;
    const isIdle = this.failures === 0 && this.writing === null;
    return isIdle ? row.at : Math.max(row.at, now + computeSendDelayMs(Math.max(this.failures, 1)));
  }

  /** Writes the due summaries. Never throws: the next alarm retries failures. */
  async write(): Promise<void> {
    this.writing ??= this.writeDue(Date.now()).finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** Writes every noted summary, due or not. False if some failed. */
  async writeAll(): Promise<boolean> {
    await this.writing;
    this.tables.write("UPDATE summaries SET due_at = 0 WHERE due_at IS NOT NULL");
    await this.write();
    return this.nextAt(0) === null;
  }

  /** Writes the summaries of tasks that are about to be erased. False if one failed. */
  async writeForTasks(tasks: readonly string[]): Promise<boolean> {
    if (!this.areDue(tasks)) return true;
    await this.writeAll();
    return !this.areDue(tasks);
  }

  erase(): void {
    this.tables.clear("summaries");
  }

  private areDue(tasks: readonly string[]): boolean {
    const query =
      "SELECT 1 FROM summaries WHERE due_at IS NOT NULL AND task IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.tables.read(query, JSON.stringify(tasks)).length > 0;
  }

  private async writeDue(now: number): Promise<void> {
    for (;;) {
      const tenant = this.tables.getTenant();
      if (tenant === null || this.tables.isErased()) return;
      const query = "SELECT task FROM summaries WHERE due_at <= ? ORDER BY due_at LIMIT ?";
      const tasks = this.tables.read<{ task: string }>(query, now, BATCH).map(({ task }) => task);
      if (tasks.length === 0) {
        this.failures = 0;
        return;
      }
      const failure = await this.writeBatch(tenant, tasks);
      if (failure !== null) {
        this.failures += 1;
        console.error("summaries of tasks could not be written", tenant, failure.code, failure.details);
        return;
      }
    }
  }

  private async writeBatch(tenant: string, tasks: readonly string[]): Promise<Failure | null> {
    try {
      const results = await Promise.all(
        tasks.map(async (task) => await tasksFromEnv(this.env)(tenant, task).summary()),
      );
      const summaries: NewMemory[] = [];
      for (const one of results) {
        if (one.ok && one.value !== null) summaries.push(one.value);
        // An erased task leaves no summary.
        if (!one.ok && one.error.code !== "not_found") return one.error;
      }
      const saved = await memoryFromEnv(this.env).save(tenant, summaries, null, AbortSignal.timeout(EMBED_MS));
      if (!saved.ok) return saved.error;
      if (this.tables.isErased()) return null;
      this.tables.write(
        "UPDATE summaries SET due_at = NULL WHERE task IN (SELECT value FROM json_each(?))",
        JSON.stringify(tasks),
      );
      return await this.removeForgotten(tenant, tasks);
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Removes summaries of tasks that were erased while they were saved, unless retention lets them stay. */
  private async removeForgotten(tenant: string, tasks: readonly string[]): Promise<Failure | null> {
    const forgotten = tasks.filter((task) => this.outbox.isForgotten(task) && !this.outbox.retainsSummary(task));
    if (forgotten.length === 0) return null;
    const removed = await memoryFromEnv(this.env).remove(tenant, forgotten.map(getSummaryId));
    return removed.ok ? null : removed.error;
  }
}
