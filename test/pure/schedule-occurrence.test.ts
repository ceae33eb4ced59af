import { describe, expect, test } from "vitest";
import { ended, fired, givenWay, newOccurrence } from "../../core/schedules/occurrence.ts";

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
