import fc from "fast-check";
import { describe, expect, it } from "vitest";
import statisticsSummary from "../../../tools/maths/statistics-summary.ts";
import { runDocumented, runTool } from "../run-tool.ts";

async function summaryOf(numbers: readonly number[]): Promise<unknown> {
  return await runDocumented(statisticsSummary, { numbers });
}

describe("statistics_summary", () => {
  it("summarises numbers", async () => {
    expect(await runTool(statisticsSummary, { numbers: [4, 1, 3, 2] })).toEqual({
      result: {
        count: 4,
        mean: 2.5,
        median: 2.5,
        stdev: 1.2909944487358056,
        minimum: 1,
        maximum: 4,
        total: 10,
        error: null,
      },
      output: "count: 4\nmean: 2.5\nmedian: 2.5\nstdev: 1.2909944487358056\nminimum: 1\nmaximum: 4\ntotal: 10",
    });
  });

  it("has no deviation of one number", async () => {
    const only = { count: 1, mean: 7, median: 7, stdev: null, minimum: 7, maximum: 7, total: 7, error: null };
    expect(await summaryOf([7])).toEqual(only);
  });

  it("says that there is nothing to summarise", async () => {
    const none = { count: 0, mean: null, median: null, stdev: null, minimum: null, maximum: null, total: null };
    expect(await summaryOf([])).toEqual({ ...none, error: "No numbers: give at least one" });
  });

  it.each([
    [[1e16, 1, -1e16], { total: 1, mean: 1 / 3, median: 1 }],
    [[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], { total: 1, mean: 0.1, stdev: 0 }],
    [[1e308, 1e308, -1e308, -1e308], { total: 0, mean: 0 }],
    [
      [1e308, 1e308],
      { mean: 1e308, median: 1e308, stdev: 0, total: null, error: "OverflowError: too large for a float: total" },
    ],
    [[-1.7e308, 1.7e308], { mean: 0, stdev: null, total: 0, error: "OverflowError: too large for a float: stdev" }],
    [[5e-324, 5e-324], { mean: 5e-324, median: 5e-324, total: 1e-323, stdev: 0 }],
    [[1_000_000_001, 1_000_000_002, 1_000_000_003], { stdev: 1, mean: 1_000_000_002 }],
  ])("loses nothing on the way: %j", async (numbers, figures) => {
    expect(await summaryOf(numbers)).toMatchObject(figures);
  });

  it("does not depend on the order, and computes a mean and a median between the extremes", async () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(numbers, async (given) => {
        const summary = (await summaryOf(given)) as Record<"mean" | "median" | "minimum" | "maximum", number>;
        expect(await summaryOf([...given].reverse())).toEqual(summary);
        for (const middle of [summary.mean, summary.median]) {
          expect(middle).toBeGreaterThanOrEqual(summary.minimum);
          expect(middle).toBeLessThanOrEqual(summary.maximum);
        }
      }),
    );
  });

  it.each([
    ["more than 10,000 numbers", Array.from({ length: 10_001 }, () => 1), "numbers"],
    ["a text", [1, "two"], "numbers.1"],
    ["NaN", [Number.NaN], "numbers.0"],
    ["infinity", [1, Number.POSITIVE_INFINITY], "numbers.1"],
    ["no list", { first: 5 }, "numbers"],
  ])("refuses %s", async (_, numbers, field) => {
    expect((await runTool(statisticsSummary, { numbers })).failure).toMatchObject({ code: "invalid_input", field });
  });

  it("takes 10,000 numbers of all sizes", async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => (index + 1) * 10 ** ((index % 600) - 300));
    expect(await summaryOf(numbers)).toMatchObject({ count: 10_000, error: null });
  });
});
