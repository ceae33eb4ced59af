/** An occurrence: a due time of a schedule, or a requested run, and its outcome. */
import type { Failure } from "../base/errors.ts";
import { computeBackoffMs } from "../base/backoff.ts";
import { cutBefore } from "../gateway/shape.ts";
import type { TaskStatus } from "../task/status.ts";
import type { TaskView } from "../task/view.ts";
import { type AfterFailure, decideAfterFailure } from "../gateway/outcome.ts";

/**
 * `starting`: its task or reminder is being created. `queued`: it waits for an earlier run. `fired`: its task is
 * running. The others have ended; `skipped` and `coalesced` (merged into a later run) never had a task.
 */
export const OCCURRENCE_STATES = ["starting", "queued", "fired", "finished", "failed", "skipped", "coalesced"] as const;
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number];

export interface Occurrence {
  /**
   * Unique in its schedule and derived from the due time: `2026-11-21T09:00:00.000Z`, or `run/…` for a requested run.
   */
  readonly key: string;
  /** The due time, or the time of the request. All times are milliseconds since the epoch. */
  readonly due: number;
  readonly isManual: boolean;
  readonly state: OccurrenceState;
  /** The reason of its state; null when it is normal. */
  readonly why: string | null;
  /** When it was decided. */
  readonly judgedAt: number;
  readonly firedAt: number | null;
  readonly endedAt: number | null;
  readonly task: string | null;
  /** How its task ended. */
  readonly status: TaskStatus | null;
  /** When a `starting` one is tried next. */
  readonly tryAt: number;
  readonly failures: number;
  /** True after an attempt to create its task that was not answered. */
  readonly mayExist: boolean;
  /** True when a later run superseded it: its task is cancelled. */
  readonly gaveWay: boolean;
  /** When it should have ended; null without a limit. */
  readonly expectedBy: number | null;
  readonly isLate: boolean;
  /** When its task was last checked while running. */
  readonly lookedAt: number | null;
}

/** Shortest time for which a start is retried, even if the window for missed runs is shorter. */
const MIN_RETRY_PERIOD_MS = 3_600_000;
const MAX_BACKOFF_MS = 60_000;
const FIRST_RECHECK_MS = 3_600_000;
const MAX_RECHECK_MS = 86_400_000;
/** Characters of a task's error that the run history stores. */
const MAX_WHY = 300;

/** The key of a due time. */
export function getDueKey(due: number): string {
  return new Date(due).toISOString();
}

/** The key of a run that was requested with this name. */
export function getRunKey(name: string): string {
  return `run/${name}`;
}

export function isOpen({ state }: Occurrence): boolean {
  return state === "starting" || state === "queued" || state === "fired";
}

/** Creates an occurrence in the state `starting`. */
export function createOccurrence(
  due: number,
  { key, isManual, now, expectedMs }: { key: string; isManual: boolean; now: number; expectedMs: number | null },
): Occurrence {
  return {
    key,
    due,
    isManual,
    state: "starting",
    why: null,
    judgedAt: now,
    firedAt: null,
    endedAt: null,
    task: null,
    status: null,
    tryAt: now,
    failures: 0,
    mayExist: false,
    gaveWay: false,
    expectedBy: expectedMs === null ? null : now + expectedMs,
    isLate: false,
    lookedAt: null,
  };
}

/** Ends an occurrence without a task. */
export function closeOccurrence(
  occurrence: Occurrence,
  state: "skipped" | "coalesced" | "failed",
  why: string,
  now: number,
): Occurrence {
  return { ...occurrence, state, why, endedAt: now, mayExist: false };
}

/** Supersedes an occurrence because of overlap with the run of `by`. If it may have a task, that is cancelled later. */
export function supersedeRun(occurrence: Occurrence, by: string, now: number): Occurrence {
  const why = `superseded by the run of ${by}`;
  const hasTask = occurrence.state === "fired" || occurrence.mayExist;
  return hasTask ? { ...occurrence, gaveWay: true, why } : closeOccurrence(occurrence, "skipped", why, now);
}

/** Records the created task. */
export function recordStart(occurrence: Occurrence, task: string, now: number): Occurrence {
  const why = occurrence.gaveWay ? occurrence.why : null;
  return { ...occurrence, state: "fired", why, task, firedAt: now, mayExist: false };
}

/**
 * When to check its task, in case the report of its end was lost: after an hour, then each time its age has doubled, at
 * least once a day. Infinity unless it is running.
 */
export function getRecheckTime({ state, firedAt, lookedAt }: Occurrence): number {
  if (state !== "fired" || firedAt === null) return Infinity;
  const last = lookedAt ?? firedAt;
  return last + Math.max(FIRST_RECHECK_MS, Math.min(MAX_RECHECK_MS, last - firedAt));
}

/** Completes an occurrence whose reminder was delivered. */
export function completeReminder(occurrence: Occurrence, now: number): Occurrence {
  return { ...occurrence, state: "finished", why: null, firedAt: now, endedAt: now, mayExist: false };
}

/** How a task ended: its status and, if it failed, why. */
export interface RunEnd {
  readonly status: TaskStatus;
  readonly why: string | null;
}

/** The end of an ended task. */
export function toRunEnd({ status, error }: Pick<TaskView, "status" | "error">): RunEnd {
  return { status, why: error?.message ?? null };
}

/** Records the end of its task; null when the task was deleted. */
export function recordEnd(occurrence: Occurrence, end: RunEnd | null, now: number): Occurrence {
  const status = end?.status ?? null;
  if (status === "completed") return { ...occurrence, state: "finished", status, endedAt: now };
  return { ...occurrence, state: "failed", status, endedAt: now, why: occurrence.why ?? describeEnd(end) };
}

function describeEnd(end: RunEnd | null): string {
  if (end === null) return "the task was erased before it was seen to end";
  if (end.status === "cancelled") return "the task was cancelled";
  return end.why === null ? `the task ${end.status}` : `the task ${end.status}: ${cutBefore(end.why, MAX_WHY)}`;
}

/**
 * Records a failed start: it is retried while that may help and time is left, otherwise it ends. A superseded one is
 * skipped, unless its task may exist: another attempt finds out. `mayExist` is the value before this attempt.
 */
export function recordFailedStart(occurrence: Occurrence, failure: Failure, windowMs: number, now: number): Occurrence {
  const failures = occurrence.failures + 1;
  const { gaveWay } = occurrence;
  const why = gaveWay ? (occurrence.why ?? failure.message) : failure.message;
  const { mayExist, next } = decideRetry(occurrence, failure);
  if (gaveWay && !mayExist) return closeOccurrence({ ...occurrence, failures }, "skipped", why, now);
  const isExpired = now - occurrence.judgedAt > Math.max(windowMs, MIN_RETRY_PERIOD_MS);
  if (next !== "retry" || isExpired)
    return closeOccurrence({ ...occurrence, failures }, "failed", failure.message, now);
  return { ...occurrence, failures, tryAt: now + computeBackoffMs(failures, MAX_BACKOFF_MS), why, mayExist };
}

function decideRetry({ mayExist }: Occurrence, failure: Failure): { mayExist: boolean; next: AfterFailure } {
  const attempt = { effect: "none", mayHaveHappened: mayExist, retryAt: 0 } as const;
  const { mayHaveHappened, next } = decideAfterFailure("schedule_run", failure, attempt);
  return { mayExist: mayHaveHappened, next };
}
