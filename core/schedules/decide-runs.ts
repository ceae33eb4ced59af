/**
 * Decides which due occurrences run, which are skipped and which wait. Pure: a command and the open occurrences go in,
 * and the rows to store come out.
 */
import type { DueClock } from "./due.ts";
import {
  closeOccurrence,
  recordEnd,
  supersedeRun,
  isOpen,
  getDueKey,
  createOccurrence,
  type Occurrence,
  type OccurrenceState,
  type RunEnd,
} from "./occurrence.ts";
import { findNextDue, type NextDue, type ScheduleConfig, type ScheduleState } from "./schedule.ts";

/** A later decision counts as missed. */
export const GRACE_MS = 60_000;
/** Occurrences of one decision; the next one continues. */
const MAX_DUE_AT_ONCE = 500;
/** Limits of queued and of open occurrences. */
const MAX_QUEUED = 100;
const MAX_OPEN = 1_000;
/** How often to check tasks that others wait for, in case the report of their end was lost. */
const RECHECK_MS = 60_000;
/** How long an ended schedule is retained. */
const ENDED_RETENTION_MS = 30 * 86_400_000;

/** The result of a decision. `occurrences` are new or changed, in order; `alerts` are those to notify about. */
export interface Decision {
  readonly state: ScheduleState;
  readonly occurrences: readonly Occurrence[];
  readonly alerts: readonly Occurrence[];
}

/** Decides all occurrences that are due by now, or a part of them: then `state.next.at` is still past. */
export function decideDueRuns(
  state: ScheduleState,
  clock: DueClock,
  open: readonly Occurrence[],
  now: number,
): Decision {
  const dues: NextDue[] = [];
  let next = state.next;
  while (next !== null && next.at <= now && dues.length < MAX_DUE_AT_ONCE) {
    dues.push(next);
    next = findNextDue(state, clock, next.due);
  }
  const isAll = next === null || next.at > now;
  const book = new OpenRuns(state.config, open, now);
  for (const [index, due] of dues.entries()) book.addDue(due, isAll && index === dues.length - 1);
  return book.toDecision({ ...state, next, last: dues.at(-1)?.due ?? state.last });
}

/** Decides a run that was requested at `due`. */
export function decideRequestedRun(
  state: ScheduleState,
  { key, due }: Pick<Occurrence, "key" | "due">,
  open: readonly Occurrence[],
  now: number,
): Decision {
  const book = new OpenRuns(state.config, open, now);
  book.admit(createOccurrence(due, { key, isManual: true, now, expectedMs: expectedMs(state.config) }));
  return book.toDecision(state);
}

/** Records the end of a task; null when the task was deleted. */
export function decideTaskEnd(
  state: ScheduleState,
  open: readonly Occurrence[],
  { key, end }: { readonly key: string; readonly end: RunEnd | null },
  now: number,
): Decision {
  const book = new OpenRuns(state.config, open, now);
  const occurrence = open.find((one) => one.key === key);
  if (occurrence !== undefined) book.put(recordEnd(occurrence, end, now));
  return book.toDecision(state);
}

/** Records a changed occurrence, whose task was created or could not be. */
export function decideAfterStart(
  state: ScheduleState,
  open: readonly Occurrence[],
  changed: Occurrence,
  now: number,
): Decision {
  const book = new OpenRuns(state.config, open, now);
  book.put(changed);
  return book.toDecision(state);
}

/** When the schedule has to act next; null when it waits for a request. */
export function getNextWake({ next, paused }: ScheduleState, open: readonly Occurrence[], now: number): number | null {
  const moments = [
    paused || next === null ? Infinity : next.at,
    ...open.flatMap(({ state, tryAt, expectedBy, isLate, gaveWay }) => [
      state === "starting" ? tryAt : Infinity,
      expectedBy === null || isLate ? Infinity : expectedBy,
      state === "queued" || gaveWay ? now + RECHECK_MS : Infinity,
    ]),
  ];
  const first = Math.min(...moments);
  return first === Infinity ? null : first;
}

/** When an ended schedule is deleted with its run history; null while it has not ended. */
export function getDeletionTime(
  { next, paused, last, updatedAt }: ScheduleState,
  open: readonly Occurrence[],
): number | null {
  return paused || next !== null || open.length > 0 ? null : Math.max(updatedAt, last ?? 0) + ENDED_RETENTION_MS;
}

function expectedMs({ alert }: ScheduleConfig): number | null {
  const seconds = alert?.if_not_finished_within_seconds;
  return seconds === undefined ? null : seconds * 1000;
}

/** The open occurrences during a decision. */
class OpenRuns {
  private readonly config: ScheduleConfig;
  private readonly now: number;
  private readonly open: Map<string, Occurrence>;
  private readonly changed = new Map<string, Occurrence>();
  private readonly alerts: Occurrence[] = [];

  constructor(config: ScheduleConfig, open: readonly Occurrence[], now: number) {
    this.config = config;
    this.now = now;
    this.open = new Map(open.map((one) => [one.key, one]));
  }

  /** `isLatest`: no later occurrence is due by now. */
  addDue({ due, at }: NextDue, isLatest: boolean): void {
    const expected = expectedMs(this.config);
    const key = getDueKey(due);
    const occurrence = createOccurrence(due, { key, isManual: false, now: this.now, expectedMs: expected });
    const missed = judgeMissed(this.config.missed, this.now - at, isLatest);
    if (missed === null) this.admit(occurrence);
    else this.put(closeOccurrence(occurrence, missed.state, missed.why, this.now));
  }

  /** Starts a run, or applies the overlap policy to it and the earlier ones. */
  admit(occurrence: Occurrence): void {
    const before = [...this.open.values()].filter(({ gaveWay }) => !gaveWay);
    const [first] = before;
    const { overlap } = this.config;
    if (this.open.size >= MAX_OPEN)
      this.put(closeOccurrence(occurrence, "skipped", `${MAX_OPEN} runs had not ended`, this.now));
    else if (first === undefined || overlap === "allow") this.put(occurrence);
    else if (overlap === "skip")
      this.put(closeOccurrence(occurrence, "skipped", `the run of ${first.key} had not ended`, this.now));
    else if (overlap === "cancel_previous") {
      for (const one of before) this.put(supersedeRun(one, occurrence.key, this.now));
      this.put(occurrence);
    } else if (before.filter(({ state }) => state === "queued").length >= MAX_QUEUED)
      this.put(closeOccurrence(occurrence, "skipped", `${MAX_QUEUED} runs were waiting already`, this.now));
    else this.put({ ...occurrence, state: "queued", why: `waits for the run of ${first.key}` });
  }

  put(occurrence: Occurrence): void {
    if (isOpen(occurrence)) this.open.set(occurrence.key, occurrence);
    else this.open.delete(occurrence.key);
    this.changed.set(occurrence.key, occurrence);
    if (occurrence.state === "failed" && !occurrence.gaveWay) this.alerts.push(occurrence);
  }

  toDecision(state: ScheduleState): Decision {
    this.markLate();
    this.startQueued();
    return {
      state,
      occurrences: [...this.changed.values()],
      alerts: this.config.alert === undefined ? [] : this.alerts,
    };
  }

  private markLate(): void {
    for (const one of this.open.values()) {
      if (one.isLate || one.gaveWay || one.expectedBy === null || one.expectedBy > this.now) continue;
      const late = { ...one, isLate: true };
      this.put(late);
      this.alerts.push(late);
    }
  }

  /** Starts the first queued run when no other one is running. */
  private startQueued(): void {
    const open = [...this.open.values()];
    const waiting = open.find(({ state }) => state === "queued");
    if (waiting === undefined || open.some(({ state, gaveWay }) => isRunning(state) && !gaveWay)) return;
    this.put({ ...waiting, state: "starting", why: null, tryAt: this.now });
  }
}

function isRunning(state: OccurrenceState): boolean {
  return state === "starting" || state === "fired";
}

/** The outcome of a missed occurrence; null when it runs. */
function judgeMissed(
  { policy, window_seconds }: ScheduleConfig["missed"],
  lateMs: number,
  isLatest: boolean,
): { readonly state: "skipped" | "coalesced"; readonly why: string } | null {
  if (lateMs <= GRACE_MS) return null;
  if (policy === "skip") return { state: "skipped", why: "it was missed, and missed runs are skipped" };
  if (policy === "once" && !isLatest)
    return { state: "coalesced", why: "it was missed, and a later run stands for it" };
  if (lateMs <= window_seconds * 1000) return null;
  return { state: "skipped", why: `it was missed by more than ${window_seconds} seconds` };
}
