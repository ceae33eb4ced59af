import { expect, test } from "vitest";
import type { TaskEvent } from "../../../core/task/events.ts";
import type { LedgerRow, Spend } from "../../../core/task/decision.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { buildTrace } from "../../../workers/tasks/trace.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const view = { id: "task_1", status: "completed", started_at: at(0), ended_at: at(9) } as TaskView;

const log = (["step.started", "message.completed", "step.completed"] as const).flatMap((type, index) =>
  [1, 2].map((step) => ({ type, data: { task_id: "task_1", at: at(4 * step + index), step } })),
);
const events = log.map((event, index): TaskEvent => ({ ...event, seq: index + 1 }));

const rowOf = (step: number, index: number): LedgerRow => ({
  callId: `call_1_${step}_${index}`,
  step,
  index,
  tool: "write_file",
  arguments: null,
  argumentsHash: "",
  effect: "keyed",
  key: "",
  state: "confirmed",
  attempts: 1,
  intendedAt: 0,
  settledAt: 1000,
  result: null,
  content: null,
  durationMs: 5,
});
const rows = [rowOf(1, 0), rowOf(1, 1), rowOf(2, 0)];

const spentOn = (purpose: Spend["purpose"], step: number, more: Partial<Spend> = {}): Spend => ({
  purpose,
  step,
  callId: null,
  model: "gpt-5",
  inputTokens: 100,
  outputTokens: 10,
  costMicros: 500,
  estimated: false,
  ...more,
});

/** A task whose log and ledger come in pages of one. */
function sourceOf(spending: readonly Spend[], onLedger: (page: { withResults: boolean }) => void = () => undefined) {
  return {
    events: async (after: number) => {
      const page = events.slice(after, after + 1);
      return { events: page, last: after + page.length, done: after + page.length === events.length };
    },
    ledger: async (page: { after: string | null; withResults: boolean }) => {
      onLedger(page);
      const from = rows.findIndex(({ callId }) => callId === page.after) + 1;
      const rowsOfPage = rows.slice(from, from + 1);
      return { rows: rowsOfPage, next: from + 1 < rows.length ? (rowsOfPage[0]?.callId ?? null) : null };
    },
    spending: async () => spending,
  };
}

test("a trace contains every page of the log and of the ledger, however short the pages are", async () => {
  const withResults: boolean[] = [];
  const trace = await buildTrace(
    view,
    sourceOf([], (page) => withResults.push(page.withResults)),
  );
  expect(trace.steps).toMatchObject([
    { step: 1, attempts: 1, started_at: at(4), model_completed_at: at(5), completed_at: at(6), duration_ms: 2000 },
    { step: 2, attempts: 1, started_at: at(8), model_completed_at: at(9), completed_at: at(10), duration_ms: 2000 },
  ]);
  expect(trace.steps.map(({ calls }) => calls.map(({ call_id }) => call_id))).toEqual([
    ["call_1_1_0", "call_1_1_1"],
    ["call_1_2_0"],
  ]);
  expect(new Set(withResults)).toEqual(new Set([false]));
});

test("a trace has the cost of each call and each step, and the steps add up to the total", async () => {
  const trace = await buildTrace(
    view,
    sourceOf([
      spentOn("step", 1),
      spentOn("step", 1, { model: "gpt-4.1", estimated: true }),
      spentOn("summary", 1, { callId: "call_1_1_1", model: "gpt-4.1", costMicros: 20 }),
      spentOn("subtask", 1, { callId: "call_1_1_0", model: null, inputTokens: 7000, costMicros: 90_000 }),
      spentOn("step", 2),
      spentOn("history", 3, { costMicros: 0.5 }),
    ]),
  );
  const [first, second, third] = trace.steps;
  expect(first).toMatchObject({
    usage: { input_tokens: 7300, output_tokens: 40, cost_usd: 0.09102, estimated: true },
    models: ["gpt-5", "gpt-4.1"],
    calls: [
      { call_id: "call_1_1_0", cost_usd: 0.09 },
      { call_id: "call_1_1_1", cost_usd: 0.00002 },
    ],
  });
  expect(second).toMatchObject({
    usage: { input_tokens: 100, output_tokens: 10, cost_usd: 0.0005, estimated: false },
    models: ["gpt-5"],
    calls: [{ cost_usd: 0 }],
  });
  // A step that has only begun to compact earlier steps has no event yet.
  expect(third).toMatchObject({ step: 3, attempts: 0, usage: { cost_usd: 5e-7 }, calls: [] });
  expect(trace.usage).toEqual({ input_tokens: 7500, output_tokens: 60, cost_usd: 0.0915205, estimated: true });
});

test("a step in which nothing was spent used nothing", async () => {
  const { steps, usage } = await buildTrace(view, sourceOf([]));
  const nothing = { input_tokens: 0, output_tokens: 0, cost_usd: 0, estimated: false };
  expect([usage, ...steps.map((step) => step.usage)]).toEqual([nothing, nothing, nothing]);
  expect(steps.map(({ models }) => models)).toEqual([[], []]);
});
