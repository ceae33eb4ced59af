/**
 * The queue of an outbox: which delivery is sent next, what follows each outcome, and how it recovers from a crash.
 * Pure: the store saves every change before anything is sent, and every method is synchronous.
 */
import { type Attempt, type Delivery, isReplayable, MAX_CONTENT_CHARACTERS } from "./delivery.ts";
import {
  applyOutcome,
  createRow,
  boundWait,
  startAttempt,
  getPossiblySentSince,
  type Outcome,
  type QueuedDelivery,
  replayDelivery,
  cancelDelivery,
} from "./rules.ts";
import type { JsonState } from "../../tool/tool.ts";

/** Deliveries that are sent concurrently, each of another partition. */
const MAX_CONCURRENT = 8;
/** While a delivery is being sent, the object checks again after this time, and so recovers after a crash. */
const RECHECK_MS = 2000;
/** Limit of a stored reason. */
const MAX_WHY_CHARACTERS = 500;

/** The storage of an outbox. */
export interface OutboxStore {
  row(id: string): QueuedDelivery | null;
  /** Adds a delivery with its fallbacks, at the end or in place of another one. */
  add(row: QueuedDelivery, delivery: Delivery, inPlaceOf: string | null): void;
  save(row: QueuedDelivery): void;
  /** The waiting delivery of this slot that surely was not sent. */
  findInSlot(lane: string, slot: string): QueuedDelivery | null;
  listWaiting(about: string): readonly QueuedDelivery[];
  listSending(): readonly QueuedDelivery[];
  /**
   * The first due delivery whose partition is free: no earlier one is being sent or waits for a retry. Deliveries of
   * kind `event` block nothing.
   */
  nextDue(now: number): QueuedDelivery | null;
  /** When the next delivery becomes due after `now`; null without one. */
  nextDueAt(now: number): number | null;
  delivery(id: string): Delivery;
  recordStart(id: string, attempt: number, at: number): void;
  recordEnd(id: string, attempt: number, at: number, outcome: Outcome["kind"], why: string | null): void;
  saveRef(name: string, value: JsonState, at: number): void;
  refs(names: readonly string[]): Readonly<Record<string, JsonState>>;
  recordCancellation(about: string, at: number): void;
  cancelledAt(about: string): number | null;
  /** Nothing is sent before this time. */
  pausedUntil(): number;
  pause(until: number): void;
  /** Puts a dead delivery's fallbacks into their outboxes. */
  sendFallbacks(id: string): void;
}

/** A delivery whose attempt has started. */
export interface StartedAttempt {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

export class OutboxQueue {
  private readonly store: OutboxStore;

  constructor(store: OutboxStore) {
    this.store = store;
  }

  /** Stores a delivery. Putting it again can only make it earlier. */
  put(delivery: Delivery, now: number): void {
    const before = this.store.row(delivery.id);
    if (before !== null) {
      const { notBefore } = delivery;
      const isSooner = before.state === "waiting" && before.attempts === 0 && notBefore < before.notBefore;
      if (isSooner) this.store.save({ ...before, notBefore, dueAt: notBefore });
      return;
    }
    const row = createRow(delivery, now);
    const offAt = isCancellable(row) ? this.store.cancelledAt(row.about) : null;
    if (offAt !== null && row.createdAt < offAt) {
      this.store.add(cancelDelivery(row, CANCELLED, now), delivery, null);
      return;
    }
    const refused = delivery.refused ?? findSizeProblem(delivery);
    if (refused !== null) {
      const content = delivery.refused === undefined ? {} : delivery.content;
      this.store.add(applyOutcome(row, { kind: "dead", why: refused }, now), { ...delivery, content, refused }, null);
      this.store.sendFallbacks(row.id);
      return;
    }
    const older = row.slot === null ? null : this.store.findInSlot(row.lane, row.slot);
    if (older !== null) this.store.save(cancelDelivery(older, REPLACED, now));
    // A newer delivery keeps the back-off of the one it replaces.
    const dueAt = older === null || older.attempts === 0 ? row.dueAt : Math.max(row.dueAt, older.dueAt);
    this.store.add({ ...row, dueAt }, delivery, older?.id ?? null);
  }

  /** Cancels the unsent deliveries about this, and those created before now that are put later. */
  cancel(about: string, now: number): void {
    this.store.recordCancellation(about, now);
    for (const row of this.store.listWaiting(about)) {
      if (isCancellable(row)) this.store.save(cancelDelivery(row, CANCELLED, now));
    }
  }

  /** False if the delivery is unknown, still open, already sent, or undeliverable. */
  replay(id: string, now: number): boolean {
    const row = this.store.row(id);
    if (row === null || !isReplayable(row.state) || this.store.delivery(id).refused !== undefined) return false;
    this.store.save(replayDelivery(row, now));
    return true;
  }

  /** Settles attempts that a crash cut off: stored as being sent, but not running here. */
  recover(isSending: (id: string) => boolean, now: number): void {
    for (const { id, attempts } of this.store.listSending()) {
      if (!isSending(id)) this.settle(id, attempts, { kind: "cut_off", why: "Otto restarted.", byCrash: true }, now);
    }
  }

  /** True when `begin` would start an attempt. */
  canBegin(now: number): boolean {
    return this.next(now) !== null;
  }

  /** Starts the next attempt; null when nothing may be sent now. */
  begin(now: number): StartedAttempt | null {
    const next = this.next(now);
    if (next === null) return null;
    const row = startAttempt(next, now);
    this.store.save(row);
    this.store.recordStart(row.id, row.attempts, now);
    const delivery = this.store.delivery(row.id);
    const { attempts: number, mayHaveLeft, mayBeInPart } = row;
    const since = getPossiblySentSince(row);
    const refs = this.store.refs(delivery.refs);
    const earlier = {
      ...(since !== null && { mayHaveLeftSince: since }),
      ...(mayBeInPart === true && { mayBeInPart }),
    };
    return { delivery, attempt: { number, mayHaveLeft, ...earlier, refs } };
  }

  /**
   * Records the end of an attempt. A late "sent" of an attempt that was given up as cut off counts until the next one
   * starts.
   */
  settle(id: string, attempt: number, outcome: Outcome, now: number): void {
    const row = this.store.row(id);
    if (row === null || row.attempts !== attempt) return;
    if (row.state !== "sending" && !(row.state === "waiting" && outcome.kind === "sent")) return;
    const after = this.cancelIfRequested(applyOutcome(row, truncateReason(outcome), now), now);
    this.store.save(after);
    this.store.recordEnd(id, attempt, now, outcome.kind, after.why);
    if (outcome.kind === "sent" && row.keepAs !== null && outcome.ref !== null)
      this.store.saveRef(row.keepAs, outcome.ref, now);
    if (outcome.kind === "later" && outcome.pausesAllMs !== undefined)
      this.store.pause(Math.max(this.store.pausedUntil(), now + boundWait(outcome.pausesAllMs)));
    if (after.state === "dead") this.store.sendFallbacks(id);
  }

  /** When to check again; null when nothing waits. */
  nextAt(now: number): number | null {
    if (this.store.listSending().length > 0) return now + RECHECK_MS;
    const until = this.store.pausedUntil();
    const dueAt = this.store.nextDue(now) === null ? this.store.nextDueAt(now) : now;
    return dueAt === null ? null : Math.max(dueAt, until);
  }

  private next(now: number): QueuedDelivery | null {
    if (this.store.pausedUntil() > now || this.store.listSending().length >= MAX_CONCURRENT) return null;
    return this.store.nextDue(now);
  }

  /** A delivery that was cancelled during its attempt is not retried. */
  private cancelIfRequested(row: QueuedDelivery, now: number): QueuedDelivery {
    if (row.state !== "waiting" || !isCancellable(row)) return row;
    const offAt = this.store.cancelledAt(row.about);
    return offAt === null || offAt < row.askedAt ? row : cancelDelivery(row, CANCELLED, now);
  }
}

const CANCELLED = "What it was about has ended.";
const REPLACED = "A later delivery replaced it.";

/** A `settled` delivery reports the end of what it is about, so that end does not cancel it. */
function isCancellable(row: QueuedDelivery): row is QueuedDelivery & { readonly about: string } {
  return row.about !== null && row.kind !== "settled";
}

function findSizeProblem({ content }: Delivery): string | null {
  const characters = JSON.stringify(content).length;
  return characters > MAX_CONTENT_CHARACTERS
    ? `Its content is longer than ${MAX_CONTENT_CHARACTERS} characters.`
    : null;
}

function truncateReason(outcome: Outcome): Outcome {
  return outcome.kind === "sent" ? outcome : { ...outcome, why: outcome.why.slice(0, MAX_WHY_CHARACTERS) };
}
