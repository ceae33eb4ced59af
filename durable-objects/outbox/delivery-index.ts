/** How Postgres learns of deliveries: what changed goes there in batches, and never holds up what leaves. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, ok, type Result, toFailure } from "../../core/base/errors.ts";
import { canRetry } from "../../core/gateway/outcome.ts";
import { REFUSED_RETRY_MS, computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { OutboxForgetting } from "./forgetting.ts";
import type { DeliveryStore, Untold } from "./store.ts";

/** Rows that go to Postgres at once. */
const BATCH = 100;

export class OutboxIndex {
  private readonly env: Env;
  private readonly store: DeliveryStore;
  private readonly forgetting: OutboxForgetting;
  private readonly forgetAll: () => void;
  private failures = 0;
  /** After a failure: when to try again. */
  private retryAt = 0;
  private telling: Promise<void> | null = null;

  /** `forgetAll` is called when the tenant turns out to be erased. */
  constructor(env: Env, store: DeliveryStore, forgetting: OutboxForgetting, forgetAll: () => void) {
    this.env = env;
    this.store = store;
    this.forgetting = forgetting;
    this.forgetAll = forgetAll;
  }

  /** Tells what is untold and due, in the background of whoever asks. Never throws: what fails waits for the next time. */
  async tell(): Promise<void> {
    this.telling ??= this.tellAll().finally(() => {
      this.telling = null;
    });
    await this.telling;
  }

  /** When to tell next, or to forget what is old; null: nothing is left. What changes within a moment is told together. */
  nextAt(now: number): number | null {
    const untoldAt = this.store.nextUntoldAt();
    const due = Math.min(
      untoldAt === null ? Infinity : untoldAt + computeSendDelayMs(0),
      this.forgetting.nextForgetAt() ?? Infinity,
    );
    if (due === Infinity) return null;
    return Math.max(due, this.telling === null ? this.retryAt : now + computeSendDelayMs(1));
  }

  private async tellAll(): Promise<void> {
    for (;;) {
      const now = Date.now();
      const failure = await this.tellSome(now);
      if (failure === "none left") {
        this.failures = 0;
        this.retryAt = 0;
        return;
      }
      if (failure !== null) {
        this.failures += 1;
        this.retryAt = Date.now() + computeSendDelayMs(this.failures);
        console.error("the index of deliveries waits for the database", failure.code, failure.details);
        return;
      }
    }
  }

  private async tellSome(now: number): Promise<Failure | "none left" | null> {
    const untold = this.store.untold(now, BATCH);
    if (untold.length > 0) return await this.tellRows(untold);
    const old = this.forgetting.old(now);
    const [first] = old;
    if (first === undefined) {
      // As many as one turn may take: the alarm comes again at once for more.
      this.forgetting.emptyBodies(now);
      return "none left";
    }
    const removed = await attempt(() =>
      databaseFromEnv(this.env).deliveries.remove(this.store.delivery(first).tenant, old),
    );
    if (!removed.ok) return removed.error;
    this.forgetting.forget(old, now);
    return null;
  }

  /** Rows that are refused for what they hold go one by one, so that none stops the others. */
  private async tellRows(untold: readonly Untold[]): Promise<Failure | null> {
    const [first] = untold;
    if (first === undefined) return null;
    const { tenant } = this.store.delivery(first.report.id);
    const reports = untold.map(({ report }) => report);
    const written = await attempt(() => databaseFromEnv(this.env).deliveries.upsert(tenant, reports));
    if (written.ok) {
      if (written.value.isErased) this.forgetAll();
      else this.store.markTold(untold);
      return null;
    }
    if (canRetry("index_row", written.error)) return written.error;
    if (untold.length === 1) {
      console.error("the database refused a delivery's row", first.report.id, written.error.details);
      this.store.setAside(first, Date.now() + REFUSED_RETRY_MS);
      return null;
    }
    for (const one of untold) {
      const failure = await this.tellRows([one]);
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
