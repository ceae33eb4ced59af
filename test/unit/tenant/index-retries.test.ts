/** When a tenant's object tries again what failed in the background. */
import { expect, test } from "vitest";
import { computeRetryAt, computeSendDelayMs } from "../../../core/tenant/index-outbox.ts";

const NOW = Date.UTC(2026, 10, 23, 12);

test("the next attempt is due at the same time however often it is computed", () => {
  const dueAt = NOW + computeSendDelayMs(3);
  for (const later of [0, 10, computeSendDelayMs(3) - 1]) expect(computeRetryAt(3, NOW, NOW + later)).toBe(dueAt);
  expect(computeRetryAt(3, NOW, dueAt)).toBe(dueAt);
  expect(computeRetryAt(3, NOW, dueAt + 50)).toBe(dueAt + 50);
});

test("without a failure, or under a clock that was set back, it is now", () => {
  expect(computeRetryAt(0, 0, NOW)).toBe(NOW);
  expect(computeRetryAt(3, NOW, NOW - 3_600_000)).toBe(NOW - 3_600_000);
});
