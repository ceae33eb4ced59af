/**
 * The tasks that wait for a connection of an app, and their waking once it is active.
 *
 * - Rows follow the reports of tasks, in the transaction that stores the index row. A late report changes nothing.
 * - A connection that becomes active makes the rows of its app and owner due. That is stored, so no crash loses a waking.
 * - A task ignores the waking of a wait that has ended, so a repeat does no harm.
 */
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { type Failure, failed, type Result, toFailure } from "../../core/base/errors.ts";
import type { OpenWait } from "../../core/task/open-waits.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { TenantTables } from "./tables.ts";

/** Tasks that are woken at once, and by one run; the alarm continues with the others. */
const AT_ONCE = 10;
const MAX_OF_A_RUN = 500;
/** A call without a reply by then counts as failed. */
const CALL_TIMEOUT_MS = 10_000;
/** Maximum delay before a task that could not be woken is called again. */
const MAX_BACKOFF_MS = 5 * 60_000;
/** A wait ends after a week. A task that cannot be reached for longer than that is not called again. */
const MAX_AGE_MS = 8 * 24 * 3_600_000;
/**
 * A wait that began this soon after its connection changed may have missed the change: its task had read the connection
 * some seconds earlier.
 */
const MISSED_WITHIN_MS = 15_000;

const TOO_LATE = failed("timeout", "The task did not answer in time.");

export class TenantConnectionWaits {
  private readonly env: Env;
  private readonly tables: TenantTables;
  /** Called when rows became due. */
  private readonly onDue: () => void;
  /** The tasks that have rows. Null until read. Most tasks have none, and their reports cost nothing here. */
  private tasks: Set<string> | null = null;
  /** When the next row is due; Infinity if none is. Undefined until read. */
  private dueAt: number | undefined;
  private waking: Promise<void> | null = null;

  constructor(env: Env, tables: TenantTables, onDue: () => void) {
    this.env = env;
    this.tables = tables;
    this.onDue = onDue;
  }

  /** Makes the rows of a task those of its report. */
  record({ task, version, waits = [] }: TaskReport): void {
    const open = waits.filter(isForConnection);
    const tasks = this.listTasks();
    if ((open.length === 0 && !tasks.has(task)) || this.isOutdated(task, version)) return;
    const ids = JSON.stringify(open.map(({ id }) => id));
    const ended = "DELETE FROM connection_waits WHERE task = ? AND wait NOT IN (SELECT value FROM json_each(?))";
    this.tables.write(ended, task, ids);
    const added = "INSERT OR IGNORE INTO connection_waits VALUES (?, ?, ?, ?, ?, NULL, 0)";
    for (const { id, app, person_id: person, since } of open)
      this.tables.write(added, task, id, app, toOwner(person), since);
    if (open.length > 0) tasks.add(task);
    else tasks.delete(task);
    this.dueAt = undefined;
  }

  /**
   * Makes the waits for a connection of this app and owner (null: shared) due. With `changedAt`, only those that its change
   * at that time should have woken.
   */
  markReady(app: string, owner: string | null, changedAt: number | null, now: number): void {
    const isMissed = changedAt === null ? "" : "AND due_at IS NULL AND since <= ?";
    const until = changedAt === null ? [] : [changedAt + MISSED_WITHIN_MS];
    this.makeDue(`app = ? AND owner = ? ${isMissed}`, [app, toOwner(owner), ...until], now);
  }

  /** Makes the waits for an app that was removed due, of all owners: their tasks learn it with their next look. */
  markRemoved(app: string, now: number): void {
    this.makeDue("app = ?", [app], now);
  }

  /** How many tasks wait for a connection of this app and owner. */
  count(app: string, owner: string | null): number {
    const query = "SELECT COUNT(DISTINCT task) AS tasks FROM connection_waits WHERE app = ? AND owner = ?";
    return this.tables.read<{ tasks: number }>(query, app, toOwner(owner))[0]?.tasks ?? 0;
  }

  deleteOfTask(task: string): void {
    if (!this.listTasks().delete(task)) return;
    this.tables.write("DELETE FROM connection_waits WHERE task = ?", task);
    this.dueAt = undefined;
  }

  /** Returns when a task is to be woken; null if none is. During a run, that is when a crash would be recovered. */
  nextAt(now: number): number | null {
    if (this.waking !== null) return now + computeSendDelayMs(1);
    // Without a row no query is needed, which is the rule.
    if (this.listTasks().size === 0) return null;
    this.dueAt ??= this.readDueAt();
    return this.dueAt === Infinity ? null : Math.max(this.dueAt, now);
  }

  /** Wakes the tasks that are due. Never throws: a task that fails is called again later. */
  async wake(): Promise<void> {
    this.waking ??= this.wakeDue().finally(() => {
      this.waking = null;
    });
    await this.waking;
  }

  erase(): void {
    this.tables.clear("connection_waits");
    this.tasks = null;
    this.dueAt = undefined;
  }

  private makeDue(where: string, values: readonly SqlStorageValue[], now: number): void {
    if (this.tables.isErased() || this.listTasks().size === 0) return;
    const query = `UPDATE connection_waits SET due_at = ?, tries = 0 WHERE ${where} RETURNING 1`;
    if (this.tables.write(query, now, ...values).length === 0) return;
    this.dueAt = undefined;
    this.onDue();
  }

  private async wakeDue(): Promise<void> {
    const tenant = this.tables.getTenant();
    if (tenant === null || this.tables.isErased()) return;
    const due = this.readDue(Date.now()).values();
    const work = async (): Promise<void> => {
      for (const row of due) this.settle(row, await this.call(tenant, row), Date.now());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  private readDue(now: number): readonly WaitRow[] {
    const query = `SELECT task, wait, since, tries FROM connection_waits WHERE due_at <= ? ORDER BY due_at, task LIMIT ?`;
    return this.tables.read<WaitRow>(query, now, MAX_OF_A_RUN);
  }

  /** Returns why the task was not woken; null if it was, or is gone. */
  private async call(tenant: string, { task, wait }: WaitRow): Promise<Failure | null> {
    try {
      const call: Promise<Result<void>> = tasksFromEnv(this.env)(tenant, task).connected(wait);
      const woken = await awaitWithin(globalThis, CALL_TIMEOUT_MS, call, TOO_LATE);
      return woken.ok || woken.error.code === "not_found" ? null : woken.error;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  private settle({ task, wait, since, tries }: WaitRow, failure: Failure | null, now: number): void {
    if (this.tables.isErased()) return;
    if (failure === null || now - since > MAX_AGE_MS)
      this.tables.write("DELETE FROM connection_waits WHERE task = ? AND wait = ?", task, wait);
    else {
      const query = "UPDATE connection_waits SET tries = ?, due_at = ? WHERE task = ? AND wait = ?";
      this.tables.write(query, tries + 1, now + computeBackoffMs(tries + 1, MAX_BACKOFF_MS), task, wait);
    }
    if (failure !== null)
      console.error("a task that waits for a connection was not woken", this.tables.getTenant(), task, failure);
    this.dueAt = undefined;
  }

  private readDueAt(): number {
    const query = "SELECT due_at FROM connection_waits WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
    return this.tables.read<{ due_at: number }>(query)[0]?.due_at ?? Infinity;
  }

  private isOutdated(task: string, version: number): boolean {
    return this.tables.read("SELECT 1 FROM tasks WHERE task = ? AND version > ?", task, version).length > 0;
  }

  private listTasks(): Set<string> {
    this.tasks ??= new Set(
      this.tables.read<{ task: string }>("SELECT DISTINCT task FROM connection_waits").map(({ task }) => task),
    );
    return this.tasks;
  }
}

interface WaitRow extends Record<string, SqlStorageValue> {
  readonly task: string;
  /** `cnw_…` */
  readonly wait: string;
  readonly since: number;
  /** Failed attempts to wake the task. */
  readonly tries: number;
}

function isForConnection(wait: OpenWait): wait is OpenWait & { readonly app: string } {
  return wait.kind === "connection" && wait.app !== undefined;
}

/** An owner as a value that can be compared: SQL finds no row that equals null. */
function toOwner(person: string | null): string {
  return person ?? "";
}
