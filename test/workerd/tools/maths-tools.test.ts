/** The tools of maths in the runtime that they are made for: called over the API, and by a model. */
import { describe, expect, test } from "vitest";
import { makeCaller } from "../http/entry.ts";

describe("maths over the API", () => {
  test.each([
    ["evaluate_expression", { expression: "-7 % 3 + 2 ** 10" }, { result: 1026, error: null }],
    ["evaluate_expression", { expression: "2 ** 64" }, { result: 2 ** 64, exact: "18446744073709551616", error: null }],
    ["evaluate_expression", { expression: "10 ** -5 + round(2.675, 2)" }, { result: 2.67001, error: null }],
    ["evaluate_expression", { expression: "20.5 ** 10" }, { result: 13108065732570.705, error: null }],
    ["evaluate_expression", { expression: "1 / 0" }, { result: null, error: "ZeroDivisionError: division by zero" }],
    [
      "evaluate_expression",
      { expression: "9**9**9**9" },
      { result: null, error: expect.stringContaining("Too large") },
    ],
    [
      "evaluate_expression",
      { expression: `${"(".repeat(4_000)}1` },
      { result: null, error: expect.stringContaining("levels") },
    ],
    ["evaluate_expression", { expression: `1${"+1".repeat(4_999)}` }, { result: 5_000, error: null }],
    ["statistics_summary", { numbers: [1, 2, 3, 4] }, { count: 4, mean: 2.5, stdev: 1.2909944487358056, error: null }],
    ["statistics_summary", { numbers: [] }, { count: 0, mean: null, error: "No numbers: give at least one" }],
    ["solve_equation", { equation: "x**3 = 2" }, { solutions: [Math.cbrt(2)], method: "symbolic", error: null }],
    ["solve_equation", { equation: "x*exp(x) = 0" }, { solutions: [0], method: "numeric", error: null }],
    ["solve_equation", { equation: `x${"+x".repeat(999)}` }, { solutions: [0], method: "symbolic", error: null }],
    ["solve_equation", { equation: "x + y" }, { solutions: [], error: expect.stringContaining("Unknown name: 'y'") }],
  ])("%s takes %j", async (name, given, result) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given });
    expect(answer.status, answer.text).toBe(200);
    // A failure has the fields of its document too.
    const { error } = result as { readonly error: unknown };
    const failure = error === null ? {} : { error: { code: "invalid_input", message: error, retry: "never" } };
    expect(answer.json).toMatchObject({ ok: error === null, result, ...failure });
  });

  test.each([
    ["evaluate_expression", { expression: "(".repeat(100_000) }, "arguments.expression"],
    ["statistics_summary", { numbers: [1, "two"] }, "arguments.numbers.1"],
    ["solve_equation", { equation: 5 }, "arguments.equation"],
  ])("%s names the argument that it refuses", async (name, given, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given });
    expect([answer.status, answer.json.errors[0].field]).toEqual([422, field]);
  });
});

test("a model reads the digits, the figures and the solutions", async () => {
  const caller = await makeCaller();
  const calls = [
    { name: "evaluate_expression", arguments: { expression: "factorial(25)" } },
    { name: "statistics_summary", arguments: { numbers: [1, 2, 6] } },
    { name: "solve_equation", arguments: { equation: "x**2 = 9" } },
  ];
  const task = await caller.makeTask([{ calls }, { text: "done" }]);
  await caller.until(task.id, ({ status }) => status === "completed");
  const rows = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json.data;
  expect(rows.map((row: { tool: string; result: unknown }) => [row.tool, row.result])).toMatchObject([
    ["evaluate_expression", { ok: true, result: { exact: "15511210043330985984000000" } }],
    ["statistics_summary", { ok: true, result: { mean: 3, median: 2, total: 9 } }],
    ["solve_equation", { ok: true, result: { solutions: [-3, 3], method: "symbolic" } }],
  ]);
});
