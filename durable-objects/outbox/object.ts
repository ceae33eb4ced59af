/**
 * The deliveries to one destination, stored until they are sent. `core/channels/outbox/queue.ts` decides; this object
 * stores, wakes up and sends. An attempt is stored before it starts: after a crash it is repeated, and its sender knows
 * that it may have been sent. Only the alarm and the sweep start attempts, so that a delivery does not lengthen the
 * chain of calls that enqueued it.
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
  PostedQuestion,
} from "../../core/channels/outbox/delivery.ts";
import { type StartedAttempt, OutboxQueue } from "../../core/channels/outbox/queue.ts";
import { getAttemptTimeoutMs, type Outcome, toOutcome } from "../../core/channels/outbox/rules.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import { OutboxRetention } from "./retention.ts";
import { DeliveryIndex } from "./delivery-index.ts";
import { OutboxFallbacks } from "./fallbacks.ts";
import { DeliveryStore, listFailedSince } from "./store.ts";
import { listPostedQuestions } from "./posted-questions.ts";
import { OutboxTables } from "./tables.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { Alarm } from "../base/alarm.ts";

export class OutboxObject extends DurableObject<Env> implements OutboxRpc {
  private readonly tables = new OutboxTables(this.ctx.storage);
  private readonly store = new DeliveryStore(this.tables, () => Date.now());
  private readonly queue = new OutboxQueue(this.store);
  private readonly index = new DeliveryIndex(this.env, this.store, new OutboxRetention(this.tables), () =>
    this.clear(),
  );
  private readonly fallbacks = new OutboxFallbacks(this.env, this.store);
  private readonly alarmClock = new Alarm(this.ctx.storage);
  /** Deliveries that this instance is sending. */
  private readonly sending = new Set<string>();

  async put(deliveries: readonly Delivery[]): Promise<void> {
    const now = Date.now();
    this.tables.change(() => {
      for (const delivery of deliveries) this.queue.put(delivery, now);
    });
    this.arm();
  }

  async callOff(about: string): Promise<void> {
    this.tables.change(() => this.queue.cancel(about, Date.now()));
    this.arm();
  }

  async placesOf(about: string): Promise<readonly DeliveryPlace[]> {
    return this.store.placesOf(about);
  }

  async questionsIn(conversation: string, endedSince: number, limit: number): Promise<readonly PostedQuestion[]> {
    return listPostedQuestions(this.tables, conversation, endedSince, limit);
  }

  async replay(id: string): Promise<boolean> {
    const isReplayed = this.queue.replay(id, Date.now());
    this.arm();
    return isReplayed;
  }

  async replayFailed(since: number | null, limit: number): Promise<{ replayed: number; left: number }> {
    const { ids, left } = listFailedSince(this.tables, since ?? 0, limit);
    const now = Date.now();
    this.tables.change(() => {
      for (const id of ids) this.queue.replay(id, now);
    });
    this.arm();
    return { replayed: ids.length, left };
  }

  async look(id: string): Promise<DeliveryDetails | null> {
    return this.store.look(id);
  }

  async poke(): Promise<void> {
    this.alarmClock.invalidate();
    this.startDue(new CallBudget());
  }

  async erase(): Promise<void> {
    this.clear();
    const gone = this.ctx.storage.deleteAll();
    this.tables.invalidate();
    await gone;
  }

  override async alarm(): Promise<void> {
    this.alarmClock.markUnset();
    this.startDue(new CallBudget());
  }

  /**
   * Sends due deliveries, as many as this run has calls for, and starts the other due jobs in the background. The alarm
   * recovers them.
   */
  private startDue(calls: CallBudget): void {
    const now = Date.now();
    try {
      this.queue.recover((id) => this.sending.has(id), now);
      while (calls.hasRoom()) {
        const next = this.queue.begin(now);
        if (next === null) break;
        calls.count();
        void this.send(next, calls);
      }
      const jobs: Promise<void>[] = [];
      if (isDue(this.fallbacks.nextAt(now), now)) jobs.push(this.fallbacks.enqueuePending());
      if (isDue(this.index.nextAt(now), now)) jobs.push(this.index.sendPending());
      this.arm();
      if (jobs.length === 0) this.alarmClock.clearFailures();
      else void this.finishJobs(jobs);
    } catch (thrown) {
      this.retryLater(thrown);
    }
  }

  /** Never throws. The run has succeeded once its background jobs have. */
  private async finishJobs(jobs: readonly Promise<void>[]): Promise<void> {
    try {
      await Promise.all(jobs);
      this.arm();
      this.alarmClock.clearFailures();
    } catch (thrown) {
      this.retryLater(thrown);
    }
  }

  private retryLater(thrown: unknown): void {
    this.alarmClock.retryLater(`outbox ${this.ctx.id.toString()}`, thrown, () => this.arm());
  }

  private async send({ delivery, attempt }: StartedAttempt, calls: CallBudget): Promise<void> {
    const { id } = delivery;
    this.sending.add(id);
    const answer = this.callSender(delivery, attempt);
    const limitMs = getAttemptTimeoutMs(delivery.channel);
    const outcome = await awaitWithin(globalThis, limitMs, answer, null);
    this.sending.delete(id);
    this.settle(id, attempt, outcome ?? createInterrupted(`It took longer than ${limitMs / 1000} seconds.`));
    if (outcome === null) void answer.then((said) => this.settle(id, attempt, said)).then(() => this.startDue(calls));
    this.startDue(calls);
  }

  /** An error thrown by a sender leaves open whether it sent. */
  private async callSender(delivery: Delivery, attempt: Attempt): Promise<Outcome> {
    try {
      return toOutcome(await channelsFromEnv(this.env).send(delivery, attempt, JOB_VERSION));
    } catch (thrown) {
      console.error("a sender threw", delivery.id, thrown);
      return createInterrupted("Its sender failed unexpectedly.");
    }
  }

  private settle(id: string, { number }: Attempt, outcome: Outcome): void {
    try {
      this.tables.change(() => this.queue.settle(id, number, outcome, Date.now()));
    } catch (thrown) {
      console.error("the outcome of an attempt was not stored", id, thrown);
    }
  }

  private arm(): void {
    const now = Date.now();
    const sendAt = this.queue.canBegin(now) ? now : this.queue.nextAt(now);
    const due = [sendAt, this.fallbacks.nextAt(now), this.index.nextAt(now)];
    const at = Math.min(...due.map((one) => one ?? Infinity));
    this.alarmClock.ensureBy(at === Infinity ? null : at);
  }

  private clear(): void {
    this.tables.clear();
    this.alarmClock.set(null);
  }
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function createInterrupted(why: string): Outcome {
  return { kind: "cut_off", why, byCrash: false };
}
