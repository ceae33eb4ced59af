/** What a finished task of the kill drill must look like, judged from outside and from its own log. */
import type { ModelRecord } from "../stand-ins/model-server.ts";
import type { RecordedRequest } from "../stand-ins/recorder.ts";
import type { EventBody, LedgerBody, TaskBody } from "./api-client.ts";
import { placeOf } from "./killer.ts";
import { answerOf, callsOf, type DrillInput, fileText, FILES, STEPS, textOf } from "./script.ts";

/** Everything that is known of a task at its end. */
export interface Evidence {
  readonly input: DrillInput;
  readonly task: TaskBody;
  readonly ledger: readonly LedgerBody[];
  readonly events: readonly EventBody[];
  readonly files: Readonly<Record<string, string | null>>;
  readonly modelRequests: readonly ModelRecord[];
  readonly recorded: readonly RecordedRequest[];
}

/** What was found. Each list holds one line for each finding. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly repeatedSteps: readonly string[];
  readonly keyedDuplicates: readonly string[];
  readonly unkeyedDuplicates: readonly string[];
  readonly other: readonly string[];
  /** Unkeyed effects that the model was told nobody knows about: allowed, and counted. */
  readonly unknown: number;
}

export function judge(evidence: Evidence): Verdict {
  const lost: string[] = [];
  const keyedDuplicates: string[] = [];
  const unkeyedDuplicates: string[] = [];
  const other: string[] = [];
  let unknown = 0;
  const { input, task } = evidence;

  if (task.status !== "completed" || task.output?.text !== answerOf(input)) {
    lost.push(
      `${input.drill}: the task ended as ${task.status} (${task.reason ?? "no reason"}) with ${JSON.stringify(task.output?.text)}`,
    );
  }
  for (let step = 1; step <= STEPS; step += 1) {
    const rows = evidence.ledger.filter((row) => row.step === step);
    const calls = callsOf(step, input);
    if (rows.length !== calls.length)
      lost.push(`${input.drill} step ${step}: ${rows.length} rows in the ledger for ${calls.length} calls`);
    for (const [index, call] of calls.entries()) {
      const where = `${input.drill} step ${step} call ${index} (${call.name}, ${call.effect})`;
      const state = rows[index]?.state ?? "missing";
      const seen = evidence.recorded.filter((request) => request.path === call.path);
      if (call.effect === "once" && state === "unknown") {
        unknown += 1;
        if (!wasTold(evidence, rows[index]?.call_id)) other.push(`${where}: unknown, and the model was not told`);
      } else if (state !== "confirmed") lost.push(`${where}: the ledger says ${state}`);
      else if (call.path !== null && seen.length === 0) lost.push(`${where}: confirmed, and it never happened`);
      if (call.effect === "once" && seen.length > 1) unkeyedDuplicates.push(`${where}: happened ${seen.length} times`);
      if (call.effect === "keyed") {
        const keys = new Set(seen.map((request) => request.idempotencyKey));
        if (keys.has(null)) keyedDuplicates.push(`${where}: sent without a key`);
        else if (keys.size > 1) keyedDuplicates.push(`${where}: sent under ${keys.size} keys`);
        const bodies = new Set(seen.map((request) => `${request.method} ${request.body}`));
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
  for (const name of FILES) {
    const text = evidence.files[name];
    if (text !== fileText(input.drill, name))
      lost.push(`${input.drill}: notes/${name}.md holds ${JSON.stringify(text)?.slice(0, 60)}`);
  }
  other.push(...judgeLog(evidence));
  return { lost, repeatedSteps: repeatedSteps(evidence), keyedDuplicates, unkeyedDuplicates, other, unknown };
}

/** A step is finished when the model was asked for the next one; nothing of it may be asked for or sent after that. */
function repeatedSteps({ modelRequests, recorded, input }: Evidence): string[] {
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
    if (step < newest) repeated.push(`${input.drill} step ${step} again, after step ${newest} had begun: ${what}`);
    newest = Math.max(newest, step);
  }
  return repeated;
}

/** The log has no gap, and each step and call ends in it once. */
function judgeLog({ events, ledger, input }: Evidence): string[] {
  const found: string[] = [];
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) {
      found.push(`${input.drill}: the log has ${event.seq} in place of ${index + 1}`);
      break;
    }
  }
  const count = (type: string, field: string, value: unknown): number =>
    events.filter((event) => event.type === type && event.data[field] === value).length;
  for (let step = 1; step <= STEPS + 1; step += 1) {
    const ended = count("step.completed", "step", step);
    if (ended !== 1) found.push(`${input.drill}: step ${step} completed ${ended} times in the log`);
  }
  for (const { call_id } of ledger) {
    const ended = count("call.completed", "call_id", call_id) + count("call.unknown", "call_id", call_id);
    if (ended !== 1) found.push(`${input.drill}: ${call_id} ended ${ended} times in the log`);
  }
  const ends = events.filter((event) => event.type === "task.completed").length;
  if (ends !== 1) found.push(`${input.drill}: task.completed ${ends} times in the log`);
  return found;
}

/** Whether the last request to the model held the word that nobody knows what became of a call. */
function wasTold({ modelRequests }: Evidence, callId: string | undefined): boolean {
  const messages = modelRequests.at(-1)?.body.messages ?? [];
  return messages.some(
    (message) => message.role === "tool" && message.tool_call_id === callId && /unknown/i.test(textOf(message)),
  );
}
