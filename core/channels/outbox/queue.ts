/**
 * An outbox at work: which delivery leaves next, what comes of what happened to it, and what a crash leaves behind. Pure: the
 * store keeps every change before anything leaves, and every method is one synchronous piece of work.
 */
import { type Attempt, type Delivery, isReplayable, MAX_CONTENT_CHARACTERS } from "./delivery.ts";
import {
  afterAttempt,
  asked,
  askedWait,
  begun,
  mayHaveLeftSince,
  type Outcome,
  type QueuedDelivery,
  replayed,
  withdrawn,
} from "./rules.ts";
import type { JsonState } from "../../tool/tool.ts";

/** Deliveries that are sent at the same time; each is of another lane. */
const AT_ONCE = 8;
/** While something is sent the object looks after this long: after a crash that is when it goes on. */
const GUARD_MS = 2000;
/** Characters of what an attempt said that are kept. */
const MAX_WHY_CHARACTERS = 500;

/** What an outbox keeps. */
export interface OutboxStore {
  row(id: string): QueuedDelivery | null;
  /** Keeps a delivery behind all others, or in the place of another, with what leaves in its stead when it is dead. */
  add(row: QueuedDelivery, delivery: Delivery, inPlaceOf: string | null): void;
  save(row: QueuedDelivery): void;
  /** The one that waits in this slot and surely has not left. */
  inSlot(lane: string, slot: string): QueuedDelivery | null;
  waitingAbout(about: string): readonly QueuedDelivery[];
  sending(): readonly QueuedDelivery[];
  /**
   * The first that waits and is due, with nothing before it in its lane: neither one that is being sent, nor one that waits to be
   * tried again (those of kind `event` hold up nothing).
   */
  nextDue(now: number): QueuedDelivery | null;
  /** When the next one becomes due after `now`; null: none does. */
  nextDueAt(now: number): number | null;
  delivery(id: string): Delivery;
  noteBegun(id: string, attempt: number, at: number): void;
  noteEnded(id: string, attempt: number, at: number, outcome: Outcome["kind"], why: string | null): void;
  keepRef(name: string, value: JsonState, at: number): void;
  refs(names: readonly string[]): Readonly<Record<string, JsonState>>;
  noteCalledOff(about: string, at: number): void;
  calledOffAt(about: string): number | null;
  /** Nothing leaves before. */
  pausedUntil(): number;
  pause(until: number): void;
  /** What is to be put in the stead of a dead delivery goes to its outboxes from now on. */
  handOver(id: string): void;
}

/** A delivery whose attempt has begun. */
export interface Leaving {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

export class OutboxQueue {
  private readonly store: OutboxStore;

  constructor(store: OutboxStore) {
    this.store = store;
  }

  /** Keeps a delivery. One that was put before changes nothing, but that it leaves at the earlier moment of the two. */
  put(delivery: Delivery, now: number): void {
    const before = this.store.row(delivery.id);
    if (before !== null) {
      const { notBefore } = delivery;
      const isSooner = before.state === "waiting" && before.attempts === 0 && notBefore < before.notBefore;
      if (isSooner) this.store.save({ ...before, notBefore, dueAt: notBefore });
      return;
    }
    const row = asked(delivery, now);
    const offAt = isCalledOffBy(row) ? this.store.calledOffAt(row.about) : null;
    if (offAt !== null && row.createdAt < offAt) {
      this.store.add(withdrawn(row, CALLED_OFF, now), delivery, null);
      return;
    }
    const refused = delivery.refused ?? whyTooLarge(delivery);
    if (refused !== null) {
      const content = delivery.refused === undefined ? {} : delivery.content;
      this.store.add(afterAttempt(row, { kind: "dead", why: refused }, now), { ...delivery, content, refused }, null);
      this.store.handOver(row.id);
      return;
    }
    const older = row.slot === null ? null : this.store.inSlot(row.lane, row.slot);
    if (older !== null) this.store.save(withdrawn(older, REPLACED, now));
    // The back-off of one that was tried holds for the newer one too; one that was only to leave later makes way.
    const dueAt = older === null || older.attempts === 0 ? row.dueAt : Math.max(row.dueAt, older.dueAt);
    this.store.add({ ...row, dueAt }, delivery, older?.id ?? null);
  }

  /** What is about this and has not left never leaves, nor does what was made before now and is put later. */
  callOff(about: string, now: number): void {
    this.store.noteCalledOff(about, now);
    for (const row of this.store.waitingAbout(about)) {
      if (isCalledOffBy(row)) this.store.save(withdrawn(row, CALLED_OFF, now));
    }
  }

  /** False: there is none such, or it is not over, or it has left, or it never can. */
  replay(id: string, now: number): boolean {
    const row = this.store.row(id);
    if (row === null || !isReplayable(row.state) || this.store.delivery(id).refused !== undefined) return false;
    this.store.save(replayed(row, now));
    return true;
  }

  /** What is stored as being sent, and which nobody here sends, was cut off by a crash. */
  recover(isSending: (id: string) => boolean, now: number): void {
    for (const { id, attempts } of this.store.sending()) {
      if (!isSending(id)) this.settle(id, attempts, { kind: "cut_off", why: "Otto restarted.", byCrash: true }, now);
    }
  }

  /** True when `begin` would begin an attempt. */
  canBegin(now: number): boolean {
    return this.next(now) !== null;
  }

  /** Begins the next attempt; null: nothing may leave now. */
  begin(now: number): Leaving | null {
    const next = this.next(now);
    if (next === null) return null;
    const row = begun(next, now);
    this.store.save(row);
    this.store.noteBegun(row.id, row.attempts, now);
    const delivery = this.store.delivery(row.id);
    const { attempts: number, mayHaveLeft, mayBeInPart } = row;
    const since = mayHaveLeftSince(row);
    const refs = this.store.refs(delivery.refs);
    const told = { ...(since !== null && { mayHaveLeftSince: since }), ...(mayBeInPart === true && { mayBeInPart }) };
    return { delivery, attempt: { number, mayHaveLeft, ...told, refs } };
  }

  /** An attempt ended. One that was given up for cut off, and says late that it did leave, is heard until the next begins. */
  settle(id: string, attempt: number, outcome: Outcome, now: number): void {
    const row = this.store.row(id);
    if (row === null || row.attempts !== attempt) return;
    if (row.state !== "sending" && !(row.state === "waiting" && outcome.kind === "sent")) return;
    const after = this.unlessCalledOff(afterAttempt(row, shortened(outcome), now), now);
    this.store.save(after);
    this.store.noteEnded(id, attempt, now, outcome.kind, after.why);
    if (outcome.kind === "sent" && row.keepAs !== null && outcome.ref !== null)
      this.store.keepRef(row.keepAs, outcome.ref, now);
    if (outcome.kind === "later" && outcome.pausesAllMs !== undefined)
      this.store.pause(Math.max(this.store.pausedUntil(), now + askedWait(outcome.pausesAllMs)));
    if (after.state === "dead") this.store.handOver(id);
  }

  /** When to look again; null: nothing is left. */
  nextAt(now: number): number | null {
    if (this.store.sending().length > 0) return now + GUARD_MS;
    const until = this.store.pausedUntil();
    const dueAt = this.store.nextDue(now) === null ? this.store.nextDueAt(now) : now;
    return dueAt === null ? null : Math.max(dueAt, until);
  }

  private next(now: number): QueuedDelivery | null {
    if (this.store.pausedUntil() > now || this.store.sending().length >= AT_ONCE) return null;
    return this.store.nextDue(now);
  }

  /** One that was called off while an attempt was under way is not tried again. */
  private unlessCalledOff(row: QueuedDelivery, now: number): QueuedDelivery {
    if (row.state !== "waiting" || !isCalledOffBy(row)) return row;
    const offAt = this.store.calledOffAt(row.about);
    return offAt === null || offAt < row.askedAt ? row : withdrawn(row, CALLED_OFF, now);
  }
}

const CALLED_OFF = "What it was about is over.";
const REPLACED = "A later one took its place.";

/** `settled` says how what it is about ended: that does not call it off. */
function isCalledOffBy(row: QueuedDelivery): row is QueuedDelivery & { readonly about: string } {
  return row.about !== null && row.kind !== "settled";
}

function whyTooLarge({ content }: Delivery): string | null {
  const characters = JSON.stringify(content).length;
  return characters > MAX_CONTENT_CHARACTERS ? `Its content is over ${MAX_CONTENT_CHARACTERS} characters.` : null;
}

function shortened(outcome: Outcome): Outcome {
  return outcome.kind === "sent" ? outcome : { ...outcome, why: outcome.why.slice(0, MAX_WHY_CHARACTERS) };
}
