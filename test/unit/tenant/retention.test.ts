/** How far a retention's sweep is, whatever cuts it off. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyBatch,
  recordExamined,
  computeCutoff,
  UNLIMITED_RETENTION,
  isUnlimited,
  MAX_SWEPT_A_MINUTE,
  getSweepAllowance,
  createProgress,
  computeNextSweep,
  startDay,
} from "../../../core/tenant/retention.ts";

const [MINUTE, DAY] = [60_000, 86_400_000];
const NOW = Date.UTC(2026, 10, 23, 12);
const place = (at: number) => ({ at, id: `task_${at}` });
const batch = (looked: number, last: number, hasPassed = false) => ({
  removed: looked - (hasPassed ? 1 : 0),
  last: place(last),
  hasPassed,
});

describe("the cutoff", () => {
  test("is that many days ago, and at least a minute; absent without days", () => {
    const retention = { tasks: 30, logs: 0, results: null };
    expect(computeCutoff(retention, "tasks", NOW)).toBe(NOW - 30 * DAY);
    expect(computeCutoff(retention, "logs", NOW)).toBe(NOW - MINUTE);
    expect(computeCutoff(retention, "results", NOW)).toBeNull();
    expect([isUnlimited(UNLIMITED_RETENTION), isUnlimited(retention)]).toEqual([true, false]);
  });
});

describe("a sweep", () => {
  test("looks at 1,000 trees in a minute, also when a crash cuts the minute in pieces", () => {
    const pieces = fc.array(
      fc.record({ looked: fc.integer({ min: 1, max: 400 }), waits: fc.nat(40_000), isCutOff: fc.boolean() }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(pieces, (batches) => {
        let progress = createProgress(null, NOW);
        let now = NOW;
        const seen: { at: number; looked: number }[] = [];
        for (const { looked, waits, isCutOff } of batches) {
          now += waits;
          const may = Math.min(looked, getSweepAllowance(progress, now));
          if (may === 0) continue;
          progress = recordExamined(progress, may, now);
          // A crash comes before the end of the batch is stored.
          if (!isCutOff) progress = applyBatch(progress, "tasks", batch(may, now));
          seen.push({ at: progress.minute.from, looked: may });
        }
        for (const from of new Set(seen.map(({ at }) => at))) {
          const sum = seen.filter(({ at }) => at === from).reduce((all, { looked }) => all + looked, 0);
          expect(sum).toBeLessThanOrEqual(MAX_SWEPT_A_MINUTE);
        }
      }),
    );
  });

  test("continues with the next minute while trees remain, and waits longer otherwise", () => {
    const progress = applyBatch(recordExamined(createProgress(null, NOW), 1000, NOW), "tasks", batch(1000, 1));
    const days = { ...UNLIMITED_RETENTION, tasks: 30 };
    expect(getSweepAllowance(progress, NOW + MINUTE - 1)).toBe(0);
    expect(computeNextSweep(days, progress, true, NOW + 5000)).toBe(NOW + MINUTE);
    expect(computeNextSweep(days, progress, false, NOW)).toBe(NOW + 10 * MINUTE);
    expect(computeNextSweep({ ...days, logs: 0.5 }, progress, false, NOW)).toBe(NOW + MINUTE);
  });

  test("returns on the next day to what it passed over, and counts each day separately", () => {
    let progress = applyBatch(createProgress(null, NOW), "logs", batch(50, 50));
    progress = applyBatch(progress, "logs", batch(50, 100, true));
    progress = applyBatch(progress, "logs", batch(50, 150, true));
    expect(progress.parts.logs).toEqual({ after: place(150), restart: { after: place(50) }, today: 148, total: 148 });
    expect(startDay(progress, NOW + MINUTE)).toBe(progress);
    const next = startDay(progress, NOW + DAY);
    expect(next.parts.logs).toEqual({ after: place(50), restart: null, today: 0, total: 148 });
    expect(next.day).toBe("2026-11-24");
  });

  test("restarts at the earliest tree when the days change, and retains its counts", () => {
    const progress = applyBatch(recordExamined(createProgress(null, NOW), 50, NOW), "tasks", batch(50, 50));
    const started = createProgress(progress, NOW + 1000);
    expect(started.parts.tasks).toEqual({ after: null, restart: null, today: 50, total: 50 });
    expect([started.nextAt, getSweepAllowance(started, NOW + 1000)]).toEqual([NOW + 1000, MAX_SWEPT_A_MINUTE - 50]);
  });
});
