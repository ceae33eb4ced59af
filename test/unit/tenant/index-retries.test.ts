/** When a tenant's object tries again what failed in the background. */
import { expect, test } from "vitest";
import { computeRetryAt, sendDelayMs } from "../../../core/tenant/index-outbox.ts";

const NOW = Date.UTC(2026, 10, 23, 12);

test("the next try is due at one moment, however often it is asked for", () => {
  const dueAt = NOW + sendDelayMs(3);
  for (const later of [0, 10, sendDelayMs(3) - 1]) expect(computeRetryAt(3, NOW, NOW + later)).toBe(dueAt);
  expect(computeRetryAt(3, NOW, dueAt)).toBe(dueAt);
  expect(computeRetryAt(3, NOW, dueAt + 50)).toBe(dueAt + 50);
});

test("without a failure, or under a clock that was set back, it is now", () => {
  expect(computeRetryAt(0, 0, NOW)).toBe(NOW);
  expect(computeRetryAt(3, NOW, NOW - 3_600_000)).toBe(NOW - 3_600_000);
});
