/**
 * Which model is asked again after a failure, and when. A model that refuses the request is not asked again in this step;
 * one that fails twice in a row gives way to the next of the agent's list. When every model has failed, the next round
 * begins after a pause: from 1 s to 30 s, never before the provider's Retry-After, and given up 30 minutes after the first
 * failure.
 */
import type { ModelFailure } from "../ports/model.ts";
import type { ModelTries } from "./state.ts";
import { backoffMs } from "../base/backoff.ts";

const MAX_BACKOFF_MS = 30_000;
const GIVE_UP_AFTER_MS = 30 * 60_000;
/** Failures in a row after which the next model is asked. */
const FAILURES_OF_ONE = 2;

/** The next try: which model, when, and the count that it begins with. */
export interface NextTry {
  readonly model: number;
  readonly until: number;
  readonly tries: ModelTries;
}

/** The try after `failure` of the model at place `model` of `models`; null: give up. */
export function nextModelTry(
  failure: ModelFailure,
  before: ModelTries,
  { model, models }: { readonly model: number; readonly models: number },
  now: number,
): NextTry | null {
  const firstFailureAt = before.firstFailureAt ?? now;
  const refused = failure.retryable ? before.refused : [...before.refused, model];
  const failures = before.failures + 1;
  const tries: ModelTries = { ...before, firstFailureAt, refused, failures };
  const next = nextPlace(model, models, refused);
  if (next === null) return null;
  const isAlone = next === model;
  if (!isAlone && failure.retryable && failures < FAILURES_OF_ONE) {
    return pauseFor(tries, model, failures, failure, now);
  }
  const wraps = next <= model;
  const moved = isAlone ? tries : { ...tries, failures: 0, rounds: tries.rounds + (wraps ? 1 : 0) };
  if (!wraps) return { model: next, until: now, tries: moved };
  return pauseFor(moved, next, isAlone ? failures : moved.rounds, failure, now);
}

/** True when a call that failed broke off in the middle: it was worked on and is charged for, nobody knows how much. */
export function wasWorkedOn({ kind }: ModelFailure): boolean {
  return kind === "cut_off" || kind === "timeout";
}

function pauseFor(
  tries: ModelTries,
  model: number,
  failures: number,
  failure: ModelFailure,
  now: number,
): NextTry | null {
  const until = now + Math.max(backoffMs(failures, MAX_BACKOFF_MS), failure.retryAfterMs ?? 0);
  return until - (tries.firstFailureAt ?? now) > GIVE_UP_AFTER_MS ? null : { model, until, tries };
}

/** The next place that has not refused, going round; null: all have. */
function nextPlace(model: number, models: number, refused: readonly number[]): number | null {
  for (let ahead = 1; ahead <= models; ahead += 1) {
    const place = (model + ahead) % models;
    if (!refused.includes(place)) return place;
  }
  return null;
}
