import { describe, expect, test } from "vitest";
import {
  recordEnd,
  recordStart,
  supersedeRun,
  isOpen,
  getRecheckTime,
  createOccurrence,
  recordFailedStart,
} from "../../../core/schedules/occurrence.ts";

const occurrence = recordStart(
  createOccurrence(0, { key: "1970", isManual: false, now: 0, expectedMs: null }),
  "task_1",
  1,
);

describe("an occurrence after the end of its task", () => {
  test("says why it failed, if a reason was given", () => {
    const failed = (why: string | null) => recordEnd(occurrence, { status: "failed", why }, 2);
    expect(failed("The model was away.")).toMatchObject({
      state: "failed",
      why: "the task failed: The model was away.",
    });
    expect(failed(null)).toMatchObject({ state: "failed", why: "the task failed" });
    expect(failed(`.${"😀".repeat(200)}`).why).toBe(`the task failed: .${"😀".repeat(149)}`);
  });

  test("records that the task was cancelled or deleted, and retains an earlier reason", () => {
    expect(recordEnd(occurrence, { status: "cancelled", why: null }, 2).why).toBe("the task was cancelled");
    expect(recordEnd(occurrence, null, 2).why).toContain("erased");
    const gave = supersedeRun(occurrence, "the next", 2);
    expect(recordEnd(gave, { status: "failed", why: "Something else." }, 3).why).toContain("the next");
    expect(recordEnd(occurrence, { status: "completed", why: null }, 2)).toMatchObject({
      state: "finished",
      why: null,
    });
  });
});

describe("an occurrence whose start fails", () => {
  const starting = createOccurrence(0, { key: "1970", isManual: false, now: 0, expectedMs: null });
  const away = { code: "upstream_failed", message: "The database is away." } as const;
  const lost = { code: "internal", message: "Otto failed.", happened: "unknown" } as const;
  const tried = (occurrence: typeof starting, ...failures: (typeof away | typeof lost)[]) =>
    failures.reduce((before, failure) => recordFailedStart(before, failure, 60_000, 1), occurrence);

  test("may have a task from the first unanswered attempt on, despite later answers", () => {
    for (const failures of [[lost], [lost, away], [away, lost, away, away]]) {
      const failed = tried(starting, ...failures);
      expect(failed).toMatchObject({ state: "starting", mayExist: true, failures: failures.length });
      expect(supersedeRun(failed, "the next", 2)).toMatchObject({ state: "starting", gaveWay: true });
    }
    // The state after a crash during an attempt.
    expect(tried({ ...starting, mayExist: true }, away)).toMatchObject({ state: "starting", mayExist: true });
  });

  test("surely has no task while every attempt was answered, and is skipped when superseded", () => {
    const failed = tried(starting, away, away);
    expect(failed).toMatchObject({ state: "starting", mayExist: false, why: away.message });
    expect(supersedeRun(failed, "the next", 2)).toMatchObject({ state: "skipped", endedAt: 2 });
  });

  test("is skipped when it was superseded during a refused attempt", () => {
    const gave = { ...supersedeRun({ ...starting, mayExist: true }, "the next", 1), mayExist: false };
    expect(isOpen(gave)).toBe(true);
    for (const refusal of [away, { code: "not_found", message: "There is no such agent." } as const])
      expect(recordFailedStart(gave, refusal, 60_000, 2)).toMatchObject({
        state: "skipped",
        endedAt: 2,
        why: "superseded by the run of the next",
      });
  });

  test("is retried when it was superseded during an unanswered attempt, and says why it is cancelled", () => {
    const gave = { ...supersedeRun({ ...starting, mayExist: true }, "the next", 1), mayExist: false };
    const failed = tried(gave, lost, away);
    expect(failed).toMatchObject({ state: "starting", gaveWay: true, mayExist: true });
    expect(recordStart(failed, "task_1", 3)).toMatchObject({
      state: "fired",
      why: expect.stringContaining("superseded"),
    });
  });
});

describe("an occurrence whose task's end was not reported", () => {
  const HOUR = 3_600_000;
  const working = (lookedAt: number | null) => ({ ...recordStart(occurrence, "task_1", 0), lookedAt });

  test("is checked after an hour, then less and less often, and at least once a day", () => {
    const looks: number[] = [];
    for (let at = getRecheckTime(working(null)); looks.length < 8; at = getRecheckTime(working(at))) looks.push(at);
    expect(looks.map((at) => at / HOUR)).toEqual([1, 2, 4, 8, 16, 32, 56, 80]);
  });

  test("is not checked without a task", () => {
    expect(getRecheckTime({ ...working(null), state: "queued", firedAt: null })).toBe(Infinity);
    expect(getRecheckTime({ ...working(null), state: "finished" })).toBe(Infinity);
  });
});
