/** Stores the slots, leases and use of a tenant's tasks, and the limits and use of its accounts. */
import type { AccountFigures } from "../../core/tenant/budget-book.ts";
import { type BudgetLimit, type BudgetPeriod, toMonth } from "../../core/tenant/budget-tree.ts";
import type { TaskStatus } from "../../core/task/status.ts";
import type { AdmissionStore, Spending, SummaryNote, TaskRow } from "../../core/tenant/admission.ts";
import type { TenantTables } from "./tables.ts";

/** Reads and writes rows. Every method is synchronous. */
export class TenantAdmissionStore implements AdmissionStore {
  private readonly tables: TenantTables;

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
    if (spending === null) {
      this.putTask(row);
      return;
    }
    this.tables.storage.transactionSync(() => {
      this.putTask(row);
      this.addSpending(spending);
    });
  }

  remove(task: string): void {
    this.tables.write("DELETE FROM tasks WHERE task = ?", task);
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
    return {
      limit: row === undefined ? null : readLimit(row),
      spent: {
        day: { tokens: month?.day_tokens ?? 0, costMicros: month?.day_micros ?? 0 },
        month: { tokens: month?.tokens ?? 0, costMicros: month?.micros ?? 0 },
        total: { tokens: row?.used_tokens ?? 0, costMicros: row?.used_micros ?? 0 },
      },
    };
  };

  /** Lists every account with a limit or with use. */
  listAccounts(): string[] {
    const query = `SELECT account FROM accounts
      WHERE period IS NOT NULL OR used_tokens > 0 OR used_micros > 0 ORDER BY account`;
    return this.tables.read<{ account: string }>(query).map(({ account }) => account);
  }

  setLimit(account: string, limit: BudgetLimit | null): void {
    this.tables.write(
      `INSERT INTO accounts VALUES (?, ?, ?, ?, 0, 0) ON CONFLICT (account)
        DO UPDATE SET max_tokens = excluded.max_tokens, max_micros = excluded.max_micros, period = excluded.period`,
      account,
      limit?.tokens ?? null,
      limit?.costMicros ?? null,
      limit?.period ?? null,
    );
  }

  /** Deletes the daily use before this month (`2026-11`). The account stores its total. */
  deleteDaysBefore(month: string): void {
    this.tables.write("DELETE FROM spent WHERE day < ?", `${month}-01`);
  }

  erase(): void {
    this.tables.clear("tasks", "accounts", "spent");
  }

  private putTask({ task, version, key, agent, status, holdsSlot, granted, used, summary }: TaskRow): void {
    this.tables.write(
      `INSERT INTO tasks (${COLUMNS}, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (task) DO UPDATE SET
        version = excluded.version, status = excluded.status, holds_place = excluded.holds_place,
        granted_tokens = excluded.granted_tokens, granted_micros = excluded.granted_micros,
        used_tokens = excluded.used_tokens, used_micros = excluded.used_micros, summary = excluded.summary`,
      task,
      version,
      key,
      agent,
      status,
      holdsSlot ? 1 : 0,
      granted.tokens,
      granted.costMicros,
      used.tokens,
      used.costMicros,
      summary,
    );
  }

  private addSpending({ accounts, day, more }: Spending): void {
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
