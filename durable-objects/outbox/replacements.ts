/** What is put into outboxes in the stead of deliveries that are dead: kept until their outboxes have it. */
import type { Env } from "../../adapters/env/bindings.ts";
import { outboxesFromEnv } from "../../adapters/env/channels.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import { getOutboxName } from "../../core/channels/outbox/delivery.ts";
import type { DeliveryStore } from "./store.ts";

export class OutboxStandIns {
  private readonly env: Env;
  private readonly store: DeliveryStore;
  private failures = 0;
  /** After a failure: when to try again. */
  private retryAt = 0;
  private putting: Promise<void> | null = null;

  constructor(env: Env, store: DeliveryStore) {
    this.env = env;
    this.store = store;
  }

  /** Puts what is stored, as far as the calls of one run reach. Never throws: what fails is put the next time. */
  async put(): Promise<void> {
    this.putting ??= this.putAll().finally(() => {
      this.putting = null;
    });
    await this.putting;
  }

  /** When to put next; null: nothing is there. */
  nextAt(now: number): number | null {
    if (this.store.handed(1).length === 0) return null;
    return this.putting === null ? Math.max(now, this.retryAt) : now + computeSendDelayMs(1);
  }

  private async putAll(): Promise<void> {
    const calls = new CallBudget();
    try {
      for (
        let handed = this.store.handed(calls.getRoom());
        handed.length > 0;
        handed = this.store.handed(calls.getRoom())
      ) {
        for (const { number, delivery } of handed) {
          calls.count();
          await outboxesFromEnv(this.env)(getOutboxName(delivery)).put([delivery]);
          this.store.dropHanded(number);
        }
      }
      this.failures = 0;
      this.retryAt = 0;
    } catch (thrown) {
      this.failures += 1;
      this.retryAt = Date.now() + computeSendDelayMs(this.failures);
      console.error("what stands in the stead of a dead delivery waits", thrown);
    }
  }
}
