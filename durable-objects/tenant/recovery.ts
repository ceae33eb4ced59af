/** The recovery of a tenant's rows in Postgres, as operators and routes request it. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { Reindex } from "../../core/tenant/recovery.ts";
import type { TenantRecoveryStore } from "./recovery-store.ts";
import type { TenantReindex } from "./reindex.ts";
import type { TenantRowCheck } from "./row.ts";
import type { TenantTables } from "./tables.ts";

interface Parts {
  readonly tables: Pick<TenantTables, "isErased">;
  readonly row: Pick<TenantRowCheck, "confirm" | "request">;
  readonly reindex: Pick<TenantReindex, "run">;
  readonly store: Pick<TenantRecoveryStore, "readReindex" | "addSchedule">;
}

export class TenantRecovery {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  async startReindex(): Promise<Result<Reindex>> {
    return await this.parts.row.request();
  }

  /** Returns the latest rebuild; null if none was needed. */
  getReindex(): Reindex | null {
    return this.parts.store.readReindex();
  }

  /** Checks the tenant's row. A lost row is restored first, as the first batch of a rebuild. */
  async confirmRow(): Promise<Result<void>> {
    const confirmed = await this.parts.row.confirm();
    if (confirmed.ok && confirmed.value === "apart") await this.parts.reindex.run();
    return confirmed.ok ? ok(undefined) : confirmed;
  }

  /** Records a schedule, so that a rebuild finds it. */
  addSchedule(schedule: string): void {
    if (!this.parts.tables.isErased()) this.parts.store.addSchedule(schedule);
  }
}
