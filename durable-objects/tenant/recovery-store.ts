/** Stores what the recovery of a tenant's rows needs: the counter, the schedules, and a running rebuild. */
import type { NewApiKey } from "../../core/ports/tenant-table.ts";
import { BY_OTTO } from "../../core/ports/audit.ts";
import { readIdTime } from "../../core/base/ids.ts";
import type { KeyRecord } from "../../core/tenant/rpc.ts";
import type { Inventory, Reindex, RevokedKey, TenantRow } from "../../core/tenant/recovery.ts";
import type { TenantTables } from "./tables.ts";

/** What the object knows of its row. Times in ms since the epoch. */
export interface KnownRow {
  readonly counter: number;
  readonly comparedAt: number;
  readonly name: string | null;
  /** The counts at the last comparison that matched. Null before the first. */
  readonly inventory: Inventory | null;
}

/** Reads and writes rows. Every method is synchronous. */
export class TenantRecoveryStore {
  private readonly tables: TenantTables;
  /** Undefined until read. */
  private knownRow: KnownRow | undefined;
  private knownReindex: Reindex | null | undefined;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  readRow(): KnownRow {
    this.knownRow ??= this.loadRow();
    return this.knownRow;
  }

  /** Stores the row's present counter. */
  setCounter(counter: number): void {
    this.tables.write(
      "INSERT INTO counter VALUES (1, ?, 0, NULL, NULL) ON CONFLICT (one) DO UPDATE SET counter = excluded.counter",
      counter,
    );
    if (this.knownRow !== undefined) this.knownRow = { ...this.knownRow, counter };
  }

  /** Stores the row's counts after a comparison that matched. */
  storeRow({ name, inventory }: Pick<TenantRow, "name" | "inventory">, comparedAt: number): void {
    this.tables.write(
      `INSERT INTO counter VALUES (1, 0, ?, ?, ?) ON CONFLICT (one) DO UPDATE SET compared_at = excluded.compared_at,
        name = excluded.name, inventory = excluded.inventory`,
      comparedAt,
      name,
      JSON.stringify(inventory),
    );
    if (this.knownRow !== undefined) this.knownRow = { ...this.knownRow, comparedAt, name, inventory };
  }

  /** Returns the tenant's name, from the row or from a session of an earlier release. */
  findName(): string | null {
    const query = "SELECT tenant_name FROM sessions ORDER BY begun_at DESC LIMIT 1";
    return this.readRow().name ?? this.tables.read<{ tenant_name: string }>(query)[0]?.tenant_name ?? null;
  }

  /** True when the object has seen a key, so that the tenant had a row. */
  hasSeenKey(): boolean {
    return this.tables.read("SELECT 1 FROM keys LIMIT 1").length > 0;
  }

  /** Lists the seen keys as rows. Their creator is unknown. */
  listKeys(): NewApiKey[] {
    const query = `SELECT hash, record, (SELECT at FROM revoked WHERE key = json_extract(record, '$.id')) AS revoked_at
      FROM keys`;
    return this.tables.read<StoredKey>(query).map(({ hash, record, revoked_at: revokedAt }) => {
      const { projects = null, agents = null, person = null, ...key } = JSON.parse(record) as KeyRecord;
      return {
        hash,
        key: {
          ...key,
          projects,
          agents,
          person,
          createdAt: readIdTime(key.id) ?? 0,
          createdBy: BY_OTTO,
          revokedAt,
        },
      };
    });
  }

  listRevokedKeys(): RevokedKey[] {
    return this.tables.read<{ id: string; at: number }>("SELECT key AS id, at FROM revoked");
  }

  readReindex(): Reindex | null {
    if (this.knownReindex !== undefined) return this.knownReindex;
    const [row] = this.tables.read<{ reindex: string }>("SELECT reindex FROM reindex");
    this.knownReindex = row === undefined ? null : (JSON.parse(row.reindex) as Reindex);
    return this.knownReindex;
  }

  storeReindex(reindex: Reindex): void {
    this.tables.write("INSERT OR REPLACE INTO reindex VALUES (1, ?)", JSON.stringify(reindex));
    this.knownReindex = reindex;
  }

  countTasks(): number {
    return this.tables.read<{ count: number }>("SELECT COUNT(*) AS count FROM tasks")[0]?.count ?? 0;
  }

  /** Lists tasks before one, or from the latest when null, the latest first. */
  listTasksBefore(before: string | null, limit: number): string[] {
    const query = "SELECT task FROM tasks WHERE task < ? ORDER BY task DESC LIMIT ?";
    return this.tables.read<{ task: string }>(query, before ?? AFTER_ALL, limit).map(({ task }) => task);
  }

  hasTask(task: string): boolean {
    return this.tables.read("SELECT 1 FROM tasks WHERE task = ?", task).length > 0;
  }

  addSchedule(schedule: string): void {
    this.tables.write("INSERT OR IGNORE INTO schedules VALUES (?)", schedule);
  }

  deleteSchedule(schedule: string): void {
    this.tables.write("DELETE FROM schedules WHERE schedule = ?", schedule);
  }

  /** Lists schedules after one, in order: the recorded ones, and those of an earlier release that have an account. */
  listSchedulesAfter(after: string | null, limit: number): string[] {
    const query = `SELECT schedule FROM schedules WHERE schedule > ?1
      UNION SELECT account FROM accounts WHERE account > ?1 AND account LIKE 'sch\\_%' ESCAPE '\\' ORDER BY 1 LIMIT ?2`;
    return this.tables.read<{ schedule: string }>(query, after ?? "", limit).map(({ schedule }) => schedule);
  }

  /** Lists the projects that have files. */
  projects(): string[] {
    const query = "SELECT sandbox FROM storage WHERE sandbox GLOB '*/project/*'";
    return this.tables
      .read<{ sandbox: string }>(query)
      .map(({ sandbox }) => decodeURIComponent(sandbox.slice(sandbox.lastIndexOf("/") + 1)));
  }

  erase(): void {
    this.tables.clear("schedules", "reindex", "counter");
    this.knownRow = undefined;
    this.knownReindex = undefined;
  }

  private loadRow(): KnownRow {
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
