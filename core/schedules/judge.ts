/**
 * What becomes of due moments: which run, which are skipped, which wait. Pure: a command and the occurrences that are open go
 * in, and what is to be stored comes out.
 */
import type { DueClock } from "./due.ts";
import {
  closed,
  ended,
  givenWay,
  isOpen,
  keyOfDue,
  newOccurrence,
  type Occurrence,
  type OccurrenceState,
  type RunEnd,
} from "./occurrence.ts";
import { nextDue, type NextDue, type ScheduleConfig, type ScheduleState } from "./schedule.ts";

/** What is decided about later than this was missed. */
export const GRACE_MS = 60_000;
/** Due moments that one decision takes; the next one goes on. */
const MAX_AT_ONCE = 500;
/** Occurrences that wait for an earlier one, and those that are not over at all. */
const MAX_QUEUED = 100;
const MAX_OPEN = 1_000;
/** How often the tasks that others wait for are looked at, should their end not have been told. */
const LOOK_AGAIN_MS = 60_000;
/** How long a schedule that is over is kept. */
const OVER_KEPT_MS = 30 * 86_400_000;

/** What a decision changes. `occurrences` are new or changed, in their order; `alerts` the ones that people are told of. */
export interface Decision {
  readonly state: ScheduleState;
  readonly occurrences: readonly Occurrence[];
  readonly alerts: readonly Occurrence[];
}

/** Decides about everything that is due by now, or a part of it: then `state.next.at` is still past. */
export function decideDue(state: ScheduleState, clock: DueClock, open: readonly Occurrence[], now: number): Decision {
  const dues: NextDue[] = [];
  let next = state.next;
  while (next !== null && next.at <= now && dues.length < MAX_AT_ONCE) {
    dues.push(next);
    next = nextDue(state, clock, next.due);
  }
  const isAll = next === null || next.at > now;
  const book = new Book(state.config, open, now);
  for (const [index, due] of dues.entries()) book.judge(due, isAll && index === dues.length - 1);
  return book.decision({ ...state, next, last: dues.at(-1)?.due ?? state.last });
}

/** Somebody asked for a run at `due`. */
export function decideRun(
  state: ScheduleState,
  { key, due }: Pick<Occurrence, "key" | "due">,
  open: readonly Occurrence[],
  now: number,
): Decision {
  const book = new Book(state.config, open, now);
  book.run(newOccurrence(due, { key, isManual: true, now, expectedMs: expectedMs(state.config) }));
  return book.decision(state);
}

/** A task of the schedule has ended; null: it is gone. */
export function decideEnd(
  state: ScheduleState,
  open: readonly Occurrence[],
  { key, end }: { readonly key: string; readonly end: RunEnd | null },
  now: number,
): Decision {
  const book = new Book(state.config, open, now);
  const occurrence = open.find((one) => one.key === key);
  if (occurrence !== undefined) book.put(ended(occurrence, end, now));
  return book.decision(state);
}

/** An occurrence became another: its task was made, or could not be. */
export function decideChange(
  state: ScheduleState,
  open: readonly Occurrence[],
  changed: Occurrence,
  now: number,
): Decision {
  const book = new Book(state.config, open, now);
  book.put(changed);
  return book.decision(state);
}

/** When something is to be done next; null: nothing is, until somebody asks. */
export function nextWake({ next, paused }: ScheduleState, open: readonly Occurrence[], now: number): number | null {
  const moments = [
    paused || next === null ? Infinity : next.at,
    ...open.flatMap(({ state, tryAt, expectedBy, isLate, gaveWay }) => [
      state === "starting" ? tryAt : Infinity,
      expectedBy === null || isLate ? Infinity : expectedBy,
      state === "queued" || gaveWay ? now + LOOK_AGAIN_MS : Infinity,
    ]),
  ];
  const first = Math.min(...moments);
  return first === Infinity ? null : first;
}

/** When a schedule that is over goes, with its ledger; null: it is not over. */
export function goesAt({ next, paused, last, updatedAt }: ScheduleState, open: readonly Occurrence[]): number | null {
  return paused || next !== null || open.length > 0 ? null : Math.max(updatedAt, last ?? 0) + OVER_KEPT_MS;
}

function expectedMs({ alert }: ScheduleConfig): number | null {
  const seconds = alert?.if_not_finished_within_seconds;
  return seconds === undefined ? null : seconds * 1000;
}

/** The occurrences that are open, as a decision goes on. */
class Book {
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

  /** `isLatest`: no later moment is due by now. */
  judge({ due, at }: NextDue, isLatest: boolean): void {
    const expected = expectedMs(this.config);
    const key = keyOfDue(due);
    const occurrence = newOccurrence(due, { key, isManual: false, now: this.now, expectedMs: expected });
    const missed = missedVerdict(this.config.missed, this.now - at, isLatest);
    if (missed === null) this.run(occurrence);
    else this.put(closed(occurrence, missed.state, missed.why, this.now));
  }

  /** Starts it, or does with it and the earlier ones what the policy for overlaps says. */
  run(occurrence: Occurrence): void {
    const before = [...this.open.values()].filter(({ gaveWay }) => !gaveWay);
    const [first] = before;
    const { overlap } = this.config;
    if (this.open.size >= MAX_OPEN) this.put(closed(occurrence, "skipped", `${MAX_OPEN} runs had not ended`, this.now));
    else if (first === undefined || overlap === "allow") this.put(occurrence);
    else if (overlap === "skip")
      this.put(closed(occurrence, "skipped", `the run of ${first.key} had not ended`, this.now));
    else if (overlap === "cancel_previous") {
      for (const one of before) this.put(givenWay(one, occurrence.key, this.now));
      this.put(occurrence);
    } else if (before.filter(({ state }) => state === "queued").length >= MAX_QUEUED)
      this.put(closed(occurrence, "skipped", `${MAX_QUEUED} runs were waiting already`, this.now));
    else this.put({ ...occurrence, state: "queued", why: `waits for the run of ${first.key}` });
  }

  put(occurrence: Occurrence): void {
    if (isOpen(occurrence)) this.open.set(occurrence.key, occurrence);
    else this.open.delete(occurrence.key);
    this.changed.set(occurrence.key, occurrence);
    if (occurrence.state === "failed" && !occurrence.gaveWay) this.alerts.push(occurrence);
  }

  decision(state: ScheduleState): Decision {
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

  /** The first one that waits, when nothing runs any more. */
  private startQueued(): void {
    const open = [...this.open.values()];
    const waiting = open.find(({ state }) => state === "queued");
    if (waiting === undefined || open.some(({ state, gaveWay }) => isAtWork(state) && !gaveWay)) return;
    this.put({ ...waiting, state: "starting", why: null, tryAt: this.now });
  }
}

function isAtWork(state: OccurrenceState): boolean {
  return state === "starting" || state === "fired";
}

/** What becomes of a due moment that is acted on so late; null: it runs. */
function missedVerdict(
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
