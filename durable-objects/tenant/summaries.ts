/**
 * The summaries that completed tasks leave in memory. The note belongs to the task's row and is written with its last
 * report. It stays after its summary is saved, so a task leaves one summary, even if a report repeats or the summary is
 * deleted. An earlier release noted tasks in the table `summaries`, which is still read.
 */
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, toFailure } from "../../core/base/errors.ts";
import { type NewMemory, getSummaryId } from "../../core/memory/memory.ts";
import { BATCH_DELAY_MS, BatchWindow, computeRetryAt, computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantTables } from "./tables.ts";

/** Tasks that are read, and summaries that are saved, per batch. */
const BATCH = 50;
/** Timeout of embedding a batch. The sweep embeds the rest. */
const EMBED_MS = 10_000;

export class TenantSummaries {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly outbox: TenantOutbox;
  private readonly window = new BatchWindow();
  /** True until the notes of an earlier instance are read. */
  private mayBeDue = true;
  private failures = 0;
  private failedAt = 0;
  private writing: Promise<void> | null = null;

  constructor(env: Env, tables: TenantTables, outbox: TenantOutbox) {
    this.env = env;
    this.tables = tables;
    this.outbox = outbox;
  }

  /** Schedules the summary of a task whose row was just noted. */
  schedule(now: number): void {
    this.window.add(now, BATCH_DELAY_MS);
  }

  /** Deletes an erased task's note of an earlier release. A note of this one goes with its row, its summary with the index. */
  deleteOfTask(task: string): void {
    this.tables.write("DELETE FROM summaries WHERE task = ?", task);
  }

  /**
   * Returns when the next summary is due; null if none is due. While some are written, that is when a crash would be
   * recovered. Those of an earlier instance, and those that failed, are due at once or when they are retried.
   */
  nextAt(now: number): number | null {
    if (this.writing !== null) return now + computeSendDelayMs(1);
    this.mayBeDue &&= this.listDue(1).length > 0;
    const at = this.mayBeDue ? now : this.window.dueAt;
    return at === null ? null : Math.max(at, computeRetryAt(this.failures, this.failedAt, now));
  }

  /** Writes the due summaries. Never throws: the next alarm retries failures. */
  async write(): Promise<void> {
    this.writing ??= this.writeDue().finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** Writes every noted summary, due or not. False if some failed. */
  async writeAll(): Promise<boolean> {
    await this.writing;
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
    this.window.clear();
    this.mayBeDue = false;
  }

  private listDue(limit: number): string[] {
    const due = this.tables.read<{ task: string }>(DUE, limit).map(({ task }) => task);
    return [...new Set(due)];
  }

  private areDue(tasks: readonly string[]): boolean {
    return this.tables.read(ANY_DUE, JSON.stringify(tasks)).length > 0;
  }

  private async writeDue(): Promise<void> {
    for (;;) {
      const tenant = this.tables.getTenant();
      if (tenant === null || this.tables.isErased()) return;
      const tasks = this.listDue(BATCH);
      this.window.clear();
      this.mayBeDue = tasks.length > 0;
      if (tasks.length === 0) {
        this.failures = 0;
        return;
      }
      const failure = await this.writeBatch(tenant, tasks);
      if (failure !== null) {
        this.failures += 1;
        this.failedAt = Date.now();
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
      const saved = await memoryFromEnv(this.env).saveSummaries(tenant, summaries, AbortSignal.timeout(EMBED_MS));
      if (!saved.ok) return saved.error;
      if (this.tables.isErased()) return null;
      this.markStored(tasks);
      return await this.removeForgotten(tenant, tasks);
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  private markStored(tasks: readonly string[]): void {
    const listed = JSON.stringify(tasks);
    this.tables.storage.transactionSync(() => {
      this.tables.write(
        "UPDATE tasks SET summary = 'stored' WHERE summary = 'due' AND task IN (SELECT value FROM json_each(?))",
        listed,
      );
      this.tables.write(
        "UPDATE summaries SET due_at = NULL WHERE due_at IS NOT NULL AND task IN (SELECT value FROM json_each(?))",
        listed,
      );
    });
  }

  /** Removes summaries of tasks that were erased while they were saved, unless retention lets them stay. */
  private async removeForgotten(tenant: string, tasks: readonly string[]): Promise<Failure | null> {
    const forgotten = tasks.filter((task) => this.outbox.isForgotten(task) && !this.outbox.retainsSummary(task));
    if (forgotten.length === 0) return null;
    const removed = await memoryFromEnv(this.env).remove(tenant, forgotten.map(getSummaryId));
    return removed.ok ? null : removed.error;
  }
}

/**
 * The noted tasks, here and by an earlier release, and whether one of these is among them. The conditions are those of
 * partial indexes, so no stored note is read.
 */
const DUE = `SELECT task FROM tasks WHERE summary = 'due'
  UNION ALL SELECT task FROM summaries WHERE due_at IS NOT NULL LIMIT ?`;
const ANY_DUE = `SELECT 1 FROM tasks WHERE summary = 'due' AND task IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT 1 FROM summaries WHERE due_at IS NOT NULL AND task IN (SELECT value FROM json_each(?1)) LIMIT 1`;
