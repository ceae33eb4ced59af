import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toShortTask } from "../../../core/task/short.ts";
import type { PendingView, TaskView } from "../../../core/task/view.ts";

const SHORT: TaskView = {
  id: "task_1",
  status: "completed",
  reason: null,
  agent: { id: "agent_1", version: 1 },
  project: null,
  parent_id: null,
  input: "Say hello",
  output: { text: "Hello", files: [] },
  error: null,
  pending: [],
  usage: { steps: 1, tool_calls: 0, input_tokens: 1, output_tokens: 1, cost_usd: 0, estimated: false },
  budget: null,
  skills: [],
  metadata: { order: 17 },
  created_at: "2026-11-22T00:00:00.000Z",
  started_at: null,
  ended_at: null,
};
const LONG = "x".repeat(200_000);
const file = (path: string) => ({ path, size: 1, content_type: "text/plain" });
const approval: PendingView = {
  kind: "approval",
  id: "apr_1",
  call_id: "call_1",
  tool: "http_request",
  arguments: { body: LONG },
  arguments_hash: "0",
  reason: LONG,
  expires_at: null,
};

describe("the short form of a task", () => {
  test("is the task itself where nothing is long, and says that nothing is cut", () => {
    expect(toShortTask(SHORT)).toEqual({ ...SHORT, cut: [] });
  });

  test.each([
    ["input", { input: LONG }, { input: LONG.slice(0, 500) }],
    [
      "input",
      {
        input: [
          { role: "user", content: "First" },
          { role: "user", content: "Last" },
        ],
      },
      { input: [{ role: "user", content: "Last" }] },
    ],
    ["output", { output: { text: LONG, files: [] } }, { output: { text: LONG.slice(0, 500), files: [] } }],
    [
      "output",
      { output: { text: "Here.", files: Array.from({ length: 11 }, (_, index) => file(`${index}.txt`)) } },
      { output: { text: "Here.", files: Array.from({ length: 10 }, (_, index) => file(`${index}.txt`)) } },
    ],
    [
      "error",
      { error: { code: "internal", message: LONG } },
      { error: { code: "internal", message: "x".repeat(500) } },
    ],
    ["pending", { pending: [approval] }, { pending: [{ ...approval, reason: "x".repeat(500), arguments: null }] }],
    ["metadata", { metadata: { note: LONG } }, { metadata: {} }],
  ] as const)("names %s if it cuts the field", (field, given, shown) => {
    const task = { ...SHORT, ...given } as TaskView;
    const short = toShortTask(task);
    expect(short).toEqual({ ...SHORT, ...shown, cut: [field] });
    expect(toShortTask(short)).toEqual(short);
  });

  test("keeps every entry that waits, with the texts of questions and without their choices", () => {
    const question = { kind: "question", id: "qst_1", query: "Which?", person: null, expires_at: null } as const;
    const pending = [{ ...question, choices: null }, { ...question, choices: ["A", "B"] }, approval];
    const short = toShortTask({ ...SHORT, pending });
    expect(short.pending).toMatchObject([{ query: "Which?" }, { query: "Which?", choices: null }, { arguments: null }]);
    expect(short.cut).toEqual(["pending"]);
  });

  test("cuts no character of Unicode in two, wherever the cut falls", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom("😀", "e\u0301", "x"), (lead, unit) => {
        const { output, cut } = toShortTask({
          ...SHORT,
          output: { text: "y".repeat(lead) + unit.repeat(600), files: [] },
        });
        const text = output?.text ?? "";
        expect(text.isWellFormed()).toBe(true);
        expect([499, 500]).toContain(text.length);
        expect(cut).toEqual(["output"]);
      }),
    );
  });

  test("is a few thousand characters at most, whatever the task holds", () => {
    const task = {
      ...SHORT,
      input: LONG,
      output: { text: LONG, files: [] },
      error: { code: "internal", message: LONG },
    };
    expect(JSON.stringify(toShortTask({ ...task, pending: [approval] })).length).toBeLessThan(4000);
  });
});
