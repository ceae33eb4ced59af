/** What a finished task must look like, judged from outside and from its own log. */
import type { WireMessage } from "../mock-servers/model-server.ts";
import type { RecordedRequest } from "../mock-servers/recorder.ts";
import type { EventBody, LedgerBody, TaskBody } from "./api-client.ts";
import type { ScriptedCall } from "./calls.ts";
import { placeOf, textOf } from "./received.ts";

/** What a task must do and leave behind. */
export interface Expected {
  readonly drill: string;
  readonly answer: string;
  /** The calls of each step that calls tools, from the first; one more step answers. */
  readonly steps: readonly (readonly ScriptedCall[])[];
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A request to the model. Times are `performance.now()` milliseconds; steps count from 1. */
export interface AskedStep {
  readonly at: number;
  readonly step: number;
  readonly body: { readonly messages: readonly WireMessage[] };
}

/** A kill that can cost the outcome of a call, from when it was set about until it was done. `performance.now()` milliseconds. */
export interface KillTime {
  readonly from: number;
  readonly at: number;
}

/** Everything that is known of a task at its end. Of the requests to the model the last one must hold its messages. */
export interface Evidence {
  readonly expected: Expected;
  readonly task: TaskBody;
  readonly ledger: readonly LedgerBody[];
  readonly events: readonly EventBody[];
  readonly files: Readonly<Record<string, string | null>>;
  readonly modelRequests: readonly AskedStep[];
  readonly recorded: readonly RecordedRequest[];
  readonly kills: readonly KillTime[];
}

/** What was found. Each list holds one line for each finding. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly repeatedSteps: readonly string[];
  readonly keyedDuplicates: readonly string[];
  readonly unkeyedDuplicates: readonly string[];
  readonly other: readonly string[];
  /** Unkeyed calls that ended unknown, whether they were sent or not. Allowed when a kill hit them and the model was told. */
  readonly unknownSent: number;
  readonly unknownUnsent: number;
}

/** All that was found, one line each. */
export function linesOf({ lost, repeatedSteps, keyedDuplicates, unkeyedDuplicates, other }: Verdict): string[] {
  return [
    ...lost.map((line) => `lost: ${line}`),
    ...repeatedSteps.map((line) => `repeated: ${line}`),
    ...keyedDuplicates.map((line) => `keyed duplicate: ${line}`),
    ...unkeyedDuplicates.map((line) => `unkeyed duplicate: ${line}`),
    ...other,
  ];
}

/** The verdict on a task of which nothing is known but what is lost. */
export function lostAltogether(line: string): Verdict {
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
        if (!wasTold(evidence, rows[index]?.call_id)) other.push(`${where}: unknown, and the model was not told`);
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

/** A step is finished when the model was asked for the next one; nothing of it may be asked for or sent after that. */
function repeatedSteps({ modelRequests, recorded, expected }: Evidence): string[] {
  const arrivals = [
    ...modelRequests.map((request) => ({ at: request.at, step: request.step, what: "the model was asked" })),
    ...recorded.map((request) => ({
      at: request.at,
      step: placeOf(request.path).step,
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

/** The log has no gap, and each step and call ends in it once. */
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

/** Whether a kill came while the calls of a step were under way: from its first request to the model to the next step's. */
function wasHit({ modelRequests, kills }: Evidence, step: number): boolean {
  const firstOf = (wanted: number) => modelRequests.find((request) => request.step === wanted)?.at;
  const begun = firstOf(step) ?? Number.POSITIVE_INFINITY;
  const over = firstOf(step + 1) ?? Number.POSITIVE_INFINITY;
  return kills.some(({ from, at }) => from <= over && at >= begun);
}

/** Whether the last request to the model held the word that nobody knows what became of a call. */
function wasTold({ modelRequests }: Evidence, callId: string | undefined): boolean {
  const messages = modelRequests.at(-1)?.body.messages ?? [];
  return messages.some(
    (message) => message.role === "tool" && message.tool_call_id === callId && /unknown/i.test(textOf(message)),
  );
}
