/**
 * Stores the slots, leases and use of a tenant's tasks, and the limits and use of its accounts. The use of a task that
 * holds a slot stays in the task's row, unsettled, until the slot is returned or the day ends: to add it to its accounts
 * takes two writes for each of them.
 */
import type { AccountFigures } from "../../core/tenant/budget-book.ts";
import {
  addAmounts,
  type BudgetLimit,
  type BudgetPeriod,
  isZero,
  listAccounts,
  toMonth,
} from "../../core/tenant/budget-tree.ts";
import { NO_AMOUNT } from "../../core/task/amounts.ts";
import type { Amount } from "../../core/task/state.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import type { AdmissionStore, Spending, SummaryNote, TaskRow } from "../../core/tenant/admission.ts";
import type { TenantTables } from "./tables.ts";

/** Use of one day (UTC) that is not added to its accounts yet. */
interface Unsettled {
  readonly day: string;
  readonly amount: Amount;
}

/** Reads and writes rows. Every method is synchronous. */
export class TenantAdmissionStore implements AdmissionStore {
  private readonly tables: TenantTables;
  /** True if an account has a limit. Undefined until read. */
  private knowsLimits: boolean | undefined;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  task(task: string): TaskRow | null {
    const [row] = this.tables.read<StoredTask>(`SELECT ${COLUMNS}, ${SUMMARY} FROM tasks WHERE task = ?`, task);
    return row === undefined ? null : readTask(row);
  }

  holders(): readonly TaskRow[] {
    return this.tables.read<StoredTask>(`SELECT ${COLUMNS}, ${SUMMARY} FROM tasks WHERE holds_place = 1`).map(readTask);
  }

  save(row: TaskRow, spending: Spending | null): void {
    const earlier = this.readUnsettled(row.task);
    const { unsettled, toSettle } = settle(row, earlier, spending);
    this.tables.storage.transactionSync(() => {
      this.putTask(row, unsettled);
      for (const use of toSettle) this.addToAccounts(listAccounts(row), use);
    });
  }

  remove(task: string): void {
    const row = this.task(task);
    const unsettled = this.readUnsettled(task);
    this.tables.storage.transactionSync(() => {
      if (row !== null && unsettled !== null) this.addToAccounts(listAccounts(row), unsettled);
      this.tables.write("DELETE FROM tasks WHERE task = ?", task);
    });
  }

  readonly figures = (account: string, day: string): AccountFigures => {
    const [row] = this.tables.read<StoredAccount>("SELECT * FROM accounts WHERE account = ?", account);
    const [month] = this.tables.read<StoredMonth>(
      `SELECT SUM(tokens) AS tokens, SUM(micros) AS micros, SUM(IIF(day = ?2, tokens, 0)) AS day_tokens,
        SUM(IIF(day = ?2, micros, 0)) AS day_micros FROM spent WHERE account = ?1 AND day BETWEEN ?3 AND ?4`,
      account,
      day,
      `${toMonth(day)}-01`,
      `${toMonth(day)}-31`,
    );
    const unsettled = this.listUnsettled(account);
    const add = (tokens: number, costMicros: number, period: string): Amount => {
      const open = unsettled.filter((use) => use.day.startsWith(period)).map(({ amount }) => amount);
      return open.reduce(addAmounts, { tokens, costMicros });
    };
    return {
      limit: row === undefined ? null : readLimit(row),
      spent: {
        day: add(month?.day_tokens ?? 0, month?.day_micros ?? 0, day),
        month: add(month?.tokens ?? 0, month?.micros ?? 0, toMonth(day)),
        total: add(row?.used_tokens ?? 0, row?.used_micros ?? 0, ""),
      },
    };
  };

  /** Lists every account with a limit or with use. */
  listAccounts(): string[] {
    const query = `SELECT account FROM accounts WHERE period IS NOT NULL OR used_tokens > 0 OR used_micros > 0`;
    const settled = this.tables.read<{ account: string }>(query).map(({ account }) => account);
    const open = this.readOpenRows().flatMap(({ key, agent }) => listAccounts({ key, agent }));
    return [...new Set([...settled, ...open])].toSorted();
  }

  setLimit(account: string, limit: BudgetLimit | null): void {
    this.knowsLimits = undefined;
    this.tables.write(
      `INSERT INTO accounts VALUES (?, ?, ?, ?, 0, 0) ON CONFLICT (account)
        DO UPDATE SET max_tokens = excluded.max_tokens, max_micros = excluded.max_micros, period = excluded.period`,
      account,
      limit?.tokens ?? null,
      limit?.costMicros ?? null,
      limit?.period ?? null,
    );
  }

  hasLimits(): boolean {
    this.knowsLimits ??= this.tables.read("SELECT 1 FROM accounts WHERE period IS NOT NULL LIMIT 1").length > 0;
    return this.knowsLimits;
  }

  /** Deletes the daily use before this month (`2026-11`). The account stores its total. */
  deleteDaysBefore(month: string): void {
    this.tables.write("DELETE FROM spent WHERE day < ?", `${month}-01`);
  }

  erase(): void {
    this.tables.clear("tasks", "accounts", "spent");
    this.knowsLimits = undefined;
  }

  private putTask(row: TaskRow, unsettled: Unsettled | null): void {
    const { task, version, key, agent, status, holdsSlot, granted, used, summary } = row;
    const open = [unsettled?.day ?? null, unsettled?.amount.tokens ?? null, unsettled?.amount.costMicros ?? null];
    const amounts = [version, granted.tokens, granted.costMicros, used.tokens, used.costMicros, ...open];
    const standing = [status, holdsSlot ? 1 : 0, summary];
    // A statement that names a column of an index writes that index too. Most writes change amounts alone.
    const changed = this.tables.write(
      `UPDATE tasks SET version = ?, granted_tokens = ?, granted_micros = ?, used_tokens = ?, used_micros = ?,
        unsettled_day = ?, unsettled_tokens = ?, unsettled_micros = ?
        WHERE task = ? AND status = ? AND holds_place = ? AND summary IS ? RETURNING 1`,
      ...amounts,
      task,
      ...standing,
    );
    if (changed.length > 0) return;
    this.tables.write(
      `INSERT INTO tasks (task, key, agent, version, granted_tokens, granted_micros, used_tokens, used_micros,
        unsettled_day, unsettled_tokens, unsettled_micros, status, holds_place, summary)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (task) DO UPDATE SET
        version = excluded.version, status = excluded.status, holds_place = excluded.holds_place,
        granted_tokens = excluded.granted_tokens, granted_micros = excluded.granted_micros,
        used_tokens = excluded.used_tokens, used_micros = excluded.used_micros, summary = excluded.summary,
        unsettled_day = excluded.unsettled_day, unsettled_tokens = excluded.unsettled_tokens,
        unsettled_micros = excluded.unsettled_micros`,
      task,
      key,
      agent,
      ...amounts,
      ...standing,
    );
  }

  private readUnsettled(task: string): Unsettled | null {
    const query = `SELECT ${OPEN_COLUMNS} FROM tasks WHERE task = ?`;
    const [row] = this.tables.read<OpenRow>(query, task);
    return row === undefined ? null : toUnsettled(row);
  }

  /** Returns the unsettled use of an account. */
  private listUnsettled(account: string): Unsettled[] {
    const rows = this.readOpenRows().filter(({ key, agent }) => listAccounts({ key, agent }).includes(account));
    return rows.flatMap((row) => toUnsettled(row) ?? []);
  }

  /** Reads the holders of slots with unsettled use. */
  private readOpenRows(): OpenRow[] {
    const query = `SELECT ${OPEN_COLUMNS} FROM tasks WHERE holds_place = 1 AND unsettled_day IS NOT NULL`;
    return this.tables.read<OpenRow>(query);
  }

  private addToAccounts(accounts: readonly string[], { day, amount: more }: Unsettled): void {
    const rows = accounts.map(() => "(?, NULL, NULL, NULL, ?, ?)").join(", ");
    this.tables.write(
      `INSERT INTO accounts VALUES ${rows} ON CONFLICT (account)
        DO UPDATE SET used_tokens = used_tokens + excluded.used_tokens, used_micros = used_micros + excluded.used_micros`,
      ...accounts.flatMap((account) => [account, more.tokens, more.costMicros]),
    );
    const days = accounts.map(() => "(?, ?, ?, ?)").join(", ");
    this.tables.write(
      `INSERT INTO spent VALUES ${days} ON CONFLICT (account, day)
        DO UPDATE SET tokens = tokens + excluded.tokens, micros = micros + excluded.micros`,
      ...accounts.flatMap((account) => [account, day, more.tokens, more.costMicros]),
    );
  }
}

/**
 * Decides what stays unsettled in a task's row, and what is added to its accounts: all of a task without a slot, and what
 * was used on an earlier day.
 */
function settle(
  { holdsSlot }: TaskRow,
  earlier: Unsettled | null,
  spending: Spending | null,
): { readonly unsettled: Unsettled | null; readonly toSettle: readonly Unsettled[] } {
  const now = spending === null ? null : { day: spending.day, amount: spending.more };
  const isSameDay = earlier !== null && now !== null && earlier.day === now.day;
  const sum = addAmounts(earlier?.amount ?? NO_AMOUNT, now?.amount ?? NO_AMOUNT);
  const all = isSameDay ? [{ day: earlier.day, amount: sum }] : [earlier, now].filter((use) => use !== null);
  const open = all.filter(({ amount }) => !isZero(amount));
  const last = holdsSlot ? (open.at(-1) ?? null) : null;
  return { unsettled: last, toSettle: open.filter((use) => use !== last) };
}

function toUnsettled({ day, tokens, micros }: OpenRow): Unsettled | null {
  return day === null ? null : { day, amount: { tokens: tokens ?? 0, costMicros: micros ?? 0 } };
}

const OPEN_COLUMNS = "key, agent, unsettled_day AS day, unsettled_tokens AS tokens, unsettled_micros AS micros";

interface OpenRow extends Record<string, SqlStorageValue> {
  readonly key: string | null;
  readonly agent: string;
  readonly day: string | null;
  readonly tokens: number | null;
  readonly micros: number | null;
}

const COLUMNS =
  "task, version, key, agent, status, holds_place, granted_tokens, granted_micros, used_tokens, used_micros";

/** The note of a task's summary. An earlier release stored it in a table of its own. */
const SUMMARY = `COALESCE(summary,
  (SELECT IIF(due_at IS NULL, 'stored', 'due') FROM summaries WHERE summaries.task = tasks.task)) AS summary`;

interface StoredTask extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly version: number;
  readonly key: string | null;
  readonly agent: string;
  readonly status: string;
  readonly holds_place: number;
  readonly granted_tokens: number | null;
  readonly granted_micros: number | null;
  readonly used_tokens: number;
  readonly used_micros: number;
  readonly summary: string | null;
}

interface StoredAccount extends Record<string, SqlStorageValue> {
  readonly max_tokens: number | null;
  readonly max_micros: number | null;
  readonly period: string | null;
  readonly used_tokens: number;
  readonly used_micros: number;
}

interface StoredMonth extends Record<string, SqlStorageValue> {
  readonly tokens: number | null;
  readonly micros: number | null;
  readonly day_tokens: number | null;
  readonly day_micros: number | null;
}

function readTask(row: StoredTask): TaskRow {
  const { task, version, key, agent } = row;
  return {
    task,
    version,
    key,
    agent,
    status: row.status as TaskStatus,
    holdsSlot: row.holds_place === 1,
    granted: { tokens: row.granted_tokens, costMicros: row.granted_micros },
    used: { tokens: row.used_tokens, costMicros: row.used_micros },
    summary: row.summary as SummaryNote,
  };
}

function readLimit({ period, max_tokens, max_micros }: StoredAccount): BudgetLimit | null {
  return period === null ? null : { tokens: max_tokens, costMicros: max_micros, period: period as BudgetPeriod };
}
