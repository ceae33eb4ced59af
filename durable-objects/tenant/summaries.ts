/**
 * The summaries that completed tasks leave in memory. A task is noted with its last report, in the same write, and its
 * note stays when the summary is kept: so each leaves one, whatever is told again and whoever deletes it later.
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

/** A summary waits this long for company: nothing waits for it. */
const GATHER_MS = 500;
/** Tasks that are asked, and summaries that are kept, at once. */
const BATCH = 50;
/** The embedding of a batch; what is not embedded by then waits for the sweep. */
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

  /** Notes a task that is completed, once. Whether it leaves a summary, the task itself says later. */
  hear({ task, hidden, view }: TaskReport): void {
    if (hidden || view.parent_id !== null || view.status !== "completed") return;
    this.tables.write("INSERT OR IGNORE INTO summaries VALUES (?, ?)", task, Date.now() + GATHER_MS);
  }

  /** The task is erased, and its summary with it: the index does that when it forgets the task. */
  forget(task: string): void {
    this.tables.write("DELETE FROM summaries WHERE task = ?", task);
  }

  /** When to look for summaries that are due; null: none is. While some are written, that is when a crash is made good. */
  nextAt(now: number): number | null {
    // The condition lets SQLite use the partial index. Without it, the statement reads a row for every task that ever ended.
    const [row] = this.tables.read<{ at: number | null }>(
      "SELECT MIN(due_at) AS at FROM summaries WHERE due_at IS NOT NULL",
    );
    if (row?.at == null) return null;
    const isIdle = this.failures === 0 && this.writing === null;
    return isIdle ? row.at : Math.max(row.at, now + computeSendDelayMs(Math.max(this.failures, 1)));
  }

  /** Keeps the summaries that are due. Never throws: what fails is tried again by the next alarm. */
  async write(): Promise<void> {
    this.writing ??= this.writeDue(Date.now()).finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** Keeps every summary that is noted, due or not. False: some could not be kept. */
  async writeAll(): Promise<boolean> {
    await this.writing;
    this.tables.write("UPDATE summaries SET due_at = 0 WHERE due_at IS NOT NULL");
    await this.write();
    return this.nextAt(0) === null;
  }

  /** Saves the summaries of these tasks, which are to be erased. False: one could not be saved. */
  async writeOf(tasks: readonly string[]): Promise<boolean> {
    if (!this.areDue(tasks)) return true;
    await this.writeAll();
    return !this.areDue(tasks);
  }

  erase(): void {
    this.tables.empty("summaries");
  }

  private areDue(tasks: readonly string[]): boolean {
    const query =
      "SELECT 1 FROM summaries WHERE due_at IS NOT NULL AND task IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.tables.read(query, JSON.stringify(tasks)).length > 0;
  }

  private async writeDue(now: number): Promise<void> {
    for (;;) {
      const tenant = this.tables.tenant();
      if (tenant === null || this.tables.isErased()) return;
      const query = "SELECT task FROM summaries WHERE due_at <= ? ORDER BY due_at LIMIT ?";
      const tasks = this.tables.read<{ task: string }>(query, now, BATCH).map(({ task }) => task);
      if (tasks.length === 0) {
        this.failures = 0;
        return;
      }
      const failure = await this.writeSome(tenant, tasks);
      if (failure !== null) {
        this.failures += 1;
        console.error("summaries of tasks wait", tenant, failure.code, failure.details);
        return;
      }
    }
  }

  private async writeSome(tenant: string, tasks: readonly string[]): Promise<Failure | null> {
    try {
      const told = await Promise.all(tasks.map(async (task) => await tasksFromEnv(this.env)(tenant, task).summary()));
      const summaries: NewMemory[] = [];
      for (const one of told) {
        if (one.ok && one.value !== null) summaries.push(one.value);
        // A task that is gone leaves none.
        if (!one.ok && one.error.code !== "not_found") return one.error;
      }
      const saved = await memoryFromEnv(this.env).save(tenant, summaries, null, AbortSignal.timeout(EMBED_MS));
      if (!saved.ok) return saved.error;
      if (this.tables.isErased()) return null;
      this.tables.write(
        "UPDATE summaries SET due_at = NULL WHERE task IN (SELECT value FROM json_each(?))",
        JSON.stringify(tasks),
      );
      return await this.takeBackForgotten(tenant, tasks);
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** A task that was erased meanwhile may have been forgotten by the index before its summary was saved, which retention lets stay. */
  private async takeBackForgotten(tenant: string, tasks: readonly string[]): Promise<Failure | null> {
    const forgotten = tasks.filter((task) => this.outbox.isForgotten(task) && !this.outbox.keepsMemory(task));
    if (forgotten.length === 0) return null;
    const removed = await memoryFromEnv(this.env).remove(tenant, forgotten.map(getSummaryId));
    return removed.ok ? null : removed.error;
  }
}
