/** The bench says what it measured: jobs are read as they were written, and a row holds medians, spreads and ratios. */
import { expect, test } from "vitest";
import { inputOf, jobOf } from "../../../bench/job.ts";
import { busyWarning } from "../../../bench/report.ts";
import { lineThrough, slopeOf } from "../../../bench/slope.ts";
import { replyTo } from "../../../bench/model/script.ts";
import type { Row, Section } from "../../../bench/rows/section.ts";
import { Figures, tableOf } from "../../../bench/table.ts";
import { wholeNumber } from "../../drill/read-options.ts";

const SECTION: Section = {
  name: "gap",
  rows: [{ key: "gap", label: "gap, ms", digits: 1, target: "≤ 3×" }],
  measure: () => Promise.resolve(),
};

/** The last line of a table of one row. `wanted`: what the row must meet. */
function lastLine(rounds: Readonly<Record<string, readonly number[]>>, wanted: Partial<Row> = {}): string | undefined {
  const figures = new Figures();
  for (const [contender, values] of Object.entries(rounds)) {
    for (const value of values) figures.add("gap", contender, value);
  }
  const rows = SECTION.rows.map((row) => ({ ...row, ...wanted }));
  return tableOf(figures, [{ ...SECTION, rows }])
    .split("\n")
    .at(-1);
}

test("a row holds the medians of the rounds with their spreads, and ratios that were taken round by round", () => {
  expect(lastLine({ Otto: [2, 6, 4], "bare object": [1, 2, 4], "AI SDK loop": [1, 1, 1] })).toBe(
    "| gap, ms | 4.0 (2.0–6.0) | 2.0 (1.0–4.0) | 2.00 (1.00–3.00) | 1.0 (1.0–1.0) | 4.00 (2.00–6.00) | – | – | ≤ 3× |",
  );
});

test("an absent figure, and a ratio to nothing or to less, is a dash", () => {
  expect(lastLine({ Otto: [2], "bare object": [0] })).toBe("| gap, ms | 2.0 | 0.0 | – | – | – | – | – | ≤ 3× |");
  expect(lastLine({ Otto: [2], "bare object": [-3] })).toBe("| gap, ms | 2.0 | -3.0 | – | – | – | – | – | ≤ 3× |");
  expect(lastLine({ "bare object": [2] })).toBe("| gap, ms | – | 2.0 | – | – | – | – | – | ≤ 3× |");
});

test.each<[Partial<Row>, string]>([
  [{ must: 4 }, "met"],
  [{ must: 3.9 }, "not met"],
  [{ mustTimes: 2 }, "met"],
  [{ mustTimes: 1.9 }, "not met"],
  [{ must: 4, mustTimes: 1.9 }, "not met"],
  [{ mustBe: "at most" }, "met"],
  [{ mustBe: "below" }, "not met"],
  [{ mustBe: "above" }, "not met"],
])("the table says whether the median meets %o", (wanted, found) => {
  const rounds = { Otto: [2, 6, 4], "bare object": [1, 3, 2], "Cloudflare Agents": [2, 6, 4] };
  expect(lastLine(rounds, wanted)).toContain(`| ≤ 3×: ${found} |`);
});

test("without the peer the table says so, and judges what it can", () => {
  const rounds = { Otto: [2], "bare object": [1] };
  expect(lastLine(rounds, { mustBe: "below" })).toContain("| ≤ 3×; Cloudflare Agents not measured |");
  expect(lastLine(rounds, { mustTimes: 2, mustBe: "below" })).toContain(
    "| ≤ 3×: met; Cloudflare Agents not measured |",
  );
  expect(lastLine({}, { mustBe: "below" })).toContain("| ≤ 3× |");
});

test("a request holds the job that was written into its task's input, before what its tool calls say", () => {
  const job = { kind: "fan", steps: 1, modelMs: 200 } as const;
  const reply = replyTo({ ...job, task: "t7" }, 1, "http://tool");
  const request = JSON.stringify({ messages: [{ role: "user", content: inputOf("t7", job) }, reply] });
  expect(jobOf(request)).toEqual({ ...job, task: "t7" });
  expect(jobOf("{}")).toBeNull();
});

test("a task has the steps of its job and then its answer; its subtasks are named after it and answer at once", () => {
  const job = { task: "t1", kind: "fan", steps: 1, modelMs: 0 } as const;
  const jobs = replyTo(job, 1, "http://tool").calls?.map((call) => jobOf(JSON.stringify(call.arguments)));
  expect(jobs).toHaveLength(10);
  expect(jobs?.[9]).toEqual({ task: "t1-1-10", kind: "clock", steps: 0, modelMs: 0 });
  expect(replyTo(job, 2, "http://tool")).toEqual({ text: "done" });
});

test("a slope is that of the nearest line: of a line its own, and zero for values that return to their start", () => {
  expect(slopeOf([100, 103, 106, 109])).toBe(3);
  expect(slopeOf([100, 140, 100, 140, 100])).toBe(0);
  expect(slopeOf([100, 140, 110, 150, 120])).toBeCloseTo(5);
});

test("a line goes through points that are on one, and between others", () => {
  const points = [
    [10, 1],
    [30, 2],
    [50, 3],
  ] as const;
  expect(lineThrough(points)(70)).toBeCloseTo(4);
  expect(lineThrough([...points, [30, 5]])(30)).toBeCloseTo(2.75);
});

test("a machine that is busy with something else is named before the run", () => {
  expect(busyWarning(0.5)).toBeNull();
  expect(busyWarning(2.8)).toContain("2.8");
});

test("a number of an option is an integer above its minimum, and named if it is not", () => {
  expect(wholeNumber("rounds", "3", 1)).toBe(3);
  for (const text of ["0", "-1", "2.5", "three", "", "1e3"]) {
    expect(() => wholeNumber("rounds", text, 1)).toThrow(`--rounds ${text} is not an integer of at least 1`);
  }
});
