/** Sends changed deliveries to Postgres in batches, independently of their sending. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, ok, type Result, toFailure } from "../../core/base/errors.ts";
import { canRetry } from "../../core/gateway/outcome.ts";
import { REFUSED_RETRY_MS, computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { OutboxRetention } from "./retention.ts";
import type { DeliveryStore, UnsentReport } from "./store.ts";

/** Rows per batch. */
const BATCH = 100;

export class DeliveryIndex {
  private readonly env: Env;
  private readonly store: DeliveryStore;
  private readonly retention: OutboxRetention;
  private readonly onTenantErased: () => void;
  private failures = 0;
  /** When to retry after a failure. */
  private retryAt = 0;
  private sending: Promise<void> | null = null;

  /** `onTenantErased` runs when the tenant turns out to be erased. */
  constructor(env: Env, store: DeliveryStore, retention: OutboxRetention, onTenantErased: () => void) {
    this.env = env;
    this.store = store;
    this.retention = retention;
    this.onTenantErased = onTenantErased;
  }

  /** Sends the due reports in the background. Failures of the database are retried; throws when a row cannot be read. */
  async sendPending(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
    });
    await this.sending;
  }

  /**
   * Returns when to send or to delete expired rows next; null when nothing is left. Changes within a moment share a
   * batch.
   */
  nextAt(now: number): number | null {
    const unsentAt = this.store.nextUnsentAt();
    const due = Math.min(
      unsentAt === null ? Infinity : unsentAt + computeSendDelayMs(0),
      this.retention.nextExpiryAt() ?? Infinity,
    );
    if (due === Infinity) return null;
    return Math.max(due, this.sending === null ? this.retryAt : now + computeSendDelayMs(1));
  }

  private async sendAll(): Promise<void> {
    for (;;) {
      const now = Date.now();
      const failure = await this.sendBatch(now);
      if (failure === "done") {
        this.failures = 0;
        this.retryAt = 0;
        return;
      }
      if (failure !== null) {
        this.failures += 1;
        this.retryAt = Date.now() + computeSendDelayMs(this.failures);
        console.error("the index of deliveries could not be sent", failure.code, failure.details);
        return;
      }
    }
  }

  private async sendBatch(now: number): Promise<Failure | "done" | null> {
    const unsent = this.store.readUnsent(now, BATCH);
    if (unsent.length > 0) return await this.sendRows(unsent);
    const old = this.retention.listExpired(now);
    const [first] = old;
    if (first === undefined) {
      // One batch per turn: the alarm continues at once.
      this.retention.emptyBodies(now);
      return "done";
    }
    const removed = await attempt(() =>
      databaseFromEnv(this.env).deliveries.remove(this.store.delivery(first).tenant, old),
    );
    if (!removed.ok) return removed.error;
    this.retention.deleteExpired(old, now);
    return null;
  }

  /** Sends rows. A refused batch is sent row by row, so that no row stops the others. */
  private async sendRows(unsent: readonly UnsentReport[]): Promise<Failure | null> {
    const [first] = unsent;
    if (first === undefined) return null;
    const { tenant } = this.store.delivery(first.report.id);
    const reports = unsent.map(({ report }) => report);
    const written = await attempt(() => databaseFromEnv(this.env).deliveries.upsert(tenant, reports));
    if (written.ok) {
      if (written.value.isErased) this.onTenantErased();
      else this.store.markSent(unsent);
      return null;
    }
    if (canRetry("index_row", written.error)) return written.error;
    if (unsent.length === 1) {
      console.error("the database refused a delivery's row", first.report.id, written.error.details);
      this.store.postpone(first, Date.now() + REFUSED_RETRY_MS);
      return null;
    }
    for (const one of unsent) {
      const failure = await this.sendRows([one]);
      if (failure !== null) return failure;
    }
    return null;
  }
}

async function attempt<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    const done = await work();
    return done.ok ? ok(done.value) : done;
  } catch (thrown) {
    return { ok: false, error: toFailure(thrown) };
  }
}
