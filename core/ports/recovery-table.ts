/** What a rebuilding reads and writes. */
import type { Result } from "../base/errors.ts";
import type { NewApiKey, Tenant } from "./tenant-table.ts";
import type { Reindex, ReindexSummary, RestoredKeys, RevokedKey, TenantRow } from "../tenant/recovery.ts";

/** The rows that are compared and rebuilt. */
export interface RecoveryTable {
  /** Reads the tenant's row, even an erased one; null if the database has no row. */
  read(tenant: string): Promise<Result<TenantRow | null>>;
  /** Creates the tenant's row, or raises the counter of the existing one. An erased row stays as it is. */
  restoreTenant(tenant: Tenant, counter: number): Promise<Result<void>>;
  /**
   * Creates the missing rows of keys. A key whose hash another row has, of any tenant, is refused; the others are
   * created.
   */
  restoreKeys(tenant: string, keys: readonly NewApiKey[]): Promise<Result<RestoredKeys>>;
  /** Revokes keys that an older database has as valid. */
  restoreRevoked(tenant: string, revoked: readonly RevokedKey[]): Promise<Result<void>>;
  /** Creates the missing projects with the creation time `at`, in milliseconds since the epoch. */
  restoreProjects(tenant: string, names: readonly string[], at: number): Promise<Result<void>>;
  /** Stores the state of a rebuild for `/health`. */
  note(tenant: string, reindex: Pick<Reindex, "phase" | "lost" | "startedAt">): Promise<Result<void>>;
  /** Summarises all tenants, with losses since `since`, in milliseconds since the epoch. */
  summary(since: number): Promise<Result<ReindexSummary>>;
}
