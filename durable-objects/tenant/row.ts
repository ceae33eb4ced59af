/**
 * Compares the tenant's object with its row in Postgres. They share a counter. A missing row or a different counter
 * means that the database or the object was lost or restored from an older copy; a rebuild starts.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { failed, ok, type Result, toFailure } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import {
  judgeRow,
  createReindex,
  type Reindex,
  type ReindexReason,
  type TenantRow,
} from "../../core/tenant/recovery.ts";
import type { TenantRecoveryStore } from "./recovery-store.ts";
import type { TenantTables } from "./tables.ts";

/** Maximum age of the last comparison: for any request, and for one that reads the index. */
const COMPARE_EVERY_MS = 600_000;
const COMPARE_FOR_INDEX_MS = 10_000;

/** `gone`: the tenant is erased or never existed. */
type RowState = "together" | "apart" | "gone";

const NO_TENANT = failed("not_found", "There is no such tenant.");

export class TenantRowCheck {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly store: TenantRecoveryStore;
  /** Called when a rebuild starts. */
  private readonly onStarted: () => void;
  /** Time of the last comparison that matched, and of the last count of the tenant's rows. */
  private comparedAt = 0;
  private countedAt: number | null = null;
  private comparing: Promise<Result<RowState>> | null = null;

  constructor(env: Env, tables: TenantTables, store: TenantRecoveryStore, onBegun: () => void) {
    this.env = env;
    this.tables = tables;
    this.store = store;
    this.onStarted = onBegun;
  }

  /** Returns the counter for the next batch of the index. */
  getCounter(): number {
    return this.store.readRow().counter;
  }

  /** Advances the counter after Postgres accepted a batch, unless a rebuild set a later one. */
  advance(sent: number): void {
    this.store.setCounter(Math.max(this.getCounter(), sent + 1));
    this.comparedAt = Date.now();
  }

  /** Compares in the background when the last comparison is old. */
  compareIfOld(): void {
    if (this.isCountOld()) void this.compare();
  }

  /** Compares before a read of the index. Never throws; skipped while Postgres is unavailable. */
  async compareForIndex(): Promise<void> {
    if (Date.now() - this.comparedAt >= COMPARE_FOR_INDEX_MS || this.isCountOld()) await this.compare();
  }

  /** Never throws. `apart`: a rebuild runs that restores the row first. */
  async compare(): Promise<Result<RowState>> {
    this.comparing ??= this.compareOnce().finally(() => {
      this.comparing = null;
    });
    return await this.comparing;
  }

  /**
   * Explains why Postgres refused a batch under this counter. `gone`: no row accepts one. `apart`: the row is restored
   * first.
   */
  async explainRefusal(): Promise<"together" | "apart" | "gone"> {
    const compared = await this.compare();
    if (!compared.ok) return compared.error.code === "not_found" ? "gone" : "apart";
    return compared.value;
  }

  /** Checks that the tenant exists. `not_found` if it is erased or never existed; `apart` while its row is restored. */
  async confirm(): Promise<Result<RowState>> {
    const compared = await this.compare();
    return compared.ok && compared.value === "gone" ? NO_TENANT : compared;
  }

  /**
   * Starts a requested rebuild; a running one continues. `not_found` if neither an object nor a row knows the tenant.
   */
  async request(): Promise<Result<Reindex>> {
    const from = this.getCounter();
    const row = await this.read();
    if (!row.ok) return row;
    if (this.judge(from, row.value) === "gone") return NO_TENANT;
    const running = this.store.readReindex();
    return ok(running !== null && running.endedAt === null ? running : this.begin("requested"));
  }

  /** Starts a rebuild. A running one restarts, because the database changed. */
  private begin(reason: ReindexReason): Reindex {
    const begun = createReindex(reason, this.store.countTasks(), this.store.readReindex(), Date.now());
    this.store.storeReindex(begun);
    if (reason !== "requested") console.warn("the task index is rebuilt", this.tables.getTenant(), reason);
    this.onStarted();
    return begun;
  }

  private async compareOnce(): Promise<Result<RowState>> {
    this.comparedAt = Date.now();
    this.countedAt = this.comparedAt;
    const from = this.getCounter();
    const row = await this.read();
    return row.ok ? ok(this.judge(from, row.value)) : row;
  }

  /** Batches of the index compare the counter but count no rows. */
  private isCountOld(): boolean {
    this.countedAt ??= this.store.readRow().comparedAt;
    return Date.now() - this.countedAt >= COMPARE_EVERY_MS;
  }

  private judge(from: number, row: TenantRow | null): RowState {
    const verdict = judgeRow({ from, to: this.getCounter() }, row);
    // A tenant whose object has seen no key never existed.
    if (verdict === "erased" || (row === null && !this.store.hasSeenKey())) return "gone";
    const running = this.store.readReindex();
    const isRestoring = running !== null && running.endedAt === null && running.phase === "tenant";
    if (verdict === "together") {
      if (row !== null && !isRestoring) this.storeCounts(row);
      return "together";
    }
    if (!isRestoring) this.begin(verdict);
    return "apart";
  }

  /** Stores the counts of a matching row. After a loss they show what was lost. */
  private storeCounts(row: TenantRow): void {
    const [now, known] = [Date.now(), this.store.readRow()];
    const isNew = known.name !== row.name || JSON.stringify(known.inventory) !== JSON.stringify(row.inventory);
    if (isNew || now - known.comparedAt >= COMPARE_EVERY_MS) this.store.storeRow(row, now);
  }

  private async read(): Promise<Result<TenantRow | null>> {
    const tenant = this.tables.getTenant();
    // The operator's object has no row.
    if (tenant === null || !isId("tenant", tenant) || this.tables.isErased()) return NO_TENANT;
    try {
      const read = await databaseFromEnv(this.env).recovery.read(tenant);
      return this.tables.isErased() ? NO_TENANT : read;
    } catch (thrown) {
      return { ok: false, error: toFailure(thrown) };
    }
  }
}
