/** The rules of an inbox: which items it accepts, when it retries one, and when it gives one up. Pure. */
import { failed, ok, type Result } from "../../base/errors.ts";
import { getOwn } from "../../base/own-field.ts";
import { computeBackoffMs } from "../../base/backoff.ts";
import { type InboxItem, type ItemHead, type ItemState, MAX_ITEM_CHARACTERS, type ItemOutcome } from "./inbox.ts";

/** Partitions that are processed concurrently. */
export const MAX_CONCURRENT_PARTITIONS = 10;
/** Of these, partitions whose item has failed before: failing items leave room for new ones. */
export const MAX_CONCURRENT_RETRIES = 8;
/** Time limit of one attempt: a hanging handler occupies one of the slots above. */
export const RECEIVE_TIMEOUT_MS = 60_000;
/** By the first word of an inbox's name, where an attempt may take longer. */
const LONGER_TIMEOUTS_MS: Readonly<Record<string, number>> = { codebase: 8 * 60_000 };
/** Counted from the item's arrival; then it is dead. */
export const ITEM_LIFETIME_MS = 7 * 86_400_000;
/**
 * An item is dead after this many unexpected failures, at least this long after its arrival. Then its partition
 * continues. The time matters because a hanging handler and an outage for everybody look the same.
 */
export const MAX_FAILURES = 20;
export const MIN_FAILING_MS = 3 * 3_600_000;
/** Limits of waiting, dead and ended items; the oldest are deleted first. */
export const MAX_WAITING = 100_000;
export const MAX_DEAD = 1_000;
export const MAX_ENDED = 100_000;
/** Most repeats in the list, and most added per minute: senders may repeat without limit, and each entry is a write. */
export const MAX_REPEATS = 1_000;
export const MAX_REPEATS_PER_MINUTE = 60;
/** When to retry an item that a full inbox rejected. */
export const FULL_RETRY_MS = 60_000;
/** How long the id of an ended item is stored, to recognise a repeat. */
export const ID_RETENTION_MS = 30 * 86_400_000;
/** How long the state of an idle partition is stored. */
export const PARTITION_RETENTION_MS = 90 * 86_400_000;

const MAX_BACKOFF_MS = 60_000;
const MAX_NAME_CHARACTERS = 500;
const MAX_NOTE_CHARACTERS = 1_000;
const MAX_HEAD_CHARACTERS = 200;

/** What follows an attempt. */
export type NextStep =
  | { readonly kind: "ended"; readonly state: Exclude<ItemState, "waiting">; readonly note: string }
  | { readonly kind: "retry"; readonly at: number; readonly note: string; readonly failures: number };

/** The attempts of an item. */
export interface ItemAttempts {
  /** Ended attempts, the present one included. */
  readonly attempts: number;
  /** Unexpected failures before the present attempt. */
  readonly failures: number;
  readonly takenAt: number;
}

/** The time limit of one attempt at an item of this inbox, in ms. */
export function getReceiveTimeoutMs(inbox: string | null): number {
  return getOwn(LONGER_TIMEOUTS_MS, inbox?.split("/")[0] ?? "") ?? RECEIVE_TIMEOUT_MS;
}

/** Validates the form of an item. */
export function validateItem(item: InboxItem): Result<InboxItem> {
  for (const name of ["id", "lane", "kind"] as const) {
    const { length } = item[name];
    if (length === 0 || length > MAX_NAME_CHARACTERS)
      return failed("invalid_input", `${name} has ${length} characters; it may have 1 to ${MAX_NAME_CHARACTERS}.`, {
        field: name,
      });
  }
  if (!Number.isFinite(item.receivedAt))
    return failed("invalid_input", "receivedAt must be a time.", { field: "receivedAt" });
  const { length } = JSON.stringify(item.body);
  if (length <= MAX_ITEM_CHARACTERS) return ok(item);
  return failed("too_large", `The item's body is ${length} characters of JSON; the limit is ${MAX_ITEM_CHARACTERS}.`);
}

/** Decides what follows an attempt: the item's end, or a retry. */
export function decideNextStep(
  handled: ItemOutcome,
  { attempts, failures: before, takenAt }: ItemAttempts,
  now: number,
): NextStep {
  switch (handled.kind) {
    case "done":
      return { kind: "ended", state: "done", note: truncateNote(handled.note) };
    case "refused":
      return { kind: "ended", state: "refused", note: truncateNote(handled.why) };
    case "later": {
      const note = truncateNote(handled.why);
      const failures = handled.isUnexpected === true ? before + 1 : before;
      if (failures >= MAX_FAILURES && now - takenAt >= MIN_FAILING_MS)
        return { kind: "ended", state: "dead", note: truncateNote(`It failed ${failures} times. ${handled.why}`) };
      if (now - takenAt >= ITEM_LIFETIME_MS) return { kind: "ended", state: "dead", note };
      const afterMs = handled.afterMs > 0 ? handled.afterMs : computeBackoffMs(attempts, MAX_BACKOFF_MS);
      return { kind: "retry", at: Math.min(now + afterMs, takenAt + ITEM_LIFETIME_MS), note, failures };
    }
  }
}

/** Truncates a head for storage. Half a surrogate pair is replaced, because heads are sent as JSON. */
export function truncateHead({ from, subject }: ItemHead): ItemHead {
  const cut = (text: string | null) => (text === null ? null : text.slice(0, MAX_HEAD_CHARACTERS).toWellFormed());
  return { from: cut(from), subject: cut(subject) };
}

function truncateNote(note: string): string {
  return note.slice(0, MAX_NOTE_CHARACTERS);
}
