/** One due moment of a schedule, or one run that somebody asked for, and what became of it. */
import type { Failure } from "../base/errors.ts";
import { computeBackoffMs } from "../base/backoff.ts";
import { cutBefore } from "../gateway/shape.ts";
import type { TaskStatus } from "../task/status.ts";
import type { TaskView } from "../task/view.ts";
import { type AfterFailure, decideAfterFailure } from "../gateway/outcome.ts";

/**
 * `starting`: its task, or its reminder, is being made. `queued`: it waits for an earlier one to end. `fired`: its task
 * works. The others are over: `skipped` and `coalesced` (a later one stands for it) never had a task.
 */
export const OCCURRENCE_STATES = ["starting", "queued", "fired", "finished", "failed", "skipped", "coalesced"] as const;
export type OccurrenceState = (typeof OCCURRENCE_STATES)[number];

export interface Occurrence {
  /** Unique in its schedule, and the same for the same due moment: `2026-11-21T09:00:00.000Z`, or `run/…`. */
  readonly key: string;
  /** The due moment, or when the run was asked for. Milliseconds since the epoch, as all its moments. */
  readonly due: number;
  readonly isManual: boolean;
  readonly state: OccurrenceState;
  /** Why it is as it is; null: as it should be. */
  readonly why: string | null;
  /** When it was decided about. */
  readonly judgedAt: number;
  readonly firedAt: number | null;
  readonly endedAt: number | null;
  readonly task: string | null;
  /** How its task ended. */
  readonly status: TaskStatus | null;
  /** When a `starting` one is tried next. */
  readonly tryAt: number;
  readonly failures: number;
  /** Some attempt to make its task began and was not answered. */
  readonly mayExist: boolean;
  /** It gave way to a later one: its task is cancelled. */
  readonly gaveWay: boolean;
  /** When it should have ended; null: nobody expects it. */
  readonly expectedBy: number | null;
  readonly isLate: boolean;
  /** When its task was looked at last, and had not been seen to end. */
  readonly lookedAt: number | null;
}

/** How long a start is tried again at least, whatever the window of missed runs. */
const MIN_TRIES_MS = 3_600_000;
const MAX_BACKOFF_MS = 60_000;
const FIRST_LOOK_MS = 3_600_000;
const LAST_LOOK_MS = 86_400_000;
/** Characters of why a task failed that the ledger keeps. */
const MAX_WHY = 300;

/** The key of a due moment. */
export function keyOfDue(due: number): string {
  return new Date(due).toISOString();
}

/** The key of a run that somebody asked for by this name. */
export function keyOfRun(name: string): string {
  return `run/${name}`;
}

export function isOpen({ state }: Occurrence): boolean {
  return state === "starting" || state === "queued" || state === "fired";
}

/** A new one, as yet with nothing decided but its state. */
export function newOccurrence(
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

/** It is over without a task. */
export function closed(
  occurrence: Occurrence,
  state: "skipped" | "coalesced" | "failed",
  why: string,
  now: number,
): Occurrence {
  return { ...occurrence, state, why, endedAt: now, mayExist: false };
}

/** It makes room for the run of `by`. One that may have a task is cancelled once that is known. */
export function givenWay(occurrence: Occurrence, by: string, now: number): Occurrence {
  const why = `gave way to the run of ${by}`;
  const hasTask = occurrence.state === "fired" || occurrence.mayExist;
  return hasTask ? { ...occurrence, gaveWay: true, why } : closed(occurrence, "skipped", why, now);
}

/** Its task was made. */
export function fired(occurrence: Occurrence, task: string, now: number): Occurrence {
  const why = occurrence.gaveWay ? occurrence.why : null;
  return { ...occurrence, state: "fired", why, task, firedAt: now, mayExist: false };
}

/**
 * When its task is looked at, should its end not have been told: after an hour, then whenever it is twice as old, and once a
 * day at least. Infinity: nothing works.
 */
export function lookAgainAt({ state, firedAt, lookedAt }: Occurrence): number {
  if (state !== "fired" || firedAt === null) return Infinity;
  const last = lookedAt ?? firedAt;
  return last + Math.max(FIRST_LOOK_MS, Math.min(LAST_LOOK_MS, last - firedAt));
}

/** What it should do was done at once: a reminder was told. */
export function told(occurrence: Occurrence, now: number): Occurrence {
  return { ...occurrence, state: "finished", why: null, firedAt: now, endedAt: now, mayExist: false };
}

/** How a task ended: its status, and why it failed in plain words; null: it did not, or nobody said. */
export interface RunEnd {
  readonly status: TaskStatus;
  readonly why: string | null;
}

/** How a task ended that has. */
export function endOf({ status, error }: Pick<TaskView, "status" | "error">): RunEnd {
  return { status, why: error?.message ?? null };
}

/** Its task has ended; null: it is gone. */
export function ended(occurrence: Occurrence, end: RunEnd | null, now: number): Occurrence {
  const status = end?.status ?? null;
  if (status === "completed") return { ...occurrence, state: "finished", status, endedAt: now };
  return { ...occurrence, state: "failed", status, endedAt: now, why: occurrence.why ?? wordsOf(end) };
}

function wordsOf(end: RunEnd | null): string {
  if (end === null) return "the task was erased before it was seen to end";
  if (end.status === "cancelled") return "the task was cancelled";
  return end.why === null ? `the task ${end.status}` : `the task ${end.status}: ${cutBefore(end.why, MAX_WHY)}`;
}

/**
 * Its start failed: it is tried again while that may help and its time is not over, and else is over. One that gave way
 * meanwhile is skipped, unless its task may exist: that is found by making it again. `mayExist`: as before this attempt.
 */
export function notStarted(occurrence: Occurrence, failure: Failure, windowMs: number, now: number): Occurrence {
  const failures = occurrence.failures + 1;
  const { gaveWay } = occurrence;
  const why = gaveWay ? (occurrence.why ?? failure.message) : failure.message;
  const { mayExist, next } = startDecision(occurrence, failure);
  if (gaveWay && !mayExist) return closed({ ...occurrence, failures }, "skipped", why, now);
  const isOver = now - occurrence.judgedAt > Math.max(windowMs, MIN_TRIES_MS);
  if (next !== "retry" || isOver) return closed({ ...occurrence, failures }, "failed", failure.message, now);
  return { ...occurrence, failures, tryAt: now + computeBackoffMs(failures, MAX_BACKOFF_MS), why, mayExist };
}

function startDecision({ mayExist }: Occurrence, failure: Failure): { mayExist: boolean; next: AfterFailure } {
  const attempt = { effect: "none", mayHaveHappened: mayExist, retryAt: 0 } as const;
  const { mayHaveHappened, next } = decideAfterFailure("schedule_run", failure, attempt);
  return { mayExist: mayHaveHappened, next };
}
