import { describe, expect, test } from "vitest";
import {
  ended,
  fired,
  givenWay,
  isOpen,
  lookAgainAt,
  newOccurrence,
  notStarted,
} from "../../../core/schedules/occurrence.ts";

const occurrence = fired(newOccurrence(0, { key: "1970", isManual: false, now: 0, expectedMs: null }), "task_1", 1);

describe("an occurrence whose task has ended", () => {
  test("says why it failed, as far as somebody said so", () => {
    const failed = (why: string | null) => ended(occurrence, { status: "failed", why }, 2);
    expect(failed("The model was away.")).toMatchObject({
      state: "failed",
      why: "the task failed: The model was away.",
    });
    expect(failed(null)).toMatchObject({ state: "failed", why: "the task failed" });
    expect(failed(`.${"😀".repeat(200)}`).why).toBe(`the task failed: .${"😀".repeat(149)}`);
  });

  test("says that it was cancelled or erased, and keeps what was said before", () => {
    expect(ended(occurrence, { status: "cancelled", why: null }, 2).why).toBe("the task was cancelled");
    expect(ended(occurrence, null, 2).why).toContain("erased");
    const gave = givenWay(occurrence, "the next", 2);
    expect(ended(gave, { status: "failed", why: "Something else." }, 3).why).toContain("the next");
    expect(ended(occurrence, { status: "completed", why: null }, 2)).toMatchObject({ state: "finished", why: null });
  });
});

describe("an occurrence whose start fails", () => {
  const starting = newOccurrence(0, { key: "1970", isManual: false, now: 0, expectedMs: null });
  const away = { code: "upstream_failed", message: "The database is away." } as const;
  const lost = { code: "internal", message: "Otto failed.", happened: "unknown" } as const;
  const tried = (occurrence: typeof starting, ...failures: (typeof away | typeof lost)[]) =>
    failures.reduce((before, failure) => notStarted(before, failure, 60_000, 1), occurrence);

  test("may have a task from the first attempt on that nobody answered, whatever is answered later", () => {
    for (const failures of [[lost], [lost, away], [away, lost, away, away]]) {
      const failed = tried(starting, ...failures);
      expect(failed).toMatchObject({ state: "starting", mayExist: true, failures: failures.length });
      expect(givenWay(failed, "the next", 2)).toMatchObject({ state: "starting", gaveWay: true });
    }
    // What a crash in the middle of an attempt leaves.
    expect(tried({ ...starting, mayExist: true }, away)).toMatchObject({ state: "starting", mayExist: true });
  });

  test("surely has none while every attempt was answered, and is skipped when it gives way", () => {
    const failed = tried(starting, away, away);
    expect(failed).toMatchObject({ state: "starting", mayExist: false, why: away.message });
    expect(givenWay(failed, "the next", 2)).toMatchObject({ state: "skipped", endedAt: 2 });
  });

  test("is skipped when it gave way during an attempt that was refused, and not made for being cancelled", () => {
    const gave = { ...givenWay({ ...starting, mayExist: true }, "the next", 1), mayExist: false };
    expect(isOpen(gave)).toBe(true);
    for (const refusal of [away, { code: "not_found", message: "There is no such agent." } as const])
      expect(notStarted(gave, refusal, 60_000, 2)).toMatchObject({
        state: "skipped",
        endedAt: 2,
        why: "gave way to the run of the next",
      });
  });

  test("is looked for when it gave way during an attempt that nobody answered, and says why it is cancelled", () => {
    const gave = { ...givenWay({ ...starting, mayExist: true }, "the next", 1), mayExist: false };
    const failed = tried(gave, lost, away);
    expect(failed).toMatchObject({ state: "starting", gaveWay: true, mayExist: true });
    expect(fired(failed, "task_1", 3)).toMatchObject({ state: "fired", why: expect.stringContaining("gave way") });
  });
});

describe("an occurrence whose task's end nobody told", () => {
  const HOUR = 3_600_000;
  const working = (lookedAt: number | null) => ({ ...fired(occurrence, "task_1", 0), lookedAt });

  test("is looked at after an hour, ever more seldom, and once a day at least", () => {
    const looks: number[] = [];
    for (let at = lookAgainAt(working(null)); looks.length < 8; at = lookAgainAt(working(at))) looks.push(at);
    expect(looks.map((at) => at / HOUR)).toEqual([1, 2, 4, 8, 16, 32, 56, 80]);
  });

  test("is not looked at where it has no task", () => {
    expect(lookAgainAt({ ...working(null), state: "queued", firedAt: null })).toBe(Infinity);
    expect(lookAgainAt({ ...working(null), state: "finished" })).toBe(Infinity);
  });
});
