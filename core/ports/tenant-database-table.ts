/** The table of the databases that a tenant's agents may query. */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { UserLists } from "../base/user-lists.ts";
import type { DatabaseCheck, DatabaseSettings, DatabaseStatus } from "../databases/database.ts";
import type { AuditEntry } from "./audit.ts";

/** A database, without its address. `version` grows with every change of its fields. */
export interface TenantDatabase extends UserLists {
  /** `dbs_…` */
  readonly id: string;
  readonly name: string;
  readonly kind: "postgres";
  readonly settings: DatabaseSettings;
  readonly status: DatabaseStatus;
  /** Null before the first check of this address. */
  readonly check: DatabaseCheck | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A new database. */
export interface NewDatabase extends UserLists {
  readonly id: string;
  readonly name: string;
  readonly kind: "postgres";
  readonly settings: DatabaseSettings;
  readonly dsn: string;
}

/** The whole new state of a database. `dsn` null: it stays. The state of its check is given, too. */
export interface DatabaseUpdate extends UserLists {
  readonly id: string;
  readonly ifVersion: number;
  readonly settings: DatabaseSettings;
  readonly dsn: string | null;
  readonly status: DatabaseStatus;
  readonly check: DatabaseCheck | null;
}

/** The databases of one tenant. Names are unique without regard to case, and never change. */
export interface TenantDatabaseTable {
  /**
   * `conflict` when the name is taken, `quota_exceeded` at the tenant's limit. Creating the same id again returns the
   * stored row.
   */
  create(database: NewDatabase, act: AuditEntry): Promise<Result<TenantDatabase>>;
  get(name: string): Promise<Result<TenantDatabase>>;
  page(request: PageRequest): Promise<Result<Page<TenantDatabase>>>;
  /** All by name; at most `MAX_DATABASES`. */
  all(): Promise<Result<readonly TenantDatabase[]>>;
  /** The address of this version. `not_found` at another version. Null if no key of the ring opens it. */
  openDsn(id: string, version: number): Promise<Result<string | null>>;
  /** Host and port of these databases by id, without their credentials. An address that no key of the ring opens has none. */
  hosts(ids: readonly string[]): Promise<Result<ReadonlyMap<string, string>>>;
  /** `conflict` at another version than `ifVersion`. */
  update(database: DatabaseUpdate, act: AuditEntry): Promise<Result<TenantDatabase>>;
  /** Stores the result of a check of this version. `conflict` at another version. */
  saveCheck(
    database: { readonly id: string; readonly version: number; readonly status: DatabaseStatus },
    check: DatabaseCheck,
    act: AuditEntry,
  ): Promise<Result<TenantDatabase>>;
  /** Returns the removed row. */
  remove(name: string, act: AuditEntry): Promise<Result<TenantDatabase>>;
}
