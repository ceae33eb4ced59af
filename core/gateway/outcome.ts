/**
 * Decides what follows an attempt without an answer: run it again, look it up, or leave it unknown. One rule for the task's
 * recovery, the gateway's own retries, tools that retry and the outboxes.
 *
 * 1. An attempt that may have taken effect is repeated only while that is safe: nothing changes outside (`none`), or the
 *    receiver still remembers the key of the first attempt (`keyed`).
 * 2. Once an attempt may have taken effect, the outcome is confirmed or unknown, never failed.
 */
import { type Failure, surelyNotSent, wasAnswered } from "../errors.ts";
import type { EffectClass, EffectTerms } from "../tool.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Key lifetime of a receiver that states none. An estimate: most document 24 h, the shortest known 30 min. */
export const DEFAULT_KEYED_FOR_MS = 30 * MINUTE_MS;
/** Key lifetime of what Otto stores itself: files (`sandbox-store.ts`), memories and reminders (their ids come from the key). */
export const OWN_KEYED_FOR_MS = 30 * DAY_MS;
/** Key lifetime of Resend, in ms. https://resend.com/docs/dashboard/emails/idempotency-keys: keys expire after 24 hours. */
export const RESEND_KEYED_FOR_MS = DAY_MS;
/** The shortest and the longest key lifetime that a tenant may state, in seconds. */
export const MIN_KEYED_FOR_S = 60;
export const MAX_KEYED_FOR_S = 30 * 86_400;

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
  if (isTransient && isSafe) return "retry";
  return mayHaveHappened ? "unknown" : "dead";
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
