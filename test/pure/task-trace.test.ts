import { expect, test } from "vitest";
import type { TaskEvent } from "../../core/events.ts";
import type { LedgerRow } from "../../core/task-state.ts";
import type { TaskView } from "../../core/task-view.ts";
import { traceOf } from "../../workers/task-trace.ts";

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

test("a trace holds what every page of the log and of the ledger tells, however short the pages are", async () => {
  const withResults: boolean[] = [];
  const trace = await traceOf(view, {
    events: async (after) => {
      const page = events.slice(after, after + 1);
      return { events: page, last: after + page.length, done: after + page.length === events.length };
    },
    ledger: async (page) => {
      withResults.push(page.withResults);
      const from = rows.findIndex(({ callId }) => callId === page.after) + 1;
      const shown = rows.slice(from, from + 1);
      return { rows: shown, next: from + 1 < rows.length ? (shown[0]?.callId ?? null) : null };
    },
  });
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
