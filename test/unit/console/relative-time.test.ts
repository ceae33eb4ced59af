import { expect, test } from "vitest";
import { durationInWords, relativeTime } from "../../../web/src/ui/relative-time.ts";

const DAY_MS = 86_400_000;

test.each([
  [0, "now"],
  [-45_000, "45 seconds ago"],
  [-90_000, "1 minute ago"],
  [3_570_000, "in 1 hour"],
  [23.6 * 3_600_000, "in 1 day"],
  [30 * 3_600_000, "in 1 day"],
  [7 * DAY_MS - 60_000, "in 7 days"],
  [-6.6 * DAY_MS, "7 days ago"],
  [9 * DAY_MS, "in 9 days"],
  [-13 * DAY_MS, "13 days ago"],
  [14 * DAY_MS, "in 2 weeks"],
  [14 * DAY_MS - 60_000, "in 2 weeks"],
  [-45 * DAY_MS, "6 weeks ago"],
  [400 * DAY_MS, "in 13 months"],
  [-3 * 365 * DAY_MS, "3 years ago"],
])("%i ms from now is said as: %s", (ms, words) => {
  expect(relativeTime(1_000_000_000_000 + ms, 1_000_000_000_000)).toBe(words);
});

test.each([
  [45_000, "45 seconds"],
  [60_000, "1 minute"],
  [5_400_000, "1 hour 30 minutes"],
  [7 * DAY_MS, "7 days"],
  [DAY_MS + 60_000, "1 day"],
  [0, "0 seconds"],
])("%i ms are in words: %s", (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});
