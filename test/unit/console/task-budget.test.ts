import { describe, expect, it } from "vitest";
import { formatExceededLimit } from "../../../core/task/budget.ts";
import { endingLimit, usedSeconds } from "../../../web/src/pages/task/time/budget-words.ts";

const limits = { maxSteps: 5, maxTokens: 1000, maxCostMicros: 20_000, maxDurationMs: 9000 };

describe("the limits of a task in the console", () => {
  it.each([
    ["tokens", "tokens"],
    ["cost", "money"],
    ["duration", "time"],
  ] as const)("name %s as what ended it, in the task's own words", (kind, shown) => {
    const error = { code: "budget_exceeded", message: formatExceededLimit(kind, limits) };
    expect(endingLimit({ reason: "budget_exceeded", error })).toBe(shown);
  });

  it("name the steps at the limit of steps, and nothing for another end", () => {
    expect(endingLimit({ reason: "iteration_limit", error: null })).toBe("steps");
    expect(endingLimit({ reason: "cancelled", error: null })).toBeNull();
    expect(endingLimit({ reason: null, error: null })).toBeNull();
    const ofTenant = { code: "budget_exceeded", message: "The tenant's budget is used up." };
    expect(endingLimit({ reason: "budget_exceeded", error: ofTenant })).toBeNull();
  });

  it("count the time since the clock runs, and never less than is used", () => {
    const used = { steps: 1, tokens: 1, cost_usd: 0, duration_s: 4 };
    const since = "2026-03-01T12:00:00.000Z";
    expect(usedSeconds({ used, counting_since: null }, Date.parse(since))).toBe(4);
    expect(usedSeconds({ used, counting_since: since }, Date.parse(since) + 2500)).toBe(6.5);
    expect(usedSeconds({ used, counting_since: since }, Date.parse(since) - 2500)).toBe(4);
  });
});
