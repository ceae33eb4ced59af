/** Judges an ended task by outside evidence and its log. */
import type { WireMessage } from "../mock-servers/model-server.ts";
import type { RecordedRequest } from "../mock-servers/recorder.ts";
import type { EventBody, LedgerBody, TaskBody } from "./api-client.ts";
import type { ScriptedCall } from "./calls.ts";
import { parsePlace, readText } from "./received.ts";

/** The expected calls, answer and files of a task. */
export interface Expected {
  readonly drill: string;
  readonly answer: string;
  /** The calls of each step that calls tools, from the first; one more step answers. */
  readonly steps: readonly (readonly ScriptedCall[])[];
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A request to the model. Times are `performance.now()` milliseconds; steps count from 1. */
export interface RequestedStep {
  readonly at: number;
  readonly step: number;
  readonly body: { readonly messages: readonly WireMessage[] };
}

/** The interval of a kill that can hide a call's outcome, in `performance.now()` milliseconds. */
export interface KillTime {
  readonly from: number;
  readonly at: number;
}

/** All evidence of an ended task. The last request to the model must include its messages. */
export interface Evidence {
  readonly expected: Expected;
  readonly task: TaskBody;
  readonly ledger: readonly LedgerBody[];
  readonly events: readonly EventBody[];
  readonly files: Readonly<Record<string, string | null>>;
  readonly modelRequests: readonly RequestedStep[];
  readonly recorded: readonly RecordedRequest[];
  readonly kills: readonly KillTime[];
}

/** The findings, one line each. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly repeatedSteps: readonly string[];
  readonly keyedDuplicates: readonly string[];
  readonly unkeyedDuplicates: readonly string[];
  readonly other: readonly string[];
  /** Unkeyed calls with an unknown outcome. Allowed if a kill hit them and the model was informed. */
  readonly unknownSent: number;
  readonly unknownUnsent: number;
}

/** Lists all findings, one line each. */
export function listFindings({ lost, repeatedSteps, keyedDuplicates, unkeyedDuplicates, other }: Verdict): string[] {
  return [
    ...lost.map((line) => `lost: ${line}`),
    ...repeatedSteps.map((line) => `repeated: ${line}`),
    ...keyedDuplicates.map((line) => `keyed duplicate: ${line}`),
    ...unkeyedDuplicates.map((line) => `unkeyed duplicate: ${line}`),
    ...other,
  ];
}

/** Creates the verdict on a task that was lost completely. */
export function makeLostVerdict(line: string): Verdict {
  return {
    lost: [line],
    repeatedSteps: [],
    keyedDuplicates: [],
    unkeyedDuplicates: [],
    other: [],
    unknownSent: 0,
    unknownUnsent: 0,
  };
}

export function judge(evidence: Evidence): Verdict {
  const lost: string[] = [];
  const keyedDuplicates: string[] = [];
  const unkeyedDuplicates: string[] = [];
  const other: string[] = [];
  let unknownSent = 0;
  let unknownUnsent = 0;
  const { expected, task } = evidence;
  const { drill } = expected;

  if (task.status !== "completed" || task.output?.text !== expected.answer) {
    lost.push(
      `${drill}: the task ended as ${task.status} (${task.reason ?? "no reason"}) with ${JSON.stringify(task.output?.text)}`,
    );
  }
  for (const [before, calls] of expected.steps.entries()) {
    const step = before + 1;
    const rows = evidence.ledger.filter((row) => row.step === step);
    if (rows.length !== calls.length)
      lost.push(`${drill} step ${step}: ${rows.length} rows in the ledger for ${calls.length} calls`);
    for (const [index, call] of calls.entries()) {
      const where = `${drill} step ${step} call ${index} (${call.name}, ${call.effect})`;
      const state = rows[index]?.state ?? "missing";
      const seen = evidence.recorded.filter((request) => request.path === call.path);
      if (call.effect === "once" && state === "unknown") {
        if (seen.length > 0) unknownSent += 1;
        else unknownUnsent += 1;
        if (!wasHit(evidence, step)) other.push(`${where}: unknown, and nothing was killed meanwhile`);
        if (!isOutcomeReported(evidence, rows[index]?.call_id))
          other.push(`${where}: unknown, and the model was not told`);
      } else if (state !== "confirmed") lost.push(`${where}: the ledger says ${state}`);
      else if (call.path !== null && seen.length === 0) lost.push(`${where}: confirmed, and it never happened`);
      if (call.effect === "once" && seen.length > 1) unkeyedDuplicates.push(`${where}: happened ${seen.length} times`);
      if (call.effect === "keyed") {
        const keys = new Set(seen.map((request) => request.idempotencyKey));
        if (keys.has(null)) keyedDuplicates.push(`${where}: sent without a key`);
        else if (keys.size > 1) keyedDuplicates.push(`${where}: sent under ${keys.size} keys`);
        const bodies = new Set(seen.map((request) => `${request.method} ${request.body}`));
        const effects = seen.filter(({ acted }) => acted).length;
        if (keys.size === 1 && effects > 1) keyedDuplicates.push(`${where}: happened ${effects} times under one key`);
        if (bodies.size > 1) keyedDuplicates.push(`${where}: one key, ${bodies.size} requests that differ`);
      }
    }
  }
  const keys = Map.groupBy(
    evidence.recorded.filter((request) => request.idempotencyKey !== null),
    (request) => request.idempotencyKey,
  );
  for (const [key, requests] of keys) {
    if (new Set(requests.map((request) => request.path)).size > 1)
      keyedDuplicates.push(`key ${key} stands for several calls`);
  }
  for (const [path, wanted] of Object.entries(expected.files)) {
    const text = evidence.files[path];
    if (text !== wanted) lost.push(`${drill}: ${path} holds ${JSON.stringify(text)?.slice(0, 60)}`);
  }
  other.push(...judgeLog(evidence));
  return {
    lost,
    repeatedSteps: repeatedSteps(evidence),
    keyedDuplicates,
    unkeyedDuplicates,
    other,
    unknownSent,
    unknownUnsent,
  };
}

/** A step is complete once the next one was requested. No request of it may follow. */
function repeatedSteps({ modelRequests, recorded, expected }: Evidence): string[] {
  const arrivals = [
    ...modelRequests.map((request) => ({ at: request.at, step: request.step, what: "the model was asked" })),
    ...recorded.map((request) => ({
      at: request.at,
      step: parsePlace(request.path).step,
      what: `${request.method} ${request.path}`,
    })),
  ].sort((a, b) => a.at - b.at);
  const repeated: string[] = [];
  let newest = 0;
  for (const { step, what } of arrivals) {
    if (step < newest) repeated.push(`${expected.drill} step ${step} again, after step ${newest} had begun: ${what}`);
    newest = Math.max(newest, step);
  }
  return repeated;
}

/** Checks that the log has no gap and ends each step and call once. */
function judgeLog({ events, ledger, expected }: Evidence): string[] {
  const found: string[] = [];
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) {
      found.push(`${expected.drill}: the log has ${event.seq} in place of ${index + 1}`);
      break;
    }
  }
  const count = (type: string, field: string, value: unknown): number =>
    events.filter((event) => event.type === type && event.data[field] === value).length;
  for (let step = 1; step <= expected.steps.length + 1; step += 1) {
    const ended = count("step.completed", "step", step);
    if (ended !== 1) found.push(`${expected.drill}: step ${step} completed ${ended} times in the log`);
  }
  for (const { call_id } of ledger) {
    const ended = count("call.completed", "call_id", call_id) + count("call.unknown", "call_id", call_id);
    if (ended !== 1) found.push(`${expected.drill}: ${call_id} ended ${ended} times in the log`);
  }
  const ends = events.filter((event) => event.type === "task.completed").length;
  if (ends !== 1) found.push(`${expected.drill}: task.completed ${ends} times in the log`);
  return found;
}

/** Whether a kill hit a step: between its first model request and the next step's. */
function wasHit({ modelRequests, kills }: Evidence, step: number): boolean {
  const firstOf = (wanted: number) => modelRequests.find((request) => request.step === wanted)?.at;
  const begun = firstOf(step) ?? Number.POSITIVE_INFINITY;
  const over = firstOf(step + 1) ?? Number.POSITIVE_INFINITY;
  return kills.some(({ from, at }) => from <= over && at >= begun);
}

/** Whether the last request to the model reports a call's unknown outcome. */
function isOutcomeReported({ modelRequests }: Evidence, callId: string | undefined): boolean {
  const messages = modelRequests.at(-1)?.body.messages ?? [];
  return messages.some(
    (message) => message.role === "tool" && message.tool_call_id === callId && /unknown/i.test(readText(message)),
  );
}
