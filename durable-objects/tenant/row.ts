/**
 * Compares the tenant's object with its row in Postgres. They share a counter: a row that is gone, or whose counter is another,
 * is of a lost or older database (or the object is), and the rebuilding begins.
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

/** A request begins a comparison when the last one is this old; one that reads the index, when it is that old. */
const COMPARE_EVERY_MS = 600_000;
const COMPARE_FOR_INDEX_MS = 10_000;

/** `gone`: the tenant is erased, or never was. */
type Compared = "together" | "apart" | "gone";

const NO_TENANT = failed("not_found", "There is no such tenant.");

export class TenantRowWatch {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly store: TenantRecoveryStore;
  /** Called when a rebuilding has begun. */
  private readonly onBegun: () => void;
  /** When they were last found together, and when the tenant's rows were last read and counted. */
  private comparedAt = 0;
  private countedAt: number | null = null;
  private comparing: Promise<Result<Compared>> | null = null;

  constructor(env: Env, tables: TenantTables, store: TenantRecoveryStore, onBegun: () => void) {
    this.env = env;
    this.tables = tables;
    this.store = store;
    this.onBegun = onBegun;
  }

  /** The counter that the next batch of the index advances. */
  counter(): number {
    return this.store.row().counter;
  }

  /** Postgres took a batch that was sent under this counter: the row has the next one, if a rebuilding did not set a later one. */
  advance(sent: number): void {
    this.store.setCounter(Math.max(this.counter(), sent + 1));
    this.comparedAt = Date.now();
  }

  /** A request came in: begins a comparison in the background when it is time for one. */
  compareSometimes(): void {
    if (this.isCountOld()) void this.compare();
  }

  /** Somebody is about to read the index. Never throws; while Postgres is away nothing is compared. */
  async compareForIndex(): Promise<void> {
    if (Date.now() - this.comparedAt >= COMPARE_FOR_INDEX_MS || this.isCountOld()) await this.compare();
  }

  /** Never throws. `apart`: a rebuilding runs that has to restore the row first. */
  async compare(): Promise<Result<Compared>> {
    this.comparing ??= this.compareOnce().finally(() => {
      this.comparing = null;
    });
    return await this.comparing;
  }

  /** Postgres took no batch under this counter: what that means. `gone`: no row takes one. `apart`: the row is restored first. */
  async judgeRefused(): Promise<"together" | "apart" | "gone"> {
    const compared = await this.compare();
    if (!compared.ok) return compared.error.code === "not_found" ? "gone" : "apart";
    return compared.value;
  }

  /** `not_found` for a tenant that is erased or never was; `apart`: its row is to be restored. */
  async confirm(): Promise<Result<Compared>> {
    const compared = await this.compare();
    return compared.ok && compared.value === "gone" ? NO_TENANT : compared;
  }

  /** Begins a rebuilding that was requested. One that runs continues. `not_found`: no object or row knows the tenant. */
  async request(): Promise<Result<Reindex>> {
    const from = this.counter();
    const row = await this.read();
    if (!row.ok) return row;
    if (this.judge(from, row.value) === "gone") return NO_TENANT;
    const running = this.store.reindex();
    return ok(running !== null && running.endedAt === null ? running : this.begin("requested"));
  }

  /** Begins a rebuilding. What runs begins again, since it is the database that is another. */
  private begin(reason: ReindexReason): Reindex {
    const begun = createReindex(reason, this.store.countTasks(), this.store.reindex(), Date.now());
    this.store.keepReindex(begun);
    if (reason !== "requested") console.warn("the task index is rebuilt", this.tables.tenant(), reason);
    this.onBegun();
    return begun;
  }

  private async compareOnce(): Promise<Result<Compared>> {
    this.comparedAt = Date.now();
    this.countedAt = this.comparedAt;
    const from = this.counter();
    const row = await this.read();
    return row.ok ? ok(this.judge(from, row.value)) : row;
  }

  /** Batches of the index compare, and count nothing. */
  private isCountOld(): boolean {
    this.countedAt ??= this.store.row().comparedAt;
    return Date.now() - this.countedAt >= COMPARE_EVERY_MS;
  }

  private judge(from: number, row: TenantRow | null): Compared {
    const verdict = judgeRow({ from, to: this.counter() }, row);
    // A tenant that no key was shown of never was.
    if (verdict === "erased" || (row === null && !this.store.isKnown())) return "gone";
    const running = this.store.reindex();
    const isRestoring = running !== null && running.endedAt === null && running.phase === "tenant";
    if (verdict === "together") {
      if (row !== null && !isRestoring) this.keep(row);
      return "together";
    }
    if (!isRestoring) this.begin(verdict);
    return "apart";
  }

  /** Stores what is counted while they are together: after a loss, that says what was lost. */
  private keep(row: TenantRow): void {
    const [now, known] = [Date.now(), this.store.row()];
    const isNew = known.name !== row.name || JSON.stringify(known.inventory) !== JSON.stringify(row.inventory);
    if (isNew || now - known.comparedAt >= COMPARE_EVERY_MS) this.store.keepRow(row, now);
  }

  private async read(): Promise<Result<TenantRow | null>> {
    const tenant = this.tables.tenant();
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
