/**
 * How long a tenant's tasks are stored. By default everything is kept. Days count from the end of the whole tree, and what
 * lives, waits or is a draft is never touched. A sweep goes through the ended trees in the order of their end, at a stored
 * cursor for each part.
 */
import type { Place } from "../base/page-cursor.ts";

/** What is removed: the whole task, its log, or its large results. In this order: an erased task has neither. */
export const RETENTION_PARTS = ["tasks", "logs", "results"] as const;
export type RetentionPart = (typeof RETENTION_PARTS)[number];

/** Days after which each part goes; null: it is kept. */
export type Retention = Readonly<Record<RetentionPart, number | null>>;

export const KEEP_EVERYTHING: Retention = { tasks: null, logs: null, results: null };

/** The longest that may be set: a hundred years. */
export const MAX_RETENTION_DAYS = 36_500;

/** Trees that a tenant's sweep goes through in a minute. */
export const MAX_SWEPT_A_MINUTE = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A tree that has just ended is still being reported, delivered and summarised. */
const LEAST_AGE_MS = MINUTE_MS;
/** How soon a sweep that found nothing more looks again: sooner where a part is kept for less than a day. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS;

/** How far the sweep of one part is. */
interface PartProgress {
  /** The end and id of the last tree that was looked at; null: none was. */
  readonly after: Place | null;
  /** Where the next day's pass begins: before the first tree that was passed over, because it could not be removed yet. */
  readonly restart: { readonly after: Place | null } | null;
  /** Trees that were removed on `day`, and ever. */
  readonly today: number;
  readonly total: number;
}

/** How long tasks are stored, and how far the sweep is; null: nothing is swept. */
export interface RetentionState {
  readonly retention: Retention;
  readonly progress: RetentionProgress | null;
}

/** How far a sweep is, as the tenant's object stores it. Moments in milliseconds since the epoch. */
export interface RetentionProgress {
  readonly parts: Readonly<Record<RetentionPart, PartProgress>>;
  /** The day (UTC) that the counts are of. */
  readonly day: string;
  /** The minute under way: when it began, and trees that were looked at in it. */
  readonly minute: { readonly from: number; readonly looked: number };
  readonly nextAt: number;
}

const UNSWEPT: PartProgress = { after: null, restart: null, today: 0, total: 0 };

/** A sweep that begins now. A change of the days begins again at the earliest tree; what was counted stays. */
export function newProgress(before: RetentionProgress | null, now: number): RetentionProgress {
  const counts = ({ today, total }: PartProgress): PartProgress => ({ ...UNSWEPT, today, total });
  const parts = before?.parts ?? { tasks: UNSWEPT, logs: UNSWEPT, results: UNSWEPT };
  return {
    parts: { tasks: counts(parts.tasks), logs: counts(parts.logs), results: counts(parts.results) },
    day: before?.day ?? dayOf(now),
    minute: before?.minute ?? { from: now, looked: 0 },
    nextAt: now,
  };
}

/** The progress on a day: another day begins its counts at nothing, and each part again where it passed a tree over. */
export function onDay(progress: RetentionProgress, now: number): RetentionProgress {
  const day = dayOf(now);
  if (progress.day === day) return progress;
  const renewed = ({ after, restart, total }: PartProgress): PartProgress => ({
    after: restart === null ? after : restart.after,
    restart: null,
    today: 0,
    total,
  });
  const { tasks, logs, results } = progress.parts;
  return { ...progress, day, parts: { tasks: renewed(tasks), logs: renewed(logs), results: renewed(results) } };
}

/** How many trees may be looked at now. A minute that was cut off by a crash still counts. */
export function mayLook({ minute }: RetentionProgress, now: number): number {
  return now - minute.from >= MINUTE_MS ? MAX_SWEPT_A_MINUTE : Math.max(0, MAX_SWEPT_A_MINUTE - minute.looked);
}

/** Counts trees into the minute before they are looked at, so that a crash in the middle lets no minute have more. */
export function countLooked(progress: RetentionProgress, looked: number, now: number): RetentionProgress {
  const isNew = now - progress.minute.from >= MINUTE_MS;
  const minute = isNew ? { from: now, looked } : { ...progress.minute, looked: progress.minute.looked + looked };
  return { ...progress, minute };
}

/** Trees were looked at: those up to `last`, of which some were removed and some passed over. */
export function afterBatch(
  progress: RetentionProgress,
  part: RetentionPart,
  { removed, last, hasPassed }: BatchOutcome,
): RetentionProgress {
  const before = progress.parts[part];
  const after: PartProgress = {
    after: last ?? before.after,
    restart: hasPassed ? (before.restart ?? { after: before.after }) : before.restart,
    today: before.today + removed,
    total: before.total + removed,
  };
  return { ...progress, parts: { ...progress.parts, [part]: after } };
}

/** What came of a batch of trees. `last`: the place of the last one; null: there was none. */
interface BatchOutcome {
  readonly removed: number;
  readonly last: Place | null;
  readonly hasPassed: boolean;
}

/** A tree whose last task ended before this moment loses the part; null: none does. */
export function cutoffOf(retention: Retention, part: RetentionPart, now: number): number | null {
  const days = retention[part];
  return days === null ? null : now - Math.max(days * DAY_MS, LEAST_AGE_MS);
}

/** When to go on: with the next minute while there is more, else when the next tree may be old enough. */
export function nextSweepAt(retention: Retention, progress: RetentionProgress, hasMore: boolean, now: number): number {
  if (hasMore) return Math.max(now, progress.minute.from + MINUTE_MS);
  const isShort = RETENTION_PARTS.some((part) => (retention[part] ?? Number.POSITIVE_INFINITY) < 1);
  return now + (isShort ? MINUTE_MS : LOOK_AGAIN_MS);
}

export function keepsEverything(retention: Retention): boolean {
  return RETENTION_PARTS.every((part) => retention[part] === null);
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
