/**
 * How long a tenant's tasks are stored; unlimited by default. Days count from the end of the whole tree. A tree that is
 * open or a draft is never touched. A sweep processes the ended trees in the order of their end, from a stored cursor
 * for each part.
 */
import type { PagePosition } from "../base/page-cursor.ts";

/**
 * The parts that expire: the whole task, its log, or its large results. In this order, because a deleted task has
 * neither.
 */
export const RETENTION_PARTS = ["tasks", "logs", "results"] as const;
export type RetentionPart = (typeof RETENTION_PARTS)[number];

/** Days after which each part is removed; null: never. */
export type Retention = Readonly<Record<RetentionPart, number | null>>;

export const UNLIMITED_RETENTION: Retention = { tasks: null, logs: null, results: null };

/** The maximum: a hundred years. */
export const MAX_RETENTION_DAYS = 36_500;

/** The most trees that a tenant's sweep examines in a minute. */
export const MAX_SWEPT_A_MINUTE = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Minimum age of a tree: one that has just ended is still being reported, delivered and summarised. */
const MIN_AGE_MS = MINUTE_MS;
/** Time until a finished sweep starts again; shorter if a part is stored for less than a day. */
const RECHECK_MS = 10 * MINUTE_MS;

/** The progress of the sweep of one part. */
interface PartProgress {
  /** The end and id of the last examined tree; null before the first. */
  readonly after: PagePosition | null;
  /** Where the next day's pass begins: before the first tree that could not be removed yet. */
  readonly restart: { readonly after: PagePosition | null } | null;
  /** Trees removed on `day`, and in total. */
  readonly today: number;
  readonly total: number;
}

/** How long tasks are stored, and how far the sweep is; null: nothing is swept. */
export interface RetentionState {
  readonly retention: Retention;
  readonly progress: RetentionProgress | null;
}

/** The progress of a sweep, as the tenant's object stores it. Times are milliseconds since the epoch. */
export interface RetentionProgress {
  readonly parts: Readonly<Record<RetentionPart, PartProgress>>;
  /** The day (UTC) of the counts. */
  readonly day: string;
  /** The current minute: its start, and the trees examined in it. */
  readonly minute: { readonly from: number; readonly looked: number };
  readonly nextAt: number;
}

const UNSWEPT: PartProgress = { after: null, restart: null, today: 0, total: 0 };

/** Starts a sweep. After a change of the days it starts at the earliest tree; counts remain. */
export function createProgress(before: RetentionProgress | null, now: number): RetentionProgress {
  const keepCounts = ({ today, total }: PartProgress): PartProgress => ({ ...UNSWEPT, today, total });
  const parts = before?.parts ?? { tasks: UNSWEPT, logs: UNSWEPT, results: UNSWEPT };
  return {
    parts: { tasks: keepCounts(parts.tasks), logs: keepCounts(parts.logs), results: keepCounts(parts.results) },
    day: before?.day ?? toDay(now),
    minute: before?.minute ?? { from: now, looked: 0 },
    nextAt: now,
  };
}

/**
 * Moves the progress to the current day: resets the daily counts, and restarts each part at the first tree that it
 * passed over.
 */
export function startDay(progress: RetentionProgress, now: number): RetentionProgress {
  const day = toDay(now);
  if (progress.day === day) return progress;
  const resetCounts = ({ after, restart, total }: PartProgress): PartProgress => ({
    after: restart === null ? after : restart.after,
    restart: null,
    today: 0,
    total,
  });
  const { tasks, logs, results } = progress.parts;
  return {
    ...progress,
    day,
    parts: { tasks: resetCounts(tasks), logs: resetCounts(logs), results: resetCounts(results) },
  };
}

/** Returns how many trees may be examined now. An interrupted minute still counts. */
export function getSweepAllowance({ minute }: RetentionProgress, now: number): number {
  return now - minute.from >= MINUTE_MS ? MAX_SWEPT_A_MINUTE : Math.max(0, MAX_SWEPT_A_MINUTE - minute.looked);
}

/** Counts trees before they are examined, so that a crash does not raise the limit of a minute. */
export function recordExamined(progress: RetentionProgress, looked: number, now: number): RetentionProgress {
  const isNew = now - progress.minute.from >= MINUTE_MS;
  const minute = isNew ? { from: now, looked } : { ...progress.minute, looked: progress.minute.looked + looked };
  return { ...progress, minute };
}

/** Records an examined batch of trees up to `last`, some removed and some passed over. */
export function applyBatch(
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

/** The outcome of a batch of trees. `last` is the position of the last one; null for an empty batch. */
interface BatchOutcome {
  readonly removed: number;
  readonly last: PagePosition | null;
  readonly hasPassed: boolean;
}

/** Returns the time before which a tree must have ended to lose the part; null if the part does not expire. */
export function computeCutoff(retention: Retention, part: RetentionPart, now: number): number | null {
  const days = retention[part];
  return days === null ? null : now - Math.max(days * DAY_MS, MIN_AGE_MS);
}

/**
 * Returns when to continue: with the next minute while trees remain, otherwise when the next tree may be old enough.
 */
export function computeNextSweep(
  retention: Retention,
  progress: RetentionProgress,
  hasMore: boolean,
  now: number,
): number {
  if (hasMore) return Math.max(now, progress.minute.from + MINUTE_MS);
  const isShort = RETENTION_PARTS.some((part) => (retention[part] ?? Number.POSITIVE_INFINITY) < 1);
  return now + (isShort ? MINUTE_MS : RECHECK_MS);
}

export function isUnlimited(retention: Retention): boolean {
  return RETENTION_PARTS.every((part) => retention[part] === null);
}

function toDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
