/**
 * Decides what follows an attempt that failed or has no answer: run it again, look it up, leave it unknown, or end it. One rule
 * for the task's recovery, the gateway's own retries, tools that retry, inboxes, outboxes, schedules and indexes. What differs
 * between them are facts: the rows of `FACTS`.
 *
 * 1. An attempt that may have taken effect is repeated only while that is safe: nothing changes outside (`none`), or the
 *    receiver still remembers the key of the first attempt (`keyed`).
 * 2. Once an attempt may have taken effect, the outcome is confirmed or unknown, never failed.
 */
import { ERRORS, type Failure, surelyNotSent, wasAnswered } from "../base/errors.ts";
import { isUnanswered } from "../base/unanswered.ts";
import type { EffectClass, EffectTerms } from "../tool/tool.ts";
import { DEFAULT_KEYED_FOR_MS } from "../web/idempotent-hosts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Key lifetime of what Otto stores itself: files (`durable-objects/sandbox/store.ts`), memories and reminders (their ids come from the key). */
export const OWN_KEYED_FOR_MS = 30 * DAY_MS;
/** Key lifetime of Resend, in ms. https://resend.com/docs/dashboard/emails/idempotency-keys: keys expire after 24 hours. */
export const RESEND_KEYED_FOR_MS = DAY_MS;
/**
 * A repeat has to arrive before the key expires, and clocks differ: the last tenth of a lifetime, at most five minutes, is not
 * used. Five minutes is longer than any tool's attempt at a keyed effect outside Otto (`send_email`: four minutes).
 */
const MAX_MARGIN_MS = 5 * MINUTE_MS;

/** The action after an attempt with an unknown outcome. */
export type Recovery = "run" | "probe" | "unknown";

/** An effect that was attempted. */
export interface AttemptedEffect extends EffectTerms {
  /** When the first attempt that may have taken effect began, in ms since the epoch; absent: not known, and long ago. */
  readonly sentAt?: number;
}

/**
 * Returns the action for an effect that was cut off before it settled. `none` runs again; `keyed` runs again within its
 * key's lifetime, counted from the first attempt; after it, and for `probe`, the tool looks up what happened, if it can;
 * anything else may have happened and is never tried again blindly. `now` is when the repeat leaves.
 */
export function chooseRecovery(attempted: AttemptedEffect, now: number): Recovery {
  switch (attempted.effect) {
    case "none":
      return "run";
    case "keyed":
      if (isKeyRemembered(attempted, now)) return "run";
      return attempted.canProbe === true ? "probe" : "unknown";
    case "probe":
      return "probe";
    case "once":
      return "unknown";
  }
}

/** Whether a repeat under the same key that leaves `now` is still recognised. */
function isKeyRemembered({ sentAt, keyedForMs = DEFAULT_KEYED_FOR_MS }: AttemptedEffect, now: number): boolean {
  if (sentAt === undefined) return false;
  return now - sentAt < keyedForMs - Math.min(keyedForMs / 10, MAX_MARGIN_MS);
}

/** What follows a failed attempt. `dead`: it surely did not take effect, and is not tried again. */
export type AfterFailure = "retry" | "dead" | "unknown";

/**
 * What follows a failed attempt. `mayHaveHappened`: this attempt or an earlier one may have taken effect; `isTransient`:
 * another attempt could succeed. `retryAt` is when that one would leave.
 */
export function chooseAfterFailure(
  attempted: AttemptedEffect & { readonly mayHaveHappened: boolean; readonly isTransient: boolean },
  retryAt: number,
): AfterFailure {
  const { mayHaveHappened, isTransient } = attempted;
  const isSafe = !mayHaveHappened || chooseRecovery(attempted, retryAt) === "run";
  return isTransient && isSafe ? "retry" : giveUp(mayHaveHappened);
}

/** How what is not tried again ends. `mayHaveHappened`: an attempt may have taken effect. */
export function giveUp(mayHaveHappened: boolean): Exclude<AfterFailure, "retry"> {
  return mayHaveHappened ? "unknown" : "dead";
}

/** What is known of failures in one place where attempts are made. */
interface Facts {
  /** Another attempt could succeed. `mayHaveHappened`: this one or an earlier one may have taken effect. */
  readonly isTransient: (failure: Failure, mayHaveHappened: boolean) => boolean;
  /** The failed attempt may have taken effect. */
  readonly isLost: (failure: Failure, effect: EffectClass) => boolean;
}

const isRetryable = ({ code }: Failure) => ERRORS[code].retry !== "never";
const never = () => false;

/** Codes of a delivery to Slack that the same request never gets over. */
const FINAL_AT_SLACK: ReadonlySet<Failure["code"]> = new Set([
  "forbidden",
  "not_found",
  "conflict",
  "invalid_input",
  "too_large",
  "gone",
  "blocked_by_policy",
]);
/** Codes of a webhook that a rule forbids, or that cannot be requested. */
const FINAL_FOR_WEBHOOKS: ReadonlySet<Failure["code"]> = new Set(["blocked_by_policy", "invalid_input", "too_large"]);

const FACTS = {
  /** A tool of unknown kind: it says itself when another attempt makes sense. */
  tool_call: {
    isTransient: ({ retryAfterMs }, mayHaveHappened) => mayHaveHappened || retryAfterMs !== undefined,
    isLost: (failure, effect) => effect !== "none" && isAnswerLost(failure),
  },
  /** A mail, of the tool or of an outbox. Providers refuse in their own words: any other end may have sent it. */
  mail: { isTransient: isRetryable, isLost: (failure) => !surelyNotSent(failure) },
  /** The sender looks for what is there before it posts again, so only a failed look-up leaves anything open. */
  slack_delivery: {
    isTransient: ({ code }) => !FINAL_AT_SLACK.has(code),
    isLost: ({ cause }) => cause?.kind === "lookup_failed",
  },
  /** Delivered at least once: receivers tell repeats by the id. */
  webhook_delivery: { isTransient: ({ code }) => !FINAL_FOR_WEBHOOKS.has(code), isLost: never },
  /** What an item makes has ids derived from the item's, so that working it twice makes one. */
  mail_item: { isTransient: isRetryable, isLost: never },
  /** The asker in Slack gets an immediate notice that an approval is needed. */
  slack_item: { isTransient: (failure) => failure.code !== "needs_approval" && isRetryable(failure), isLost: never },
  /** No one receives a notice: a rule that refuses the item can be changed while it waits. */
  webhook_item: { isTransient: () => true, isLost: never },
  /** The task's id is derived from the due time, so that making it twice makes one. A stopped tenant can be started again. */
  schedule_run: {
    isTransient: (failure) => isRetryable(failure) || failure.cause?.kind === "tenant_stopped",
    isLost: isUnanswered,
  },
  schedule_message: { isTransient: isRetryable, isLost: never },
  /** A row of an index that is written again as a whole. Postgres refuses what a row holds with SQLSTATE classes 22 and 23. */
  index_row: {
    isTransient: ({ code, cause }) => code !== "invalid_input" && code !== "conflict" && cause?.kind !== "constraint",
    isLost: never,
  },
} as const satisfies Record<string, Facts>;

/** A place where attempts are made. */
type FailurePlace = keyof typeof FACTS;

/** The attempt that failed, and when the next one would leave. */
export interface FailedAttempt extends AttemptedEffect {
  /** An earlier attempt may have taken effect. */
  readonly mayHaveHappened: boolean;
  readonly retryAt: number;
}

/** What follows a failure. `isLost`: this attempt may have taken effect; `mayHaveHappened`: this or an earlier one. */
interface FailureDecision {
  readonly next: AfterFailure;
  readonly isLost: boolean;
  readonly mayHaveHappened: boolean;
}

/** Repeating it does no harm: its receiver, or its sender, tells a repeat from a new one. */
const REPEATABLE: FailedAttempt = { effect: "none", mayHaveHappened: false, retryAt: 0 };

/** Decides what follows a failure. Without an attempt: of what can be repeated at any time. */
export function decideAfterFailure(
  place: FailurePlace,
  failure: Failure,
  attempt: FailedAttempt = REPEATABLE,
): FailureDecision {
  const { retryAt, ...attempted } = attempt;
  const facts: Facts = FACTS[place];
  const isLost = facts.isLost(failure, attempted.effect);
  const mayHaveHappened = attempted.mayHaveHappened || isLost;
  const isTransient = facts.isTransient(failure, mayHaveHappened);
  return { next: chooseAfterFailure({ ...attempted, mayHaveHappened, isTransient }, retryAt), isLost, mayHaveHappened };
}

/** True when another attempt at what can be repeated at any time may succeed. */
export function canRetry(place: Exclude<FailurePlace, "tool_call" | "mail">, failure: Failure): boolean {
  return decideAfterFailure(place, failure).next === "retry";
}

/** True when the answer was lost on the way, so that the effect may have happened. */
export function isAnswerLost(failure: Failure): boolean {
  const isAmbiguous = failure.code === "timeout" || failure.code === "upstream_failed" || failure.code === "internal";
  return isAmbiguous && !surelyNotSent(failure) && !wasAnswered(failure);
}

/** The effect class at a receiver with this key lifetime, in ms; null when it honours no key. */
export function effectOfReceiver(keyedForMs: number | null): EffectTerms {
  return keyedForMs === null ? { effect: "once" satisfies EffectClass } : { effect: "keyed", keyedForMs };
}
