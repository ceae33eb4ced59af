/** What a rebuilding reads and writes. */
import type { Result } from "../base/errors.ts";
import type { NewApiKey, Tenant } from "./tenant-table.ts";
import type { Reindex, ReindexSummary, RestoredKeys, RevokedKey, TenantRow } from "../tenant/recovery.ts";

/** The rows that are compared and rebuilt. */
export interface RecoveryTable {
  /** The tenant's row, an erased one too; null when the database has no row. */
  read(tenant: string): Promise<Result<TenantRow | null>>;
  /** Creates the tenant's row, or raises the counter of the one that is there; one that is erased stays as it is. */
  restoreTenant(tenant: Tenant, counter: number): Promise<Result<void>>;
  /** Creates the rows of keys that are absent. One whose hash another row has, of any tenant, is refused and stops no other. */
  restoreKeys(tenant: string, keys: readonly NewApiKey[]): Promise<Result<RestoredKeys>>;
  /** Revokes keys that an older database has as live. */
  restoreRevoked(tenant: string, revoked: readonly RevokedKey[]): Promise<Result<void>>;
  /** Creates the projects that are absent, made `at`, in milliseconds since the epoch. */
  restoreProjects(tenant: string, names: readonly string[], at: number): Promise<Result<void>>;
  /** Stores how a rebuilding stands, for `/health`. */
  note(tenant: string, reindex: Pick<Reindex, "phase" | "lost" | "startedAt">): Promise<Result<void>>;
  /** Of all tenants; losses since `since`, in milliseconds since the epoch. */
  summary(since: number): Promise<Result<ReindexSummary>>;
}
