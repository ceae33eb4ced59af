/**
 * The concurrency slots of a tenant: which tasks hold one, which wait, and which are offered one. Slots are stored with
 * their tasks; the queue is not, because a waiting task asks again.
 *
 * A slot is for work under way. A holder that waits for its model keeps its slot and its lease, but another task may use
 * the place meanwhile: it asks again before its next call. A holder whose permit has expired is in a long call, so it
 * waits too.
 *
 * Slots are fair between the tenant's API keys: a free slot goes to the waiting key with the fewest slots, and keys
 * with equally few take turns. When a long-running task asks again, it yields to a waiting key that has no slot, or at
 * least two fewer than its own key. So the slots of waiting keys differ by one at most, and when there are more keys
 * than slots, the keys take turns.
 *
 * Slots are also reserved for tasks that come with short permits, for a key and not for a task. Such a task takes one with
 * its first report. A reservation expires with the permit.
 */
import { SHORT_PERMIT_MS } from "../task/short-permit.ts";
import { FairQueue } from "./fair-queue.ts";

/** How long a slot is reserved for a called task. */
export const OFFER_MS = 2000;
/** The longest lifetime of a permit. */
export const LONGEST_PERMIT_MS = 6000;

/** What a tenant's tasks may hold now. */
export interface SlotLimits {
  /** Slots for work under way. */
  readonly share: number;
  /** Slots for work and for tasks that wait for their models. */
  readonly held: number;
  /** True for a task that is known to wait for its model. */
  readonly isWaiting: (task: string) => boolean;
}

/** A held slot. `since` is the holder's last request; null after a start, until the first use. */
interface HeldSlot {
  readonly key: string;
  since: number | null;
}

/** A task that holds a slot, and the key of its tree. */
interface Holder {
  readonly task: string;
  readonly key: string | null;
}

export class Slots {
  /** The tasks that hold a slot. */
  private readonly holders = new Map<string, HeldSlot>();
  private readonly queue = new FairQueue();
  /** The called tasks: until when a slot is reserved for each, and its key. */
  private readonly offers = new Map<string, { readonly until: number; readonly key: string }>();
  /** The slots of each key, including reserved ones. */
  private readonly counts = new Map<string, number>();
  private called: string[] = [];
  /** Slots reserved for tasks that come with short permits and have not reported yet; the oldest first. */
  private reserved: { readonly until: number; readonly key: string }[] = [];

  /** `holders` are the tasks that already hold a slot. */
  constructor(holders: Iterable<Holder>) {
    for (const { task, key } of holders) this.hold(task, toKeyName(key), null);
  }

  /** The number of held slots. */
  get heldCount(): number {
    return this.holders.size;
  }

  /** The number of tasks that wait for a slot, or are offered one. */
  get queuedCount(): number {
    return this.offers.size + this.queue.size;
  }

  /** True while an eighth of the slots stays free after `more` are taken, and nobody waits for one. */
  hasSpare(more: number, limits: SlotLimits, now: number): boolean {
    this.releaseExpiredReservations(now);
    if (this.queuedCount > 0) return false;
    const others = this.reserved.length + more;
    const isFree = (count: number): boolean => (count + others) * 8 <= limits.share * 7;
    if (this.holders.size + others > limits.held) return false;
    return isFree(this.holders.size) || isFree(this.countUnderWay(limits, now));
  }

  /** Reserves slots for tasks of a key that come with short permits. False without enough spare slots. */
  reserve(key: string | null, count: number, limits: SlotLimits, now: number): boolean {
    if (!this.hasSpare(count, limits, now)) return false;
    const name = toKeyName(key);
    for (let left = count; left > 0; left -= 1) this.reserved.push({ until: now + SHORT_PERMIT_MS, key: name });
    this.changeCount(name, count);
    return true;
  }

  /**
   * Gives a slot that is reserved for this key to a task that runs. False if none is left, and for a queued task: the
   * reservation belongs to another.
   */
  takeReserved(task: string, key: string | null, now: number): boolean {
    this.releaseExpiredReservations(now);
    if (this.queue.has(task) || this.offers.has(task) || !this.releaseReserved(key)) return false;
    this.hold(task, toKeyName(key), now);
    return true;
  }

  /** Frees a slot that is reserved for this key. False if none is left. */
  releaseReserved(key: string | null): boolean {
    const name = toKeyName(key);
    const at = this.reserved.findIndex((reservation) => reservation.key === name);
    if (at < 0) return false;
    this.reserved.splice(at, 1);
    this.changeCount(name, -1);
    return true;
  }

  /** Counts the holders that work. */
  countUnderWay({ isWaiting }: Pick<SlotLimits, "isWaiting">, now: number): number {
    let count = 0;
    for (const [task, slot] of this.holders) {
      slot.since ??= now;
      if (now - slot.since < LONGEST_PERMIT_MS && !isWaiting(task)) count += 1;
    }
    return count;
  }

  /**
   * Requests a slot. True if the task holds one now. A holder keeps its slot, unless more work is under way than slots
   * exist or its key owes one to another; then it returns its own and joins the queue.
   */
  request(task: string, key: string | null, limits: SlotLimits, now: number): boolean {
    const held = this.holders.get(task);
    if (held !== undefined) {
      held.since = now;
      // The holder itself works, also if an earlier call of it still waits.
      const isWaiting = (other: string): boolean => other !== task && limits.isWaiting(other);
      this.releaseExpiredOffers(now);
      // A slot that is reserved for another task is taken, also if this holder had it before its permit expired.
      if (this.countFree({ ...limits, isWaiting }, now) >= this.offers.size) {
        this.offerFreeSlots({ ...limits, isWaiting }, now);
        if (!this.owesSlot(task)) return true;
        // The next task is chosen while this key still counts all of its slots, so it is never of the same key.
        this.offerNext(now);
      }
      this.releaseSlot(task);
    } else if (this.offers.has(task)) {
      this.releaseSlot(task);
      this.hold(task, toKeyName(key), now);
      return true;
    }
    this.queue.add(task, key);
    this.offerFreeSlots(limits, now);
    if (!this.offers.has(task)) return false;
    this.releaseSlot(task);
    this.called = this.called.filter((other) => other !== task);
    this.hold(task, toKeyName(key), now);
    return true;
  }

  /** Returns the slot of a task, or removes it from the queue. */
  dequeue(task: string): void {
    this.releaseSlot(task);
    this.queue.remove(task);
  }

  /** Reserves every free slot for the next queued tasks, and returns the tasks to call, each once. */
  takeTasksToCall(limits: SlotLimits, now: number): string[] {
    this.offerFreeSlots(limits, now);
    const { called } = this;
    this.called = [];
    return called;
  }

  /** Returns when the next reservation expires; null if nothing is reserved. */
  getNextOfferEnd(): number | null {
    const [first] = this.offers.values();
    return first?.until ?? null;
  }

  /** True when a waiting key has no slot, or at least two fewer than the key of this holder. */
  private owesSlot(task: string): boolean {
    const own = this.getCount(this.holders.get(task)?.key ?? "");
    for (const key of this.queue.waitingKeys()) {
      const count = this.getCount(key);
      if (count === 0 || count < own - 1) return true;
    }
    return false;
  }

  private offerFreeSlots(limits: SlotLimits, now: number): void {
    this.releaseExpiredOffers(now);
    if (this.queue.size === 0) return;
    for (let free = this.countFree(limits, now) - this.offers.size; free > 0; free -= 1)
      if (!this.offerNext(now)) return;
  }

  private releaseExpiredReservations(now: number): void {
    const live = this.reserved.findIndex(({ until }) => until > now);
    const expired = this.reserved.splice(0, live < 0 ? this.reserved.length : live);
    for (const { key } of expired) this.changeCount(key, -1);
  }

  private releaseExpiredOffers(now: number): void {
    for (const [task, { until }] of this.offers) if (until <= now) this.releaseSlot(task);
  }

  /** Counts the slots that nobody holds, below 0 when too many are held. */
  private countFree(limits: SlotLimits, now: number): number {
    this.releaseExpiredReservations(now);
    const free = Math.min(limits.held - this.holders.size, limits.share - this.countUnderWay(limits, now));
    return free - this.reserved.length;
  }

  /** False if the queue is empty. */
  private offerNext(now: number): boolean {
    const next = this.queue.next((key) => this.getCount(key));
    if (next === null) return false;
    this.offers.set(next.task, { until: now + OFFER_MS, key: next.key });
    this.changeCount(next.key, 1);
    this.called.push(next.task);
    return true;
  }

  private hold(task: string, key: string, since: number | null): void {
    this.holders.set(task, { key, since });
    this.changeCount(key, 1);
  }

  /** Frees the slot that the task holds or that is reserved for it. */
  private releaseSlot(task: string): void {
    const key = this.holders.get(task)?.key ?? this.offers.get(task)?.key;
    if (key === undefined) return;
    this.holders.delete(task);
    this.offers.delete(task);
    this.changeCount(key, -1);
  }

  private changeCount(key: string, change: number): void {
    const count = this.getCount(key) + change;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }

  private getCount(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}

/** Tasks without a key share a turn. */
function toKeyName(key: string | null): string {
  return key ?? "";
}
