/** What a tenant's object stores for the recovery of its rows: the counter, the schedules, and a rebuilding under way. */
import type { NewApiKey } from "../../core/ports/tenant-table.ts";
import { BY_OTTO } from "../../core/ports/audit.ts";
import { readIdTime } from "../../core/base/ids.ts";
import type { KeyRecord } from "../../core/tenant/rpc.ts";
import type { Inventory, Reindex, RevokedKey, TenantRow } from "../../core/tenant/recovery.ts";
import type { TenantTables } from "./tables.ts";

/** What the object knows of its row. Moments in milliseconds since the epoch. */
export interface KnownRow {
  readonly counter: number;
  readonly comparedAt: number;
  readonly name: string | null;
  /** What was counted when they were together last; null: never. */
  readonly inventory: Inventory | null;
}

/** Reads and writes rows. Every method is one synchronous piece of work. */
export class TenantRecoveryStore {
  private readonly tables: TenantTables;
  /** Undefined: not read yet. */
  private knownRow: KnownRow | undefined;
  private knownReindex: Reindex | null | undefined;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  row(): KnownRow {
    this.knownRow ??= this.readRow();
    return this.knownRow;
  }

  /** The row has this counter now. */
  setCounter(counter: number): void {
    this.tables.write(
      "INSERT INTO counter VALUES (1, ?, 0, NULL, NULL) ON CONFLICT (one) DO UPDATE SET counter = excluded.counter",
      counter,
    );
    this.knownRow = undefined;
  }

  /** They were compared and are together. */
  keepRow({ name, inventory }: Pick<TenantRow, "name" | "inventory">, comparedAt: number): void {
    this.tables.write(
      `INSERT INTO counter VALUES (1, 0, ?, ?, ?) ON CONFLICT (one) DO UPDATE SET compared_at = excluded.compared_at,
        name = excluded.name, inventory = excluded.inventory`,
      comparedAt,
      name,
      JSON.stringify(inventory),
    );
    this.knownRow = undefined;
  }

  /** The tenant's name as far as the object knows it: of the row, or of a session of an earlier release. */
  name(): string | null {
    const query = "SELECT tenant_name FROM sessions ORDER BY begun_at DESC LIMIT 1";
    return this.row().name ?? this.tables.read<{ tenant_name: string }>(query)[0]?.tenant_name ?? null;
  }

  /** True when a key was shown to the object, so that there was a row once. */
  isKnown(): boolean {
    return this.tables.read("SELECT 1 FROM keys LIMIT 1").length > 0;
  }

  /** The keys that the object was shown, as rows. Who made them is not known any more. */
  keys(): NewApiKey[] {
    const query = `SELECT hash, record, (SELECT at FROM revoked WHERE key = json_extract(record, '$.id')) AS revoked_at
      FROM keys`;
    return this.tables.read<StoredKey>(query).map(({ hash, record, revoked_at: revokedAt }) => {
      const { projects = null, agents = null, ...key } = JSON.parse(record) as KeyRecord;
      return {
        hash,
        key: { ...key, projects, agents, createdAt: readIdTime(key.id) ?? 0, createdBy: BY_OTTO, revokedAt },
      };
    });
  }

  revokedKeys(): RevokedKey[] {
    return this.tables.read<{ id: string; at: number }>("SELECT key AS id, at FROM revoked");
  }

  reindex(): Reindex | null {
    if (this.knownReindex !== undefined) return this.knownReindex;
    const [row] = this.tables.read<{ reindex: string }>("SELECT reindex FROM reindex");
    this.knownReindex = row === undefined ? null : (JSON.parse(row.reindex) as Reindex);
    return this.knownReindex;
  }

  keepReindex(reindex: Reindex): void {
    this.tables.write("INSERT OR REPLACE INTO reindex VALUES (1, ?)", JSON.stringify(reindex));
    this.knownReindex = reindex;
  }

  countTasks(): number {
    return this.tables.read<{ count: number }>("SELECT COUNT(*) AS count FROM tasks")[0]?.count ?? 0;
  }

  /** Tasks before one (null: from the latest), the latest first. */
  tasksBefore(before: string | null, limit: number): string[] {
    const query = "SELECT task FROM tasks WHERE task < ? ORDER BY task DESC LIMIT ?";
    return this.tables.read<{ task: string }>(query, before ?? AFTER_ALL, limit).map(({ task }) => task);
  }

  hasTask(task: string): boolean {
    return this.tables.read("SELECT 1 FROM tasks WHERE task = ?", task).length > 0;
  }

  addSchedule(schedule: string): void {
    this.tables.write("INSERT OR IGNORE INTO schedules VALUES (?)", schedule);
  }

  dropSchedule(schedule: string): void {
    this.tables.write("DELETE FROM schedules WHERE schedule = ?", schedule);
  }

  /** Schedules after one, in their order: those that were noted, and those of an earlier release whose tasks are there. */
  schedulesAfter(after: string | null, limit: number): string[] {
    const query = `SELECT schedule FROM schedules WHERE schedule > ?1
      UNION SELECT account FROM accounts WHERE account > ?1 AND account LIKE 'sch\\_%' ESCAPE '\\' ORDER BY 1 LIMIT ?2`;
    return this.tables.read<{ schedule: string }>(query, after ?? "", limit).map(({ schedule }) => schedule);
  }

  /** The projects whose folder holds files. */
  projects(): string[] {
    const query = "SELECT sandbox FROM storage WHERE sandbox GLOB '*/project/*'";
    return this.tables
      .read<{ sandbox: string }>(query)
      .map(({ sandbox }) => decodeURIComponent(sandbox.slice(sandbox.lastIndexOf("/") + 1)));
  }

  erase(): void {
    this.tables.empty("schedules", "reindex", "counter");
    this.knownRow = undefined;
    this.knownReindex = undefined;
  }

  private readRow(): KnownRow {
    const [row] = this.tables.read<CounterRow>("SELECT * FROM counter");
    const { counter = 0, compared_at: comparedAt = 0, name = null, inventory = null } = row ?? {};
    return { counter, comparedAt, name, inventory: inventory === null ? null : (JSON.parse(inventory) as Inventory) };
  }
}

/** Sorts after every id. */
const AFTER_ALL = "~";

interface CounterRow extends Record<string, SqlStorageValue> {
  readonly counter: number;
  readonly compared_at: number;
  readonly name: string | null;
  readonly inventory: string | null;
}

interface StoredKey extends Record<string, SqlStorageValue> {
  readonly hash: string;
  readonly record: string;
  readonly revoked_at: number | null;
}
