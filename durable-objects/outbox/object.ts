/**
 * What leaves for one place, stored until it has left. `core/channels/outbox/queue.ts` decides; this stores, wakes up, and
 * sends. An attempt is stored before it begins: one that a crash cuts off is made again, and its sender knows that it may have
 * left. Only the alarm and the sweep begin attempts, so that what is put at the end of a chain of calls does not lengthen it.
 */
import { DurableObject } from "cloudflare:workers";
import { channelsFromEnv } from "../../adapters/env/channels.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import type {
  DeliveryPlace,
  Attempt,
  Delivery,
  DeliveryDetails,
  OutboxRpc,
} from "../../core/channels/outbox/delivery.ts";
import { type StartedAttempt, OutboxQueue } from "../../core/channels/outbox/queue.ts";
import { getAttemptTimeoutMs, type Outcome, toOutcome } from "../../core/channels/outbox/rules.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import { OutboxForgetting } from "./forgetting.ts";
import { OutboxIndex } from "./delivery-index.ts";
import { OutboxStandIns } from "./replacements.ts";
import { DeliveryStore, failedSince } from "./store.ts";
import { OutboxTables } from "./tables.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { Alarm } from "../base/alarm.ts";

/** After the work itself failed. */
const FAILED_RETRY_MS = 1000;

export class OutboxObject extends DurableObject<Env> implements OutboxRpc {
  private readonly tables = new OutboxTables(this.ctx.storage);
  private readonly store = new DeliveryStore(this.tables, () => Date.now());
  private readonly queue = new OutboxQueue(this.store);
  private readonly index = new OutboxIndex(this.env, this.store, new OutboxForgetting(this.tables), () =>
    this.forgetAll(),
  );
  private readonly standIns = new OutboxStandIns(this.env, this.store);
  private readonly wake = new Alarm(this.ctx.storage);
  /** Deliveries that this instance is sending. */
  private readonly sending = new Set<string>();

  async put(deliveries: readonly Delivery[]): Promise<void> {
    const now = Date.now();
    this.tables.atOnce(() => {
      for (const delivery of deliveries) this.queue.put(delivery, now);
    });
    this.arm();
  }

  async callOff(about: string): Promise<void> {
    this.tables.atOnce(() => this.queue.cancel(about, Date.now()));
    this.arm();
  }

  async placesOf(about: string): Promise<readonly DeliveryPlace[]> {
    return this.store.placesOf(about);
  }

  async replay(id: string): Promise<boolean> {
    const isReplayed = this.queue.replay(id, Date.now());
    this.arm();
    return isReplayed;
  }

  async replayFailed(since: number | null, limit: number): Promise<{ replayed: number; left: number }> {
    const { ids, left } = failedSince(this.tables, since ?? 0, limit);
    const now = Date.now();
    this.tables.atOnce(() => {
      for (const id of ids) this.queue.replay(id, now);
    });
    this.arm();
    return { replayed: ids.length, left };
  }

  async look(id: string): Promise<DeliveryDetails | null> {
    return this.store.look(id);
  }

  async poke(): Promise<void> {
    this.wake.doubt();
    this.work(new CallBudget());
  }

  async erase(): Promise<void> {
    this.forgetAll();
    const gone = this.ctx.storage.deleteAll();
    this.tables.doubt();
    await gone;
  }

  override async alarm(): Promise<void> {
    this.wake.cleared();
    this.work(new CallBudget());
  }

  /**
   * Sends what may leave now, as far as the calls of this run reach, and begins what else is due. That continues in the
   * background; the alarm guards it.
   */
  private work(calls: CallBudget): void {
    const now = Date.now();
    try {
      this.queue.recover((id) => this.sending.has(id), now);
      while (calls.hasRoom()) {
        const next = this.queue.begin(now);
        if (next === null) break;
        calls.count();
        void this.send(next, calls);
      }
      if (isDue(this.standIns.nextAt(now), now)) void this.standIns.put().then(() => this.arm());
      if (isDue(this.index.nextAt(now), now)) void this.index.tell().then(() => this.arm());
      this.arm();
    } catch (thrown) {
      console.error("an outbox failed", thrown);
      this.wake.guard(now + FAILED_RETRY_MS);
    }
  }

  private async send({ delivery, attempt }: StartedAttempt, calls: CallBudget): Promise<void> {
    const { id } = delivery;
    this.sending.add(id);
    const answer = this.ask(delivery, attempt);
    const limitMs = getAttemptTimeoutMs(delivery.channel);
    const outcome = await awaitWithin(globalThis, limitMs, answer, null);
    this.sending.delete(id);
    this.settle(id, attempt, outcome ?? cutOff(`It took longer than ${limitMs / 1000} seconds.`));
    if (outcome === null) void answer.then((said) => this.settle(id, attempt, said)).then(() => this.work(calls));
    this.work(calls);
  }

  /** An error that a sender throws does not tell whether it sent. */
  private async ask(delivery: Delivery, attempt: Attempt): Promise<Outcome> {
    try {
      return toOutcome(await channelsFromEnv(this.env).send(delivery, attempt, JOB_VERSION));
    } catch (thrown) {
      console.error("a sender failed", delivery.id, thrown);
      return cutOff("Its sender failed unexpectedly.");
    }
  }

  private settle(id: string, { number }: Attempt, outcome: Outcome): void {
    try {
      this.tables.atOnce(() => this.queue.settle(id, number, outcome, Date.now()));
    } catch (thrown) {
      console.error("the end of an attempt was not stored", id, thrown);
    }
  }

  private arm(): void {
    const now = Date.now();
    const sendAt = this.queue.canBegin(now) ? now : this.queue.nextAt(now);
    const due = [sendAt, this.standIns.nextAt(now), this.index.nextAt(now)];
    const at = Math.min(...due.map((one) => one ?? Infinity));
    this.wake.guard(at === Infinity ? null : at);
  }

  private forgetAll(): void {
    this.tables.empty();
    this.wake.set(null);
  }
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function cutOff(why: string): Outcome {
  return { kind: "cut_off", why, byCrash: false };
}
