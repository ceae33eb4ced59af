import { expect, test } from "vitest";
import { FailurePause } from "../../../core/base/failure-pause.ts";

const NOW = 1_800_000_000_000;

test("a pause lasts its time after a failure, and ends early by `end` or when the clock was set back", () => {
  const pause = new FailurePause(5000);
  expect(pause.isOn(NOW)).toBe(false);
  pause.begin(NOW);
  expect([0, 4999, 5000, -1].map((after) => pause.isOn(NOW + after))).toEqual([true, true, false, false]);
  pause.end();
  expect(pause.isOn(NOW)).toBe(false);
});
