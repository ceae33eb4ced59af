/** The sending of the task index: what the outbox holds goes to Postgres. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Database } from "../../core/ports/database.ts";
import { toFailure, type Failure, type Result } from "../../core/base/errors.ts";
import { canRetry } from "../../core/gateway/outcome.ts";
import { getSummaryId } from "../../core/memory/memory.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import { REFUSED_RETRY_MS, computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { OutboxRow, TenantOutbox } from "./outbox.ts";
import type { TenantRowWatch } from "./row.ts";
import type { TenantTables } from "./tables.ts";

const APART: Failure = {
  code: "upstream_failed",
  message: "The tenant's row is of a lost or older database, and is restored first.",
};

export class TenantIndex {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly outbox: TenantOutbox;
  private readonly row: TenantRowWatch;
  private failures = 0;
  private sending: Promise<boolean> | null = null;

  constructor(env: Env, tables: TenantTables, outbox: TenantOutbox, row: TenantRowWatch) {
    this.env = env;
    this.tables = tables;
    this.outbox = outbox;
    this.row = row;
  }

  /** Sends what is unsent, now. False: Postgres did not take all of it. */
  async flush(): Promise<boolean> {
    this.sending ??= this.send().finally(() => {
      this.sending = null;
    });
    return await this.sending;
  }

  /** The same; false: Postgres is away. A row that it refuses waits alone, and does not count. */
  async sendAll(): Promise<boolean> {
    await this.flush();
    return this.failures === 0;
  }

  /** When to send next; null: nothing is unsent. While rows are being sent: when a crash is made good. */
  nextSendAt(now: number): number | null {
    const unsentAt = this.outbox.nextUnsentAt();
    const at = this.sending === null ? this.sendAt(now) : Math.max(this.sendAt(now), now + computeSendDelayMs(1));
    return unsentAt === null ? null : Math.max(unsentAt, at);
  }

  /** When what is put into the outbox now is sent. */
  sendAt(now: number): number {
    return now + computeSendDelayMs(this.failures);
  }

  private async send(): Promise<boolean> {
    const tenant = this.tables.tenant();
    for (;;) {
      // Postgres takes nothing of an erased tenant; its outbox names what is still to be erased.
      if (tenant === null || this.tables.isErased()) return true;
      const rows = this.outbox.unsent(Date.now());
      if (rows.length === 0) {
        this.failures = 0;
        return this.outbox.nextUnsentAt() === null;
      }
      const failure = await this.sendRows(tenant, rows);
      if (failure !== null) {
        this.failures += 1;
        console.error("the task index waits for the database", tenant, failure.code, failure.details);
        return false;
      }
    }
  }

  /** Sends a batch; one that is refused for what it holds goes row by row, so that no row stops the others. */
  private async sendRows(tenant: string, rows: readonly OutboxRow[]): Promise<Failure | null> {
    const stores = { database: databaseFromEnv(this.env), memory: memoryFromEnv(this.env) };
    const counter = this.row.counter();
    const written = await deliver(stores, tenant, rows, counter);
    if (this.tables.isErased()) return null;
    if (written.ok) return await this.markSent(rows, written.value.isTogether ? counter : null);
    if (canRetry("index_row", written.error)) return written.error;
    if (rows.length === 1 && rows[0] !== undefined) {
      console.error("the database refused a row of the task index", tenant, rows[0].task, written.error.details);
      this.outbox.setAside(rows[0], Date.now() + REFUSED_RETRY_MS);
    } else {
      for (const row of rows) {
        const failure = await this.sendRows(tenant, [row]);
        if (failure !== null) return failure;
      }
    }
    return null;
  }

  /** `taken`: the counter under which the batch was; null: it found another one, and is kept while there is a tenant that could take it. */
  private async markSent(rows: readonly OutboxRow[], taken: number | null): Promise<Failure | null> {
    const refused = taken === null ? await this.row.judgeRefused() : null;
    if (this.tables.isErased()) return null;
    if (refused === "apart" || refused === "together") return APART;
    this.tables.storage.transactionSync(() => {
      if (taken !== null) this.row.advance(taken);
      this.outbox.markSent(rows, Date.now());
    });
    return null;
  }
}

/** A task that is taken out of the index takes its summary along, unless that is to stay. */
async function deliver(
  { database, memory }: { readonly database: Database; readonly memory: MemoryStore },
  tenant: string,
  rows: readonly OutboxRow[],
  counter: number,
): Promise<Result<{ readonly isTogether: boolean }>> {
  try {
    const reports = rows.flatMap(({ report }) => (report === null ? [] : [report]));
    const upserted = await database.tasks.upsert(tenant, reports, counter);
    if (!upserted.ok || !upserted.value.isTogether) return upserted;
    const gone = rows.flatMap(({ task, report }) => (report === null ? [task] : []));
    const removed = await database.tasks.remove(tenant, gone);
    const forgotten = rows.flatMap(({ task, report, keepsMemory }) => (report === null && !keepsMemory ? [task] : []));
    const cleared = removed.ok ? await memory.remove(tenant, forgotten.map(getSummaryId)) : removed;
    return cleared.ok ? upserted : cleared;
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}
