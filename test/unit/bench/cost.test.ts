/** A bill is counts times list prices: worked examples, the promise next to Cloudflare Agents, and `docs/cost.md`. */
import { expect, test } from "vitest";
import { price, priceFixed, priceItem, STEP, toUsage, type Usage } from "../../../bench/cost/bill.ts";
import { parseCounts, readAgentsCounts, readOwnCounts } from "../../../bench/cost/counts.ts";
import { compare, formatCostPage } from "../../../bench/cost/page.ts";

const NOTHING: Usage = {
  workersRequests: 0,
  objectRequests: 0,
  objectGbSeconds: 0,
  rowsRead: 0,
  rowsWritten: 0,
  r2Operations: 0,
  postgresBytes: 0,
  storedBytes: 0,
};

const PAGE = `# Title

## Counts

| count | \`none\` step | other |
| --- | ---: | ---: |
| object rows written, alarms included | 3 | 0 |
| task bytes stored | 4096 | 0 |
| task rows read | 7 | 0 |
| tenant rows read | 4 | 0 |
| sandbox rows read | 5 | 0 |
| alarm runs | 2 | 0 |
| object calls | 1 | 0 |
| model requests | 1 | 0 |
| R2 operations | 1 | 0 |
| Postgres bytes | 900 | 0 |

## Calls of objects, by method
`;

test("the usage of a step is what the platform bills of its counts", () => {
  expect(toUsage(STEP, parseCounts(PAGE))).toEqual({
    workersRequests: 0,
    objectRequests: 3,
    objectGbSeconds: 7 * 0.128,
    rowsRead: 16,
    rowsWritten: 3,
    r2Operations: 1,
    postgresBytes: 900,
    storedBytes: 4096,
  });
});

test("a million of it cost the sum of its items", () => {
  const usage = toUsage(STEP, parseCounts(PAGE));
  // 3 requests $0.45, 0.896 GB-s $11.20, 16 rows read $0.016, 3 written $3, one operation $4.50, 0.9 GB $0.09, 4.096 GB $0.8192.
  expect(price(usage, 1_000_000)).toBeCloseTo(0.45 + 11.2 + 0.016 + 3 + 4.5 + 0.09 + 0.8192, 10);
  expect(price(usage, 1_000_000, ["rowsWritten"])).toBe(3);
});

// Examples of Cloudflare's own pages of prices.
test.each([
  ["15 million requests to a Worker", { workersRequests: 15e6 }, 1.5],
  ["259.2 million seconds of active objects", { objectGbSeconds: 259_200_000 * 0.128 }, 409.72],
  ["fewer rows than the plan includes", { rowsWritten: 50e6, rowsRead: 25e9 }, 0],
])("beyond the plan, %s cost what the price page says", (_, used, dollars) => {
  expect(price({ ...NOTHING, ...used }, 1, undefined, true)).toBeCloseTo(dollars, 6);
});

test("at the list price nothing is included", () => {
  expect(priceItem({ ...NOTHING, rowsWritten: 51 }, "rowsWritten", 1_000)).toBeCloseTo(0.051, 10);
  expect(priceItem({ ...NOTHING, rowsWritten: 51 }, "rowsWritten", 1_000, { beyondPlan: true })).toBe(0);
});

test("a deployment's fixed part is the plan and the smallest database, awake all month", () => {
  expect(priceFixed()).toBeCloseTo(5 + 0.25 * 0.106 * 730, 10);
});

test("what was not counted has no bill", () => {
  expect(() => toUsage({ ...STEP, scenario: "gone" }, parseCounts(PAGE))).toThrow('"gone" was not counted');
  expect(() => toUsage(STEP, parseCounts(PAGE.replace("| alarm runs |", "| runs |")))).toThrow('"alarm runs" was not');
  expect(() => parseCounts(PAGE.replace("| 7 |", "| – |"))).toThrow('no count of "task rows read" for "`none` step"');
  expect(() => parseCounts("# Empty\n")).toThrow("docs/counts.md has no table of counts");
});

test("a million steps of 7 s cost at most 1.15 times what they cost with Cloudflare Agents", () => {
  const [steps] = compare(readOwnCounts(), readAgentsCounts());
  expect(steps?.label).toBe("a million `none` steps, model of 7 s");
  expect(steps?.its).toBeGreaterThan(0);
  expect(steps?.times).toBeLessThanOrEqual(1.15);
});

test("docs/cost.md is computed from docs/counts.md", async () => {
  await expect(formatCostPage(readOwnCounts(), readAgentsCounts())).toMatchFileSnapshot("../../../docs/cost.md");
});
