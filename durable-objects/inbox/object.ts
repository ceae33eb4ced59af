/**
 * The items received from one source, stored until they are processed. An item and an alarm are stored before the
 * caller gets a reply, and the alarm processes the item. So a crash only delays it, and no request waits for the
 * processing of its item.
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
  getReceiveTimeoutMs,
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

/** An interrupted item is processed again this long after a crash. */
const GUARD_MS = 1_000;
/** Expiry is rounded up to the hour, so that one alarm deletes everything that expires in that hour. */
const EXPIRE_EVERY_MS = 3_600_000;
const MAX_PAGE = 200;

export class InboxObject extends DurableObject<Env> implements InboxRpc {
  private readonly store = new InboxStore(this.ctx.storage, this.ctx.id.name);
  /** The partitions being processed, and whether their item is a retry. Erasing replaces the map. */
  private running = new Map<string, boolean>();
  private readonly alarmClock = new Alarm(this.ctx.storage);
  private rateWindow: RateWindow | null = null;
  private repeatWindow: RateWindow | null = null;

  async take(item: InboxItem): Promise<TakeResult> {
    const validated = validateItem(item);
    if (!validated.ok) throw new RangeError(validated.error.message);
    const known = this.store.findState(item.id, 0);
    if (known !== null) {
      this.recordRepeat(item);
      return { isNew: false, isOver: known === "done" || known === "refused" };
    }
    if (this.store.countWaiting() >= MAX_WAITING) return { isNew: false, retryAfterMs: FULL_RETRY_MS };
    const now = Date.now();
    const retryAfterMs = this.countItem(now);
    if (retryAfterMs !== null) return { isNew: false, retryAfterMs };
    this.store.put(item, now);
    this.arm();
    return { isNew: true };
  }

  async stateOf(id: string, since: number): Promise<ReceivedState | null> {
    return this.store.findState(id, since);
  }

  async again(id: string): Promise<void> {
    if (this.store.findState(id, 0) !== "dead") return;
    this.store.requeue(id, Date.now());
    this.arm();
  }

  async received({ limit, ...page }: ReceivedPage): ReturnType<InboxRpc["received"]> {
    const most = Math.min(limit, MAX_PAGE);
    const found = this.store.readReceived({ ...page, limit: most + 1 });
    const listed = found.slice(0, most);
    const items = listed.map(({ seq: _, ...item }) => item);
    return { items, next: found.length > most ? (listed.at(-1)?.seq ?? null) : null };
  }

  async keepRecord(record: InboxRecord): Promise<void> {
    if ((this.store.readRecord()?.version ?? 0) <= record.version) this.store.storeRecord(record);
  }

  async record(): Promise<InboxRecord | null> {
    return this.store.readRecord();
  }

  async poke(): Promise<void> {
    this.alarmClock.invalidate();
    this.startDue(new CallBudget());
    this.arm();
  }

  async erase(): Promise<void> {
    this.running = new Map();
    this.alarmClock.set(null);
    this.rateWindow = null;
    this.repeatWindow = null;
    await this.store.erase();
  }

  override async alarm(): Promise<void> {
    const work = async (): Promise<void> => {
      this.store.deleteExpired(Date.now());
      this.startDue(new CallBudget());
    };
    await this.alarmClock.run(`inbox ${this.ctx.id.toString()}`, work, () => this.arm());
  }

  /**
   * Counts an item against the record's rate limit. Returns null when it is accepted, else the delay before a retry.
   */
  private countItem(now: number): number | null {
    const record = this.store.readRecord();
    if (record === null) return null;
    const counted = countRequest(this.rateWindow, record.perMinute, now);
    this.rateWindow = counted.window;
    return counted.retryAfterMs;
  }

  /** Adds a repeat to the list of received items. Beyond `MAX_REPEATS_PER_MINUTE`, repeats are not listed. */
  private recordRepeat({ id, repeatId, kind, receivedAt }: InboxItem): void {
    if (repeatId === undefined) return;
    const now = Date.now();
    const counted = countRequest(this.repeatWindow, MAX_REPEATS_PER_MINUTE, now);
    this.repeatWindow = counted.window;
    if (counted.retryAfterMs !== null) return;
    this.store.putRepeat({ id: repeatId, of: id, kind, receivedAt }, now);
    this.arm();
  }

  /** Starts due items until this run's call budget is used. Only the alarm and the sweep start a run. */
  private startDue(calls: CallBudget): void {
    for (const one of this.findDue()) {
      if (!calls.hasRoom()) return;
      calls.count();
      void this.run(one, this.running, calls);
    }
  }

  /** Finds the items that can start now: first the new ones, then retries. */
  private findDue(): DueItem[] {
    const found: DueItem[] = [];
    for (const isNew of [true, false]) {
      const retried = [...this.running.values()].filter(Boolean).length;
      const free = MAX_CONCURRENT_PARTITIONS - this.running.size - found.length;
      const room = isNew ? free : Math.min(free, MAX_CONCURRENT_RETRIES - retried);
      if (room <= 0) continue;
      const due = this.store.readDue(Date.now(), MAX_CONCURRENT_PARTITIONS + this.running.size, isNew);
      found.push(...due.filter(({ item: { lane } }) => !this.running.has(lane)).slice(0, room));
    }
    return found;
  }

  /** Processes one item, then starts the items that are due. */
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
      console.error("an inbox item is a dead letter", this.store.getName(), due.item.id, end.note);
    this.startDue(calls);
    this.arm();
  }

  /** Never throws, and takes at most the time limit of its inbox. */
  private async receive({ item, knows, attempts }: DueItem): Promise<ItemOutcome> {
    const name = this.store.getName();
    const timeoutMs = getReceiveTimeoutMs(name);
    const why = `Nobody answered within ${timeoutMs / 1000} seconds.`;
    const late: ItemOutcome = { kind: "later", afterMs: 0, why, isUnexpected: true };
    try {
      if (name === null) throw new Error("an inbox needs a name");
      const handled = channelsFromEnv(this.env).receive(name, item, knows, JOB_VERSION);
      return await awaitWithin(globalThis, timeoutMs, handled, late);
    } catch (thrown) {
      const { message, details } = toFailure(thrown);
      console.error(
        "an inbox item failed and is retried",
        this.store.getName(),
        item.id,
        attempts + 1,
        message,
        details,
      );
      return { kind: "later", afterMs: 0, why: message, isUnexpected: true };
    }
  }

  /**
   * Sets the one alarm: now for items that can start; in a second for running ones, in case of a crash; or for the next
   * expiry.
   */
  private arm(): void {
    const now = Date.now();
    const recheckAt = Math.max(this.store.nextDueAt() ?? Infinity, now + GUARD_MS);
    const dueAt = this.findDue().length > 0 ? now : recheckAt;
    const expiryAt = Math.ceil((this.store.nextExpiryAt() ?? Infinity) / EXPIRE_EVERY_MS) * EXPIRE_EVERY_MS;
    const at = Math.min(dueAt, expiryAt);
    this.alarmClock.ensureBy(at === Infinity ? null : at);
  }
}
