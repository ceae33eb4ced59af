/** Sends the outbox of the task index to Postgres. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { memoryFromEnv } from "../../adapters/env/memory.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Database } from "../../core/ports/database.ts";
import { toFailure, type Failure, type Result } from "../../core/base/errors.ts";
import { canRetry } from "../../core/gateway/outcome.ts";
import { getSummaryId } from "../../core/memory/memory.ts";
import type { MemoryStore } from "../../core/ports/memory-store.ts";
import {
  BATCH_DELAY_MS,
  BatchWindow,
  computeRetryAt,
  computeSendDelayMs,
  REFUSED_RETRY_MS,
} from "../../core/tenant/index-outbox.ts";
import type { OutboxRow, TenantOutbox } from "./outbox.ts";
import type { TenantRowCheck } from "./row.ts";
import type { TenantTables } from "./tables.ts";

const ROW_NOT_RESTORED: Failure = {
  code: "upstream_failed",
  message: "The tenant's row is lost or out of date, and is restored first.",
};

export class TenantTaskIndex {
  private readonly env: Env;
  private readonly tables: TenantTables;
  private readonly outbox: TenantOutbox;
  private readonly row: TenantRowCheck;
  private readonly window = new BatchWindow();
  private failures = 0;
  private failedAt = 0;
  private sending: Promise<boolean> | null = null;
  /** Callers that wait for the rows up to a position. */
  private readonly waiting = new Set<{ readonly position: number; readonly resolve: (isSent: boolean) => void }>();

  constructor(env: Env, tables: TenantTables, outbox: TenantOutbox, row: TenantRowCheck) {
    this.env = env;
    this.tables = tables;
    this.outbox = outbox;
    this.row = row;
  }

  /**
   * Sends the rows that are stored now, and does not wait for rows that are stored meanwhile. False if Postgres did not
   * accept all of them.
   */
  async flush(): Promise<boolean> {
    const position = this.outbox.getLastPosition();
    const sending = this.startSending();
    if (position === null) return await sending;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { position, resolve };
    this.waiting.add(waiter);
    try {
      return await Promise.race([promise, sending]);
    } finally {
      this.waiting.delete(waiter);
    }
  }

  /** Sends the pending rows. False if Postgres is unavailable; a refused row waits alone and does not count. */
  async sendAll(): Promise<boolean> {
    await this.startSending();
    return this.failures === 0;
  }

  /** Schedules a row that was just stored, to be sent after this delay at the latest. */
  schedule(now: number, delayMs = BATCH_DELAY_MS): void {
    this.window.add(now, delayMs);
  }

  /** True for an alarm at `now` that has to send rows. A running send is joined. */
  isDue(now: number): boolean {
    return this.sending !== null || (this.nextSendAt(now) ?? Infinity) <= now;
  }

  /**
   * Returns when to send next; null when every row is sent. During a send, that is when a crash would be recovered. Rows
   * of an earlier instance are due at once.
   */
  nextSendAt(now: number): number | null {
    const unsentAt = this.outbox.nextUnsentAt();
    if (unsentAt === null) return null;
    if (this.sending !== null) return Math.max(unsentAt, now + computeSendDelayMs(1));
    if (this.failures > 0) return Math.max(unsentAt, computeRetryAt(this.failures, this.failedAt, now));
    return Math.max(unsentAt, this.window.dueAt ?? now);
  }

  private async startSending(): Promise<boolean> {
    this.sending ??= this.send().finally(() => {
      this.sending = null;
    });
    return await this.sending;
  }

  private async send(): Promise<boolean> {
    const tenant = this.tables.getTenant();
    for (;;) {
      // Postgres accepts no row of an erased tenant. Its outbox lists the tasks that are still to be erased.
      if (tenant === null || this.tables.isErased()) return true;
      this.window.clear();
      const rows = this.outbox.readUnsent(Date.now());
      if (rows.length === 0) {
        this.failures = 0;
        return this.outbox.nextUnsentAt() === null;
      }
      const failure = await this.sendRows(tenant, rows);
      if (failure !== null) {
        this.failures += 1;
        this.failedAt = Date.now();
        console.error("the task index could not be sent", tenant, failure.code, failure.details);
        return false;
      }
      this.answerWaiting();
    }
  }

  private answerWaiting(): void {
    for (const { position, resolve } of this.waiting) {
      const progress = this.outbox.getProgress(position, Date.now());
      if (progress !== "due") resolve(progress === "all");
    }
  }

  /** Sends a batch. A refused batch is sent in halves, so that no row stops the others. */
  private async sendRows(tenant: string, rows: readonly OutboxRow[]): Promise<Failure | null> {
    const stores = { database: databaseFromEnv(this.env), memory: memoryFromEnv(this.env) };
    const counter = this.row.getCounter();
    const written = await deliver(stores, tenant, rows, counter);
    if (this.tables.isErased()) return null;
    if (written.ok) return await this.markSent(rows, written.value.isTogether ? counter : null);
    if (canRetry("index_row", written.error)) return written.error;
    if (rows.length === 1 && rows[0] !== undefined) {
      console.error("the database refused a row of the task index", tenant, rows[0].task, written.error.details);
      this.outbox.postpone(rows[0], Date.now() + REFUSED_RETRY_MS);
    } else {
      const half = Math.ceil(rows.length / 2);
      for (const some of [rows.slice(0, half), rows.slice(half)]) {
        const failure = await this.sendRows(tenant, some);
        if (failure !== null) return failure;
      }
    }
    return null;
  }

  /**
   * Marks a batch as sent. `taken` is its counter; null if Postgres has another one. Then the rows stay while a tenant
   * could accept them.
   */
  private async markSent(rows: readonly OutboxRow[], taken: number | null): Promise<Failure | null> {
    const refused = taken === null ? await this.row.explainRefusal() : null;
    if (this.tables.isErased()) return null;
    if (refused === "apart" || refused === "together") return ROW_NOT_RESTORED;
    this.tables.storage.transactionSync(() => {
      if (taken !== null) this.row.advance(taken);
      this.outbox.markSent(rows, Date.now());
    });
    return null;
  }
}

/** Deletes the summary of a deleted task, unless it is retained. */
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
    const forgotten = rows.flatMap(({ task, report, retainsSummary }) =>
      report === null && !retainsSummary ? [task] : [],
    );
    const cleared = removed.ok ? await memory.remove(tenant, forgotten.map(getSummaryId)) : removed;
    return cleared.ok ? upserted : cleared;
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}
