/** A task's steps and calls with their times and cost, from its log, its ledger and its spending. */
import { MICROS_PER_DOLLAR } from "../../core/task/amounts.ts";
import { formatAccount } from "../../core/connections/account.ts";
import type { TaskEvent } from "../../core/task/events.ts";
import type { EventPage, LedgerPage } from "../../core/task/rpc.ts";
import { getLabelName } from "../../core/provenance/label.ts";
import type { LedgerRow, Spend } from "../../core/task/decision.ts";
import type { TaskView } from "../../core/task/view.ts";

const PAGE_ROWS = 500;

/** The sources of a trace: pages of the log and of the ledger, and the spending. */
export interface TraceSource {
  readonly events: (after: number, limit: number) => Promise<EventPage>;
  readonly ledger: (page: { after: string | null; limit: number; withResults: boolean }) => Promise<LedgerPage>;
  readonly spending: () => Promise<readonly Spend[]>;
}

interface StepTimes {
  attempts: number;
  startedAt: string | null;
  modelStartedAt: string | null;
  modelCompletedAt: string | null;
  completedAt: string | null;
}

/** Reads every call of a task in order, page by page, without results. */
async function* readCalls(ledger: TraceSource["ledger"]): AsyncGenerator<LedgerRow> {
  for (let after: string | null = null; ; ) {
    const { rows, next }: LedgerPage = await ledger({ after, limit: PAGE_ROWS, withResults: false });
    yield* rows;
    if (next === null) return;
    after = next;
  }
}

/**
 * Builds the trace of the API. Of each page it stores only the numbers of each step (at most 101) and each call (64
 * per step). The usage of a step includes its model calls, the shortening of its results and of the history, and its
 * ended subtasks, so that the steps add up to the task's own figure.
 */
export async function buildTrace(view: TaskView, source: TraceSource) {
  const steps = await stepTimes(source.events);
  const spending = await source.spending();
  const [byStep, byCall] = [groupCalls(spending, ({ step }) => step), groupCalls(spending, ({ callId }) => callId)];
  const calls = new Map<number, ReturnType<typeof toCallView>[]>();
  for await (const row of readCalls(source.ledger)) {
    const shown = toCallView(row, byCall.get(row.callId) ?? []);
    const others = calls.get(row.step);
    if (others === undefined) calls.set(row.step, [shown]);
    else others.push(shown);
  }
  for (const step of [...calls.keys(), ...byStep.keys()]) if (!steps.has(step)) steps.set(step, noTimes());
  return {
    task_id: view.id,
    status: view.status,
    started_at: view.started_at,
    ended_at: view.ended_at,
    duration_ms: getDuration(view.started_at, view.ended_at),
    usage: sumUsage(spending),
    steps: [...steps]
      .toSorted(([a], [b]) => a - b)
      .map(([step, times]) => ({
        step,
        attempts: times.attempts,
        started_at: times.startedAt,
        model_started_at: times.modelStartedAt,
        model_completed_at: times.modelCompletedAt,
        completed_at: times.completedAt,
        duration_ms: getDuration(times.startedAt, times.completedAt),
        usage: sumUsage(byStep.get(step) ?? []),
        models: listModels(byStep.get(step) ?? []),
        calls: calls.get(step) ?? [],
      })),
  };
}

async function* readLog(events: TraceSource["events"]): AsyncGenerator<TaskEvent> {
  for (let last = 0; ; ) {
    const page = await events(last, PAGE_ROWS);
    yield* page.events;
    if (page.done || page.events.length === 0) return;
    last = page.last;
  }
}

async function stepTimes(events: TraceSource["events"]): Promise<Map<number, StepTimes>> {
  const steps = new Map<number, StepTimes>();
  for await (const { type, data } of readLog(events)) {
    const { step, at } = data;
    if (typeof step !== "number" || !/^(?:step|message)\./.test(type)) continue;
    const times = steps.get(step) ?? noTimes();
    steps.set(step, times);
    if (type === "step.started") {
      times.attempts += 1;
      times.startedAt ??= at;
      times.modelStartedAt = at;
    } else if (type === "message.completed") times.modelCompletedAt = at;
    else if (type === "step.completed") times.completedAt = at;
  }
  return steps;
}

function noTimes(): StepTimes {
  return { attempts: 0, startedAt: null, modelStartedAt: null, modelCompletedAt: null, completedAt: null };
}

function groupCalls<Key>(spending: readonly Spend[], keyOf: (spend: Spend) => Key): Map<Key, Spend[]> {
  const groups = new Map<Key, Spend[]>();
  for (const spend of spending) {
    const group = groups.get(keyOf(spend));
    if (group === undefined) groups.set(keyOf(spend), [spend]);
    else group.push(spend);
  }
  return groups;
}

function sumUsage(spending: readonly Spend[]) {
  return {
    input_tokens: sum(spending, ({ inputTokens }) => inputTokens),
    output_tokens: sum(spending, ({ outputTokens }) => outputTokens),
    cost_usd: costUsd(spending),
    estimated: spending.some(({ estimated }) => estimated),
  };
}

/** Returns the called models, in the order of their first call. */
function listModels(spending: readonly Spend[]): string[] {
  return [...new Set(spending.flatMap(({ model }) => (model === null ? [] : [model])))];
}

function costUsd(spending: readonly Spend[]): number {
  return sum(spending, ({ costMicros }) => costMicros) / MICROS_PER_DOLLAR;
}

function sum(spending: readonly Spend[], figureOf: (spend: Spend) => number): number {
  return spending.reduce((sum, spend) => sum + figureOf(spend), 0);
}

function toCallView(row: LedgerRow, spending: readonly Spend[]) {
  return {
    call_id: row.callId,
    tool: row.tool,
    effect: row.effect,
    state: row.state,
    attempts: row.attempts,
    intended_at: new Date(row.intendedAt).toISOString(),
    settled_at: row.settledAt === null ? null : new Date(row.settledAt).toISOString(),
    duration_ms: row.durationMs,
    label: row.label === undefined ? null : getLabelName(row.label),
    account: row.account === undefined ? null : formatAccount(row.account),
    cost_usd: costUsd(spending),
  };
}

function getDuration(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Date.parse(to) - Date.parse(from);
}
