/**
 * The kill switch of a tenant. The tenant's own stop and the operator's are independent; the tenant runs when neither
 * is set. Pending notifications of tasks are stored with the tasks, so that the alarm resumes them after a crash.
 */
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { TenantStop } from "../../core/tenant/budget-tree.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import type { TenantTables } from "./tables.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Tasks that are notified concurrently. */
const BATCH = 50;
/** The next batch starts after this time even without replies: a halted tool call has only seconds to end. */
const NEXT_BATCH_AFTER_MS = 200;
/** A call without a reply by then counts as failed. */
const CALL_TIMEOUT_MS = 10_000;
/** Maximum delay before failed notifications are sent again. */
const MAX_BACKOFF_MS = 60_000;

/** Tasks that run or can start to run. The text equals that of the index `tasks_that_may_run`. */
const MAY_RUN = "status IN ('queued', 'running', 'sleeping')";

export class TenantKillSwitch {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly onMarked: () => void;
  /** Undefined until read. */
  private knownStop: TenantStop | null | undefined;
  private notifying: Promise<void> | null = null;
  private isPending: boolean | null = null;
  private failures = 0;

  /** `onMarked` runs when tasks were marked that have to be notified. */
  constructor(env: Env, tables: TenantTables, onMarked: () => void) {
    this.env = env;
    this.tables = tables;
    this.onMarked = onMarked;
  }

  /** Returns the active stop; the operator's takes precedence. */
  getStop(): TenantStop | null {
    if (this.knownStop === undefined) {
      const [row] = this.tables.read<StoredStop>("SELECT * FROM stop ORDER BY by_operator DESC");
      this.knownStop = row === undefined ? null : readStop(row);
    }
    return this.knownStop;
  }

  /**
   * Stores the stop and marks the tasks to notify. A task with a slot counts as running at any reported status.
   * An earlier stop of the same side is unchanged. Returns the active stop.
   */
  stop(stop: TenantStop): TenantStop {
    if (this.tables.isErased()) return stop;
    const { by, byOperator, reason, at } = stop;
    this.tables.storage.transactionSync(() => {
      this.tables.write("INSERT OR IGNORE INTO stop VALUES (?, ?, ?, ?)", byOperator ? 1 : 0, by, reason, at);
      this.tables.write(
        `UPDATE tasks SET tell = 'halt' WHERE holds_place = 1 OR (${MAY_RUN} AND status <> 'sleeping')`,
      );
    });
    this.knownStop = undefined;
    this.markPending();
    return this.getStop() ?? stop;
  }

  /**
   * Removes the stop of one side. When none is left, marks every task that may have been refused to be woken. Returns
   * the remaining stop; `forbidden` when the tenant releases its own stop under the operator's.
   */
  release(byOperator: boolean): Result<TenantStop | null> {
    const before = this.getStop();
    if (before === null) return ok(null);
    if (before.byOperator && !byOperator) return failed("forbidden", formatStopMessage(before));
    this.tables.storage.transactionSync(() => {
      this.tables.write("DELETE FROM stop WHERE by_operator = ?", byOperator ? 1 : 0);
      if (this.tables.read("SELECT 1 FROM stop").length > 0) return;
      this.tables.write("UPDATE tasks SET tell = NULL WHERE tell IS NOT NULL");
      this.tables.write(`UPDATE tasks SET tell = 'call' WHERE ${MAY_RUN}`);
    });
    this.knownStop = undefined;
    this.markPending();
    return ok(this.getStop());
  }

  /** Marks a task that runs although the tenant is stopped. */
  requestHalt(task: string): void {
    this.tables.write("UPDATE tasks SET tell = 'halt' WHERE task = ?", task);
    this.markPending();
  }

  /** Returns when to retry pending notifications; null when all are sent. */
  nextNotifyAt(now: number): number | null {
    this.isPending ??= PRIORITIES.some((priority) => this.listPending(priority, "").length > 0);
    if (!this.isPending && this.notifying === null) return null;
    return now + computeBackoffMs(this.failures + 1, MAX_BACKOFF_MS);
  }

  /** Sends every pending notification. Never throws; a task that fails stays marked. */
  async notifyTasks(): Promise<void> {
    this.notifying ??= this.notifyAll().finally(() => {
      this.notifying = null;
    });
    await this.notifying;
  }

  erase(): void {
    this.tables.clear("stop");
    this.knownStop = null;
    this.isPending = false;
  }

  private markPending(): void {
    this.isPending = true;
    this.onMarked();
  }

  private async notifyAll(): Promise<void> {
    let left = 0;
    do {
      this.isPending = false;
      left = 0;
      const calls: Promise<void>[] = [];
      for (const priority of PRIORITIES) {
        for (
          let some = this.listPending(priority, "");
          some.length > 0;
          some = this.listPending(priority, some.at(-1)?.task ?? "")
        ) {
          left += some.length;
          const batch = some.map(async (row) => {
            if (await this.notifyOne(row)) left -= 1;
          });
          calls.push(...batch);
          await awaitWithin(globalThis, NEXT_BATCH_AFTER_MS, Promise.all(batch), null);
        }
      }
      await awaitWithin(globalThis, CALL_TIMEOUT_MS, Promise.all(calls), null);
    } while (this.hasMore());
    this.failures = left > 0 ? this.failures + 1 : 0;
    this.isPending = left > 0;
  }

  /** True when more tasks were marked during the run. */
  private hasMore(): boolean {
    return this.isPending === true;
  }

  /** Returns false when the task could not be notified. */
  private async notifyOne({ task, tell }: PendingTask): Promise<boolean> {
    const tenant = this.tables.getTenant();
    if (tenant === null) return true;
    try {
      await this.sendSignal(tasksFromEnv(this.env)(tenant, task), tell);
      this.tables.write("UPDATE tasks SET tell = NULL WHERE task = ? AND tell = ?", task, tell);
      return true;
    } catch (thrown) {
      console.error(`a task could not be notified to ${tell === "halt" ? "stop" : "continue"}`, tenant, task, thrown);
      return false;
    }
  }

  /** Sends the current signal: the stop may have changed since the task was marked. */
  private async sendSignal(stub: TaskStub, tell: string): Promise<void> {
    const stop = this.getStop();
    if (tell === "call") await stub.called();
    else if (stop !== null) await stub.halt(formatStopMessage(stop));
  }

  private listPending(priority: string, after: string): PendingTask[] {
    const query = `SELECT task, tell FROM tasks WHERE tell IS NOT NULL AND ${priority} AND task > ? ORDER BY task LIMIT ?`;
    return this.tables.read<PendingTask>(query, after, BATCH);
  }
}

/** The order of notification: running tasks, then started ones, then queued ones. */
const PRIORITIES = [
  "holds_place = 1",
  "(holds_place = 0 AND status <> 'queued')",
  "(holds_place = 0 AND status = 'queued')",
] as const;

interface PendingTask extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly tell: string;
}

interface StoredStop extends Record<string, SqlStorageValue> {
  readonly stopped_by: string;
  readonly by_operator: number;
  readonly reason: string | null;
  readonly at: number;
}

function readStop({ stopped_by, by_operator, reason, at }: StoredStop): TenantStop {
  return { by: stopped_by, byOperator: by_operator === 1, reason, at };
}
