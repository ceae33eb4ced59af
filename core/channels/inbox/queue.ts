/** The rules of an inbox: what it takes, when an item is tried again, and when that ends. Pure. */
import { failed, ok, type Result } from "../../base/errors.ts";
import { computeBackoffMs } from "../../base/backoff.ts";
import { type Handled, type InboxItem, type ItemHead, type ItemState, MAX_ITEM_CHARACTERS } from "./inbox.ts";

/** Lanes that are worked side by side. */
export const MAX_LANES_AT_ONCE = 10;
/** Of these, those whose item came to nothing before: what hangs again and again leaves room for what is new. */
export const MAX_RETRIED_AT_ONCE = 8;
/** How long one try may take: a runner that hangs holds a place of those above. */
export const RECEIVE_TIMEOUT_MS = 60_000;
/** From the moment at which an item was taken; after that it is dead. */
export const ITEM_LIFETIME_MS = 7 * 86_400_000;
/**
 * Tries that end unexpectedly: the receiver throws, or does not answer. After these, and this long after it was taken, the
 * item is dead, and its lane goes on: what is behind the receiver looks the same when it hangs or is broken for everybody.
 */
export const MAX_FAILURES = 20;
export const MIN_FAILING_MS = 3 * 3_600_000;
/** Items that may wait, those that may be dead, and those that are remembered when they are over; the oldest go first. */
export const MAX_WAITING = 100_000;
export const MAX_DEAD = 1_000;
export const MAX_OVER = 100_000;
/** Most repeats in the list, and most added per minute: senders may repeat without limit, and each entry is a write. */
export const MAX_REPEATS = 1_000;
export const MAX_REPEATS_PER_MINUTE = 60;
/** What is brought to an inbox that holds all that may wait is to be brought again after this. */
export const FULL_RETRY_MS = 60_000;
/** How long an item that is over is remembered by its id, so that it changes nothing when it comes again. */
export const IDS_KEPT_MS = 30 * 86_400_000;
/** How long a lane that brought nothing is remembered. */
export const LANES_KEPT_MS = 90 * 86_400_000;

const MAX_BACKOFF_MS = 60_000;
const MAX_NAME_CHARACTERS = 500;
const MAX_NOTE_CHARACTERS = 1_000;
const MAX_HEAD_CHARACTERS = 200;

/** What became of an item that was tried. */
export type ItemEnd =
  | { readonly kind: "over"; readonly state: Exclude<ItemState, "waiting">; readonly note: string }
  | { readonly kind: "again"; readonly at: number; readonly note: string; readonly failures: number };

/** How the tries of an item went. */
export interface Tries {
  /** Those that ended, the present one included. */
  readonly attempts: number;
  /** Of those before the present one, the ones that ended unexpectedly. */
  readonly failures: number;
  readonly takenAt: number;
}

/** The item, unless it has not the form of one. */
export function judgeItem(item: InboxItem): Result<InboxItem> {
  for (const name of ["id", "lane", "kind"] as const) {
    const { length } = item[name];
    if (length === 0 || length > MAX_NAME_CHARACTERS)
      return failed("invalid_input", `${name} has ${length} characters; it may have 1 to ${MAX_NAME_CHARACTERS}.`, {
        field: name,
      });
  }
  if (!Number.isFinite(item.receivedAt))
    return failed("invalid_input", "receivedAt has to be a moment.", { field: "receivedAt" });
  const { length } = JSON.stringify(item.body);
  if (length <= MAX_ITEM_CHARACTERS) return ok(item);
  return failed("too_large", `The item's body is ${length} characters of JSON; the limit is ${MAX_ITEM_CHARACTERS}.`);
}

/** What becomes of an item. */
export function endOf(handled: Handled, { attempts, failures: before, takenAt }: Tries, now: number): ItemEnd {
  switch (handled.kind) {
    case "done":
      return { kind: "over", state: "done", note: short(handled.note) };
    case "refused":
      return { kind: "over", state: "refused", note: short(handled.why) };
    case "later": {
      const note = short(handled.why);
      const failures = handled.isUnexpected === true ? before + 1 : before;
      if (failures >= MAX_FAILURES && now - takenAt >= MIN_FAILING_MS)
        return { kind: "over", state: "dead", note: short(`It failed ${failures} times. ${handled.why}`) };
      if (now - takenAt >= ITEM_LIFETIME_MS) return { kind: "over", state: "dead", note };
      const afterMs = handled.afterMs > 0 ? handled.afterMs : computeBackoffMs(attempts, MAX_BACKOFF_MS);
      return { kind: "again", at: Math.min(now + afterMs, takenAt + ITEM_LIFETIME_MS), note, failures };
    }
  }
}

/** A head as it is kept. A text that holds half of a surrogate pair is mended: it is shown as JSON. */
export function shortHead({ from, subject }: ItemHead): ItemHead {
  const cut = (text: string | null) => (text === null ? null : text.slice(0, MAX_HEAD_CHARACTERS).toWellFormed());
  return { from: cut(from), subject: cut(subject) };
}

function short(note: string): string {
  return note.slice(0, MAX_NOTE_CHARACTERS);
}
