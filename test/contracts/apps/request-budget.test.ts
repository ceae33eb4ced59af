/** The budget of requests to Composio: its limit within any minute, and calls before syncs. */
import { expect, test } from "vitest";
import { openRequestBudget } from "../../../adapters/composio/request-budget.ts";

const MINUTE_MS = 60_000;

test("gives at most 2,000 requests within any minute, however they come", () => {
  const budget = openRequestBudget();
  const sentAt: number[] = [];
  for (let now = 0; now < 4 * MINUTE_MS; now += 10)
    for (let tries = 0; tries < 10; tries += 1) if (budget.take("call", now) === 0) sentAt.push(now);
  let first = 0;
  let most = 0;
  for (const [last, at] of sentAt.entries()) {
    while ((sentAt[first] ?? 0) <= at - MINUTE_MS) first += 1;
    most = Math.max(most, last - first + 1);
  }
  expect(most).toBeLessThanOrEqual(2_000);
  expect(most).toBeGreaterThan(1_950);
});

test("gives calls what syncs may not take, and says when to come again", () => {
  const budget = openRequestBudget();
  let syncs = 0;
  while (budget.take("sync", 0) === 0) syncs += 1;
  const waitMs = budget.take("sync", 0);
  expect(budget.take("call", 0)).toBe(0);
  expect(syncs).toBe(250);
  expect(waitMs).toBeGreaterThan(0);
  expect(budget.take("sync", waitMs * 2 + 100)).toBe(0);
});

test("neither gives nor takes requests when the clock goes back", () => {
  const budget = openRequestBudget();
  while (budget.take("call", MINUTE_MS) === 0);
  expect(budget.take("call", 0)).toBeGreaterThan(0);
  expect(budget.take("call", MINUTE_MS)).toBeGreaterThan(0);
});
