/**
 * The kill switch of a tenant: that it is stopped, and the telling of its tasks. Its own stop and the operator's stand
 * independently, and it runs when neither does. Which tasks are still to be told is stored with them, so that a crash in between is made good by the object's alarm.
 */
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { TenantStop } from "../../core/tenant/budget-tree.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { formatStopMessage } from "../../core/tenant/stop-message.ts";
import type { TenantTables } from "./tables.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Tasks that are told at once. */
const AT_ONCE = 50;
/** The next ones are told after this long, also when the first ones have not answered: a halted tool call has seconds. */
const NEXT_AFTER_MS = 200;
/** One that has not answered after this long counts as not told. */
const ANSWER_WITHIN_MS = 10_000;
/** The longest wait before those that could not be told are told again. */
const MAX_BACKOFF_MS = 60_000;

/** Tasks that run, or may begin to by themselves. The words are those of the index `tasks_that_may_run`. */
const MAY_RUN = "status IN ('queued', 'running', 'sleeping')";

export class TenantSwitch {
  private readonly env: Env;
  private readonly tables: TenantTables;
  /** Undefined: not read yet. */
  private known: TenantStop | null | undefined;
  private telling: Promise<void> | null = null;
  private isPending: boolean | null = null;
  private failures = 0;

  constructor(env: Env, tables: TenantTables) {
    this.env = env;
    this.tables = tables;
  }

  /** The stop that stands: the operator's before the tenant's own. */
  stopped(): TenantStop | null {
    if (this.known === undefined) {
      const [row] = this.tables.read<StoredStop>("SELECT * FROM stop ORDER BY by_operator DESC");
      this.known = row === undefined ? null : readStop(row);
    }
    return this.known;
  }

  /**
   * Stores the stop, and that every task that runs or is about to has to be told: whatever status it reported last, one
   * that holds a place runs. A stop of the same side that stands stays as it is. Gives the stop that stands then.
   */
  stop(stop: TenantStop): TenantStop {
    const { by, byOperator, reason, at } = stop;
    this.tables.storage.transactionSync(() => {
      this.tables.write("INSERT OR IGNORE INTO stop VALUES (?, ?, ?, ?)", byOperator ? 1 : 0, by, reason, at);
      this.tables.write(
        `UPDATE tasks SET tell = 'halt' WHERE holds_place = 1 OR (${MAY_RUN} AND status <> 'sleeping')`,
      );
    });
    this.known = undefined;
    this.isPending = true;
    return this.stopped() ?? stop;
  }

  /**
   * Takes the stop of one side away. When none is left, stores that every task which may have been turned away has to be
   * called. Gives the stop that still stands. The tenant's own stays while the operator's stands: `forbidden`.
   */
  release(byOperator: boolean): Result<TenantStop | null> {
    const before = this.stopped();
    if (before === null) return ok(null);
    if (before.byOperator && !byOperator) return failed("forbidden", formatStopMessage(before));
    this.tables.storage.transactionSync(() => {
      this.tables.write("DELETE FROM stop WHERE by_operator = ?", byOperator ? 1 : 0);
      if (this.tables.read("SELECT 1 FROM stop").length > 0) return;
      this.tables.write("UPDATE tasks SET tell = NULL WHERE tell IS NOT NULL");
      this.tables.write(`UPDATE tasks SET tell = 'call' WHERE ${MAY_RUN}`);
    });
    this.known = undefined;
    this.isPending = true;
    return ok(this.stopped());
  }

  /** This task runs although the tenant is stopped. */
  halt(task: string): void {
    this.tables.write("UPDATE tasks SET tell = 'halt' WHERE task = ?", task);
    this.isPending = true;
  }

  /** When those that are still to be told are told again; null: nobody is. */
  nextTellAt(now: number): number | null {
    this.isPending ??= LINES.some((line) => this.toTell(line, "").length > 0);
    if (!this.isPending && this.telling === null) return null;
    return now + computeBackoffMs(this.failures + 1, MAX_BACKOFF_MS);
  }

  /** Tells every task that is still to be told. Never throws; who could not be told stays marked. */
  async tell(): Promise<void> {
    this.telling ??= this.tellAll().finally(() => {
      this.telling = null;
    });
    await this.telling;
  }

  /** Forgets it all. */
  erase(): void {
    this.tables.empty("stop");
    this.known = null;
    this.isPending = false;
  }

  private async tellAll(): Promise<void> {
    let left = 0;
    do {
      this.isPending = false;
      left = 0;
      const told: Promise<void>[] = [];
      for (const line of LINES) {
        for (let some = this.toTell(line, ""); some.length > 0; some = this.toTell(line, some.at(-1)?.task ?? "")) {
          left += some.length;
          const batch = some.map(async (row) => {
            if (await this.tellOne(row)) left -= 1;
          });
          told.push(...batch);
          await awaitWithin(globalThis, NEXT_AFTER_MS, Promise.all(batch), null);
        }
      }
      await awaitWithin(globalThis, ANSWER_WITHIN_MS, Promise.all(told), null);
    } while (this.hasMore());
    this.failures = left > 0 ? this.failures + 1 : 0;
    this.isPending = left > 0;
  }

  /** True when more came to be told while others were. */
  private hasMore(): boolean {
    return this.isPending === true;
  }

  /** False: it could not be told. */
  private async tellOne({ task, tell }: Told): Promise<boolean> {
    const tenant = this.tables.tenant();
    if (tenant === null) return true;
    try {
      await this.say(tasksFromEnv(this.env)(tenant, task), tell);
      this.tables.write("UPDATE tasks SET tell = NULL WHERE task = ? AND tell = ?", task, tell);
      return true;
    } catch (thrown) {
      console.error(`a task could not be told to ${tell === "halt" ? "stop" : "go on"}`, tenant, task, thrown);
      return false;
    }
  }

  /** What was to be said may have changed meanwhile. */
  private async say(stub: TaskStub, tell: string): Promise<void> {
    const stop = this.stopped();
    if (tell === "call") await stub.called();
    else if (stop !== null) await stub.halt(formatStopMessage(stop));
  }

  private toTell(line: string, after: string): Told[] {
    const query = `SELECT task, tell FROM tasks WHERE tell IS NOT NULL AND ${line} AND task > ? ORDER BY task LIMIT ?`;
    return this.tables.read<Told>(query, after, AT_ONCE);
  }
}

/** Who is told first: those that run, however many stand in line; then those that began; then those that did not. */
const LINES = [
  "holds_place = 1",
  "(holds_place = 0 AND status <> 'queued')",
  "(holds_place = 0 AND status = 'queued')",
] as const;

interface Told extends Record<string, SqlStorageValue> {
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
