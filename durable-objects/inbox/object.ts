/**
 * What came in from one source, stored until it was worked. What is taken is stored, with an alarm, before the caller has an
 * answer, and the alarm works it: a crash at any moment is a late alarm, and no request waits for what it brought.
 */
import { DurableObject } from "cloudflare:workers";
import { channelsFromEnv } from "../../adapters/env/channels.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import {
  decideNextStep,
  FULL_RETRY_MS,
  validateItem,
  MAX_CONCURRENT_PARTITIONS,
  MAX_REPEATS_PER_MINUTE,
  MAX_CONCURRENT_RETRIES,
  MAX_WAITING,
  RECEIVE_TIMEOUT_MS,
} from "../../core/channels/inbox/queue.ts";
import type {
  ItemOutcome,
  InboxItem,
  InboxRecord,
  InboxRpc,
  ReceivedState,
  ReceivedPage,
  TakeResult,
} from "../../core/channels/inbox/inbox.ts";
import { toFailure } from "../../core/base/errors.ts";
import { countRequest, type RateWindow } from "../../core/tenant/rate-limit.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import { type DueItem, InboxStore } from "./store.ts";
import { Alarm } from "../base/alarm.ts";

/** How long after a crash the object's alarm takes up what was cut off. */
const GUARD_MS = 1_000;
/** Forgetting waits for the end of the hour, so that one alarm forgets all that an hour brought. */
const FORGET_EVERY_MS = 3_600_000;
const MAX_PAGE = 200;

export class InboxObject extends DurableObject<Env> implements InboxRpc {
  private readonly store = new InboxStore(this.ctx.storage, this.ctx.id.name);
  /** The lanes that are worked now, and whether their item was tried before. What is erased meanwhile is in another map. */
  private running = new Map<string, boolean>();
  private readonly wake = new Alarm(this.ctx.storage);
  private window: RateWindow | null = null;
  private repeats: RateWindow | null = null;

  async take(item: InboxItem): Promise<TakeResult> {
    const judged = validateItem(item);
    if (!judged.ok) throw new RangeError(judged.error.message);
    const known = this.store.stateOf(item.id, 0);
    if (known !== null) {
      this.noteRepeat(item);
      return { isNew: false, isOver: known === "done" || known === "refused" };
    }
    if (this.store.waiting() >= MAX_WAITING) return { isNew: false, retryAfterMs: FULL_RETRY_MS };
    const now = Date.now();
    const retryAfterMs = this.count(now);
    if (retryAfterMs !== null) return { isNew: false, retryAfterMs };
    this.store.put(item, now);
    this.arm();
    return { isNew: true };
  }

  async stateOf(id: string, since: number): Promise<ReceivedState | null> {
    return this.store.stateOf(id, since);
  }

  async again(id: string): Promise<void> {
    if (this.store.stateOf(id, 0) !== "dead") return;
    this.store.again(id, Date.now());
    this.arm();
  }

  async received({ limit, ...page }: ReceivedPage): ReturnType<InboxRpc["received"]> {
    const most = Math.min(limit, MAX_PAGE);
    const found = this.store.received({ ...page, limit: most + 1 });
    const shown = found.slice(0, most);
    const items = shown.map(({ seq: _, ...item }) => item);
    return { items, next: found.length > most ? (shown.at(-1)?.seq ?? null) : null };
  }

  async keepRecord(record: InboxRecord): Promise<void> {
    if ((this.store.record()?.version ?? 0) <= record.version) this.store.keepRecord(record);
  }

  async record(): Promise<InboxRecord | null> {
    return this.store.record();
  }

  async poke(): Promise<void> {
    this.wake.doubt();
    this.work(new CallBudget());
    this.arm();
  }

  async erase(): Promise<void> {
    this.running = new Map();
    this.wake.set(null);
    this.window = null;
    this.repeats = null;
    await this.store.erase();
  }

  override async alarm(): Promise<void> {
    this.wake.cleared();
    try {
      this.store.forgetOld(Date.now());
      this.work(new CallBudget());
    } finally {
      this.arm();
    }
  }

  /** Counts an item against what the record allows. Null: it may come in. */
  private count(now: number): number | null {
    const record = this.store.record();
    if (record === null) return null;
    const counted = countRequest(this.window, record.perMinute, now);
    this.window = counted.window;
    return counted.retryAfterMs;
  }

  /** Lists a repeat, at most `MAX_REPEATS_PER_MINUTE` of them. A repeat beyond that is only missing from the list. */
  private noteRepeat({ id, repeatId, kind, receivedAt }: InboxItem): void {
    if (repeatId === undefined) return;
    const now = Date.now();
    const counted = countRequest(this.repeats, MAX_REPEATS_PER_MINUTE, now);
    this.repeats = counted.window;
    if (counted.retryAfterMs !== null) return;
    this.store.putRepeat({ id: repeatId, of: id, kind, receivedAt }, now);
    this.arm();
  }

  /** Begins what is due, as far as the calls of this run reach. Only the alarm and the sweep begin a run. */
  private work(calls: CallBudget): void {
    for (const one of this.findDue()) {
      if (!calls.hasRoom()) return;
      calls.count();
      void this.run(one, this.running, calls);
    }
  }

  /** What can be begun now: first what is new, then what was tried before. */
  private findDue(): DueItem[] {
    const found: DueItem[] = [];
    for (const isNew of [true, false]) {
      const retried = [...this.running.values()].filter(Boolean).length;
      const free = MAX_CONCURRENT_PARTITIONS - this.running.size - found.length;
      const room = isNew ? free : Math.min(free, MAX_CONCURRENT_RETRIES - retried);
      if (room <= 0) continue;
      const due = this.store.due(Date.now(), MAX_CONCURRENT_PARTITIONS + this.running.size, isNew);
      found.push(...due.filter(({ item: { lane } }) => !this.running.has(lane)).slice(0, room));
    }
    return found;
  }

  /** Works one item, and then what is due by now. */
  private async run(due: DueItem, running: Map<string, boolean>, calls: CallBudget): Promise<void> {
    const { lane } = due.item;
    running.set(lane, due.attempts > 0);
    const handled = await this.receive(due);
    running.delete(lane);
    if (running !== this.running) return;
    const now = Date.now();
    const end = decideNextStep(handled, { ...due, attempts: due.attempts + 1 }, now);
    const knows = handled.kind === "later" ? null : (handled.lane ?? null);
    this.store.settle(due, { end, knows, head: handled.head ?? null }, now);
    if (end.kind === "ended" && end.state === "dead")
      console.error("an item of an inbox is dead", this.store.name(), due.item.id, end.note);
    this.work(calls);
    this.arm();
  }

  /** Never throws, and takes at most `RECEIVE_TIMEOUT_MS`. */
  private async receive({ item, knows, attempts }: DueItem): Promise<ItemOutcome> {
    const why = `Nobody answered within ${RECEIVE_TIMEOUT_MS / 1000} seconds.`;
    const late: ItemOutcome = { kind: "later", afterMs: 0, why, isUnexpected: true };
    try {
      const name = this.store.name();
      if (name === null) throw new Error("an inbox is asked by its name");
      const handled = channelsFromEnv(this.env).receive(name, item, knows, JOB_VERSION);
      return await awaitWithin(globalThis, RECEIVE_TIMEOUT_MS, handled, late);
    } catch (thrown) {
      const { message, details } = toFailure(thrown);
      console.error("an item of an inbox waits", this.store.name(), item.id, attempts + 1, message, details);
      return { kind: "later", afterMs: 0, why: message, isUnexpected: true };
    }
  }

  /**
   * Sets the one alarm: at once for what can be begun now; for what is under way, in a second, should it be cut off; or for the
   * next item to forget.
   */
  private arm(): void {
    const now = Date.now();
    const guardAt = Math.max(this.store.nextDueAt() ?? Infinity, now + GUARD_MS);
    const dueAt = this.findDue().length > 0 ? now : guardAt;
    const forgetAt = Math.ceil((this.store.nextForgottenAt() ?? Infinity) / FORGET_EVERY_MS) * FORGET_EVERY_MS;
    const at = Math.min(dueAt, forgetAt);
    this.wake.guard(at === Infinity ? null : at);
  }
}
