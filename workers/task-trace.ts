/** A task's steps and calls with their times, as its log and its ledger tell them. */
import type { TaskEvent } from "../core/events.ts";
import type { EventPage } from "../core/objects.ts";
import type { LedgerRow } from "../core/task-state.ts";
import type { TaskView } from "../core/task-view.ts";

const PAGE_EVENTS = 500;

interface StepTimes {
  attempts: number;
  startedAt: string | null;
  modelCompletedAt: string | null;
  completedAt: string | null;
}

/** Every event that there is. A task's log is bounded by its steps and calls. */
export async function readWholeLog(read: (after: number, limit: number) => Promise<EventPage>): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  for (let last = 0; ; ) {
    const page = await read(last, PAGE_EVENTS);
    events.push(...page.events);
    last = page.last;
    if (page.events.length < PAGE_EVENTS) return events;
  }
}

/** The trace of the API. */
export function traceOf(view: TaskView, rows: readonly LedgerRow[], log: readonly TaskEvent[]) {
  const steps = stepTimes(log);
  for (const { step } of rows) if (!steps.has(step)) steps.set(step, noTimes());
  return {
    task_id: view.id,
    status: view.status,
    duration_ms: between(view.started_at, view.ended_at),
    steps: [...steps]
      .toSorted(([a], [b]) => a - b)
      .map(([step, times]) => ({
        step,
        attempts: times.attempts,
        started_at: times.startedAt,
        model_completed_at: times.modelCompletedAt,
        completed_at: times.completedAt,
        duration_ms: between(times.startedAt, times.completedAt),
        calls: rows.filter((row) => row.step === step).map(callOf),
      })),
  };
}

function stepTimes(log: readonly TaskEvent[]): Map<number, StepTimes> {
  const steps = new Map<number, StepTimes>();
  for (const { type, data } of log) {
    const { step, at } = data;
    if (typeof step !== "number" || !/^(?:step|message)\./.test(type)) continue;
    const times = steps.get(step) ?? noTimes();
    steps.set(step, times);
    if (type === "step.started") {
      times.attempts += 1;
      times.startedAt ??= at;
    } else if (type === "message.completed") times.modelCompletedAt = at;
    else if (type === "step.completed") times.completedAt = at;
  }
  return steps;
}

function noTimes(): StepTimes {
  return { attempts: 0, startedAt: null, modelCompletedAt: null, completedAt: null };
}

function callOf(row: LedgerRow) {
  return {
    call_id: row.callId,
    tool: row.tool,
    state: row.state,
    attempts: row.attempts,
    intended_at: new Date(row.intendedAt).toISOString(),
    settled_at: row.settledAt === null ? null : new Date(row.settledAt).toISOString(),
    duration_ms: row.durationMs,
  };
}

function between(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Date.parse(to) - Date.parse(from);
}
