/**
 * The places of a tenant: how many of its tasks run at once, who waits for one, and for whom one is kept. Places are
 * stored with their tasks; the queue is not, since a task that waits asks again by itself.
 */
import { FairQueue } from "./fair-queue.ts";

/** How long a place is kept for a task that was called. */
export const OFFER_MS = 2000;

export class Places {
  private readonly holders: Set<string>;
  private readonly line = new FairQueue();
  /** Until when a place is kept for a task that was called. */
  private readonly offers = new Map<string, number>();
  private called: string[] = [];

  /** `holders` are the tasks that hold a place from before. */
  constructor(holders: Iterable<string>) {
    this.holders = new Set(holders);
  }

  /** True while a task runs or waits for a place. */
  get isInUse(): boolean {
    return this.holders.size + this.offers.size + this.line.size > 0;
  }

  /**
   * Asks for a place, of which there are `share`. True: the task holds one now. A task that holds one keeps it, unless
   * more are held than there are; then it gives its own back and stands in line like everyone.
   */
  ask(task: string, key: string | null, share: number, now: number): boolean {
    if (this.holders.has(task)) {
      if (this.holders.size <= share) return true;
      this.holders.delete(task);
    } else if (this.offers.delete(task)) {
      this.holders.add(task);
      return true;
    }
    this.line.join(task, key);
    this.serve(share, now);
    if (!this.offers.delete(task)) return false;
    this.called = this.called.filter((other) => other !== task);
    this.holders.add(task);
    return true;
  }

  /** The task wants no place any more. */
  leave(task: string): void {
    this.holders.delete(task);
    this.offers.delete(task);
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
    return first ?? null;
  }

  private serve(share: number, now: number): void {
    for (const [task, until] of this.offers) if (until <= now) this.offers.delete(task);
    while (this.holders.size + this.offers.size < share) {
      const task = this.line.next();
      if (task === null) return;
      this.offers.set(task, now + OFFER_MS);
      this.called.push(task);
    }
  }
}
