/** Enqueues the fallbacks of dead deliveries; stores them until their outboxes have them. */
import type { Env } from "../../adapters/env/bindings.ts";
import { outboxesFromEnv } from "../../adapters/env/channels.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import { getOutboxName } from "../../core/channels/outbox/delivery.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { DeliveryStore } from "./store.ts";

export class OutboxFallbacks {
  private readonly env: Env;
  private readonly store: DeliveryStore;
  private failures = 0;
  /** When to retry after a failure. */
  private retryAt = 0;
  private enqueueing: Promise<void> | null = null;

  constructor(env: Env, store: DeliveryStore) {
    this.env = env;
    this.store = store;
  }

  /** Enqueues stored fallbacks, as many as one run has calls for. Never throws; failures are retried. */
  async enqueuePending(): Promise<void> {
    this.enqueueing ??= this.enqueueAll().finally(() => {
      this.enqueueing = null;
    });
    await this.enqueueing;
  }

  /** Returns when to enqueue next; null without fallbacks. */
  nextAt(now: number): number | null {
    if (this.store.listFallbacks(1).length === 0) return null;
    return this.enqueueing === null ? Math.max(now, this.retryAt) : now + computeSendDelayMs(1);
  }

  private async enqueueAll(): Promise<void> {
    const calls = new CallBudget();
    try {
      for (
        let fallbacks = this.store.listFallbacks(calls.getRoom());
        fallbacks.length > 0;
        fallbacks = this.store.listFallbacks(calls.getRoom())
      ) {
        for (const { number, delivery } of fallbacks) {
          calls.count();
          await outboxesFromEnv(this.env)(getOutboxName(delivery)).put([delivery]);
          this.store.deleteFallback(number);
        }
      }
      this.failures = 0;
      this.retryAt = 0;
    } catch (thrown) {
      this.failures += 1;
      this.retryAt = Date.now() + computeSendDelayMs(this.failures);
      console.error("a fallback could not be enqueued", thrown);
    }
  }
}
