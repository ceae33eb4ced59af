/**
 * Decides what follows a failed or unanswered attempt: repeat it, probe it, report it as unknown, or give up. One
 * rule for the task's recovery, the gateway's own retries, tools that retry, inboxes, outboxes, schedules and indexes.
 * They differ in the rows of `RULES`.
 *
 * 1. An attempt that may have taken effect is repeated only while that is safe: nothing changes outside (`none`), or
 * the receiver still remembers the key of the first attempt (`keyed`).
 * 2. Once an attempt may have taken effect, the outcome is confirmed or unknown, never failed.
 */
import { ERRORS, type Failure, isNotSent, wasAnswered } from "../base/errors.ts";
import { isUnanswered } from "../base/unanswered.ts";
import type { EffectClass, EffectTerms } from "../tool/tool.ts";
import { DEFAULT_KEYED_FOR_MS } from "../web/idempotent-hosts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Key lifetime of effects inside Otto: files (`durable-objects/sandbox/store.ts`), and memories and reminders, whose
 * ids come from the key.
 */
export const OWN_KEYED_FOR_MS = 30 * DAY_MS;
/** Key lifetime of Resend, in ms. https://resend.com/docs/dashboard/emails/idempotency-keys: keys expire after 24 hours. */
export const RESEND_KEYED_FOR_MS = DAY_MS;
/**
 * The last tenth of a key's lifetime, at most five minutes, is not used: a repeat has to arrive before the key expires,
 * and clocks differ. Five minutes is longer than any attempt of a tool at a keyed effect outside Otto (`send_email`:
 * four minutes).
 */
const MAX_MARGIN_MS = 5 * MINUTE_MS;

/** The action after an attempt with an unknown outcome. */
export type Recovery = "run" | "probe" | "unknown";

/** An effect that was attempted. */
export interface AttemptedEffect extends EffectTerms {
  /**
   * The start of the first attempt that may have taken effect, in ms since the epoch. Absent if unknown, and long ago.
   */
  readonly sentAt?: number;
}

/**
 * Returns the action for an effect that was cut off. `none` runs again. `keyed` runs again within its key's lifetime,
 * counted from the first attempt; after that, and for `probe`, the tool looks up what happened if it can. Anything else
 * may have happened and is not repeated. `now` is the time of the repeat.
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

/** What follows a failed attempt. `dead`: it did not take effect, and is not repeated. */
export type AfterFailure = "retry" | "dead" | "unknown";

/**
 * Decides what follows a failed attempt. `mayHaveHappened`: this attempt or an earlier one may have taken effect;
 * `isTransient`: another attempt could succeed. `retryAt` is the time of that one.
 */
export function chooseAfterFailure(
  attempted: AttemptedEffect & { readonly mayHaveHappened: boolean; readonly isTransient: boolean },
  retryAt: number,
): AfterFailure {
  const { mayHaveHappened, isTransient } = attempted;
  const isSafe = !mayHaveHappened || chooseRecovery(attempted, retryAt) === "run";
  return isTransient && isSafe ? "retry" : giveUp(mayHaveHappened);
}

/** Returns the outcome without a further attempt. `mayHaveHappened`: an attempt may have taken effect. */
export function giveUp(mayHaveHappened: boolean): Exclude<AfterFailure, "retry"> {
  return mayHaveHappened ? "unknown" : "dead";
}

/** How failures of one kind of attempt are judged. */
interface FailureRules {
  /** Another attempt could succeed. `mayHaveHappened`: this one or an earlier one may have taken effect. */
  readonly isTransient: (failure: Failure, mayHaveHappened: boolean) => boolean;
  /** The failed attempt may have taken effect. */
  readonly isLost: (failure: Failure, effect: EffectClass) => boolean;
}

const isRetryable = ({ code }: Failure) => ERRORS[code].retry !== "never";
const never = () => false;

/** Final error codes of a delivery to Slack. */
const FINAL_AT_SLACK: ReadonlySet<Failure["code"]> = new Set([
  "forbidden",
  "not_found",
  "conflict",
  "invalid_input",
  "too_large",
  "gone",
  "blocked_by_policy",
]);
/** Error codes of a webhook that a rule forbids, or that cannot be requested. */
const FINAL_FOR_WEBHOOKS: ReadonlySet<Failure["code"]> = new Set(["blocked_by_policy", "invalid_input", "too_large"]);

const RULES = {
  /** Any tool: it says itself when a retry is useful. */
  tool_call: {
    isTransient: ({ retryAfterMs }, mayHaveHappened) => mayHaveHappened || retryAfterMs !== undefined,
    isLost: (failure, effect) => effect !== "none" && isAnswerLost(failure),
  },
  /**
   * A mail of the tool or of an outbox. Providers' errors differ: any end that is not a clear refusal may have sent it.
   */
  mail: { isTransient: isRetryable, isLost: (failure) => !isNotSent(failure) },
  /** The sender looks for its message before it posts again, so only a failed look-up is ambiguous. */
  slack_delivery: {
    isTransient: ({ code }) => !FINAL_AT_SLACK.has(code),
    isLost: ({ cause }) => cause?.kind === "lookup_failed",
  },
  /** Delivered at least once; receivers recognise a repeat by its id. */
  webhook_delivery: { isTransient: ({ code }) => !FINAL_FOR_WEBHOOKS.has(code), isLost: never },
  /** An item's results have ids derived from its own, so processing it twice is idempotent. */
  mail_item: { isTransient: isRetryable, isLost: never },
  /** The asker in Slack gets an immediate notice that an approval is needed. */
  slack_item: { isTransient: (failure) => failure.code !== "needs_approval" && isRetryable(failure), isLost: never },
  /** Always retried: a rule that refuses the item may change while it waits, and no user is notified. */
  webhook_item: { isTransient: () => true, isLost: never },
  /**
   * The task's id is derived from the due time, so creating it twice is idempotent. A stopped tenant may be released.
   */
  schedule_run: {
    isTransient: (failure) => isRetryable(failure) || failure.cause?.kind === "tenant_stopped",
    isLost: isUnanswered,
  },
  schedule_message: { isTransient: isRetryable, isLost: never },
  /** A row of an index, rewritten as a whole. Postgres refuses invalid values with SQLSTATE classes 22 and 23. */
  index_row: {
    isTransient: ({ code, cause }) => code !== "invalid_input" && code !== "conflict" && cause?.kind !== "constraint",
    isLost: never,
  },
} as const satisfies Record<string, FailureRules>;

/** A kind of attempt. */
type FailurePlace = keyof typeof RULES;

/** The failed attempt, and the time of the next one. */
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

/** A repeat is harmless: its receiver, or its sender, recognises it. */
const REPEATABLE: FailedAttempt = { effect: "none", mayHaveHappened: false, retryAt: 0 };

/** Decides what follows a failure. Without `attempt`, the effect may be repeated at any time. */
export function decideAfterFailure(
  place: FailurePlace,
  failure: Failure,
  attempt: FailedAttempt = REPEATABLE,
): FailureDecision {
  const { retryAt, ...attempted } = attempt;
  const rules: FailureRules = RULES[place];
  const isLost = rules.isLost(failure, attempted.effect);
  const mayHaveHappened = attempted.mayHaveHappened || isLost;
  const isTransient = rules.isTransient(failure, mayHaveHappened);
  return { next: chooseAfterFailure({ ...attempted, mayHaveHappened, isTransient }, retryAt), isLost, mayHaveHappened };
}

/** True when another attempt may succeed, for effects that may be repeated at any time. */
export function canRetry(place: Exclude<FailurePlace, "tool_call" | "mail">, failure: Failure): boolean {
  return decideAfterFailure(place, failure).next === "retry";
}

/** True when the answer was lost, so the effect may have happened. */
export function isAnswerLost(failure: Failure): boolean {
  const isAmbiguous = failure.code === "timeout" || failure.code === "upstream_failed" || failure.code === "internal";
  return isAmbiguous && !isNotSent(failure) && !wasAnswered(failure);
}

/** Returns the effect class at a receiver with this key lifetime, in ms; null if it honours no key. */
export function getReceiverEffect(keyedForMs: number | null): EffectTerms {
  return keyedForMs === null ? { effect: "once" satisfies EffectClass } : { effect: "keyed", keyedForMs };
}
