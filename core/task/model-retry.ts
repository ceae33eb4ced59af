/**
 * Chooses which model to retry after a failure, and when. A model that refuses the request is not retried in this step.
 * After two failures in a row, the next model of the agent's list follows. When every model has failed, the next round
 * begins after a pause of 1 s to 30 s, never before the provider's Retry-After. The task gives up 30 minutes after the
 * first failure.
 */
import type { ModelFailure } from "../ports/model.ts";
import type { ModelTries } from "./state.ts";
import { computeBackoffMs } from "../base/backoff.ts";

const MAX_BACKOFF_MS = 30_000;
const GIVE_UP_AFTER_MS = 30 * 60_000;
/** Failures in a row after which the next model follows. */
const FAILURES_OF_ONE = 2;

/** The next attempt: which model, when, and its counts. */
export interface NextTry {
  readonly model: number;
  readonly until: number;
  readonly tries: ModelTries;
}

/** Plans the attempt after `failure` of the model at index `model` of `models`; null to give up. */
export function planNextTry(
  failure: ModelFailure,
  before: ModelTries,
  { model, models }: { readonly model: number; readonly models: number },
  now: number,
): NextTry | null {
  const firstFailureAt = before.firstFailureAt ?? now;
  const refused = failure.retryable ? before.refused : [...before.refused, model];
  const failures = before.failures + 1;
  const tries: ModelTries = { ...before, firstFailureAt, refused, failures };
  const next = findNextModel(model, models, refused);
  if (next === null) return null;
  const isAlone = next === model;
  if (!isAlone && failure.retryable && failures < FAILURES_OF_ONE) {
    return planPause(tries, model, failures, failure, now);
  }
  const wraps = next <= model;
  const moved = isAlone ? tries : { ...tries, failures: 0, rounds: tries.rounds + (wraps ? 1 : 0) };
  if (!wraps) return { model: next, until: now, tries: moved };
  return planPause(moved, next, isAlone ? failures : moved.rounds, failure, now);
}

/** True when a call failed midway: the provider worked on it and may charge an unknown amount. */
export function mayBeCharged({ kind }: ModelFailure): boolean {
  return kind === "cut_off" || kind === "timeout";
}

function planPause(
  tries: ModelTries,
  model: number,
  failures: number,
  failure: ModelFailure,
  now: number,
): NextTry | null {
  const until = now + Math.max(computeBackoffMs(failures, MAX_BACKOFF_MS), failure.retryAfterMs ?? 0);
  return until - (tries.firstFailureAt ?? now) > GIVE_UP_AFTER_MS ? null : { model, until, tries };
}

/** Returns the index of the next model that has not refused, wrapping around; null if all have. */
function findNextModel(model: number, models: number, refused: readonly number[]): number | null {
  for (let ahead = 1; ahead <= models; ahead += 1) {
    const place = (model + ahead) % models;
    if (!refused.includes(place)) return place;
  }
  return null;
}
