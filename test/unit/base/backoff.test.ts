import { expect, test } from "vitest";
import { computeBackoffMs } from "../../../core/base/backoff.ts";

test("the delay doubles from the first up to the longest, however many failures there are", () => {
  expect([0, 1, 2, 3, 6, 7, 10_000].map((failures) => computeBackoffMs(failures, 60_000))).toEqual([
    1_000, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
  ]);
  expect(computeBackoffMs(3, 5_000, 50)).toBe(200);
});
