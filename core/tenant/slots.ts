/**
 * The places of a tenant: how many of its tasks run at once, who waits for one, and for whom one is kept. Places are
 * stored with their tasks; the queue is not, since a task that waits asks again by itself.
 *
 * Fair between the tenant's API keys: a free place goes to the waiting key that has the fewest, in turns where several
 * have as few. A task that runs for long keeps no key out: when it asks again it makes room for a key that waits and has
 * none, or at least two fewer than its own key. So the keys that wait end with places that differ by one at most, and
 * where there are more keys than places, the keys take turns.
 */
import { FairQueue } from "./fair-queue.ts";

/** How long a place is kept for a task that was called. */
export const OFFER_MS = 2000;

/** A task that holds a place, and the key that its tree was made with. */
interface Holder {
  readonly task: string;
  readonly key: string | null;
}

export class Places {
  /** The key of each task that holds a place. */
  private readonly holders = new Map<string, string>();
  private readonly line = new FairQueue();
  /** The tasks that were called: until when a place is kept for each, and its key. */
  private readonly offers = new Map<string, { readonly until: number; readonly key: string }>();
  /** How many places each key has, those that are kept for its tasks included. */
  private readonly counts = new Map<string, number>();
  private called: string[] = [];

  /** `holders` are the tasks that hold a place from before. */
  constructor(holders: Iterable<Holder>) {
    for (const { task, key } of holders) this.hold(task, nameOf(key));
  }

  /** How many places are held. */
  get held(): number {
    return this.holders.size;
  }

  /** True while a task runs or waits for a place. */
  get isInUse(): boolean {
    return this.holders.size + this.offers.size + this.line.size > 0;
  }

  /**
   * Asks for a place, of which there are `share`. True: the task holds one now. A task that holds one keeps it, unless
   * more are held than there are, or another key is owed it; then it gives its own back and stands in line like everyone.
   */
  ask(task: string, key: string | null, share: number, now: number): boolean {
    if (this.holders.has(task)) {
      if (this.holders.size <= share) {
        this.serve(share, now);
        if (!this.owesPlace(task)) return true;
        // Who comes next is chosen while this key still counts with all of its places: it is never the same key.
        this.offerNext(now);
      }
      this.free(task);
    } else if (this.offers.has(task)) {
      this.free(task);
      this.hold(task, nameOf(key));
      return true;
    }
    this.line.join(task, key);
    this.serve(share, now);
    if (!this.offers.has(task)) return false;
    this.free(task);
    this.called = this.called.filter((other) => other !== task);
    this.hold(task, nameOf(key));
    return true;
  }

  /** The task wants no place any more. */
  leave(task: string): void {
    this.free(task);
    this.line.leave(task);
  }

  /** Keeps every free place for the next in line, and gives those that are to be called for it, each once. */
  toCall(share: number, now: number): string[] {
    this.serve(share, now);
    const { called } = this;
    this.called = [];
    return called;
  }

  /** When the next place that is kept for somebody is free again; null: none is kept. */
  nextOfferEndsAt(): number | null {
    const [first] = this.offers.values();
    return first?.until ?? null;
  }

  /** True when a key waits that has no place, or at least two fewer than the key of this holder. */
  private owesPlace(task: string): boolean {
    const own = this.countOf(this.holders.get(task) ?? "");
    for (const key of this.line.waitingKeys()) {
      const count = this.countOf(key);
      if (count === 0 || count < own - 1) return true;
    }
    return false;
  }

  private serve(share: number, now: number): void {
    for (const [task, { until }] of this.offers) if (until <= now) this.free(task);
    while (this.holders.size + this.offers.size < share) if (!this.offerNext(now)) return;
  }

  /** False: nobody waits. */
  private offerNext(now: number): boolean {
    const next = this.line.next((key) => this.countOf(key));
    if (next === null) return false;
    this.offers.set(next.task, { until: now + OFFER_MS, key: next.key });
    this.count(next.key, 1);
    this.called.push(next.task);
    return true;
  }

  private hold(task: string, key: string): void {
    this.holders.set(task, key);
    this.count(key, 1);
  }

  /** Takes back what the task holds, or what is kept for it. */
  private free(task: string): void {
    const key = this.holders.get(task) ?? this.offers.get(task)?.key;
    if (key === undefined) return;
    this.holders.delete(task);
    this.offers.delete(task);
    this.count(key, -1);
  }

  private count(key: string, change: number): void {
    const count = this.countOf(key) + change;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }

  private countOf(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}

/** Tasks that no key was given for share a turn. */
function nameOf(key: string | null): string {
  return key ?? "";
}
