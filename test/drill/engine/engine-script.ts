/** The scripted model of the engine's drills: a function of the conversation, so that kills do not change it. */
import { type ScriptedReply, countStep, type WireBody, type WireMessage } from "../../mock-servers/model-server.ts";
import type { RecorderReply } from "../../mock-servers/recorder.ts";
import { inputOfKind, readText } from "../received.ts";

/** The outcome of a subtask of the fan-in drill. */
export const CHILD_ROLES = ["answers", "posts", "writes", "fails", "overspends", "is cancelled"] as const;
export type ChildRole = (typeof CHILD_ROLES)[number];

export interface ChildPlan {
  readonly role: ChildRole;
  readonly paceMs: number;
}

interface OfEach {
  /** Names the task in every path and file. */
  readonly drill: string;
  /** How long the model takes for each reply. */
  readonly paceMs: number;
  /** Base URL of the recorder whose host honours idempotency keys. */
  readonly keyed: string;
}

const KINDS = [
  "fan-out",
  "child",
  "one request",
  "spends",
  "posts",
  "large",
  "long",
  "computes",
  "quick",
  "asks",
] as const;

/** The JSON in the first message of an engine drill's task. */
export type EngineInput = OfEach &
  (
    | { readonly kind: "fan-out"; readonly children: readonly ChildPlan[] }
    | { readonly kind: "child"; readonly role: ChildRole }
    /** One request to the recorder, then an answer that repeats its result. */
    | { readonly kind: "one request" }
    /** A number of steps of equal tokens. `filler` has at least `input` tokens, which makes the first request that long. */
    | {
        readonly kind: "spends";
        readonly steps: number;
        readonly input: number;
        readonly output: number;
        readonly filler: string;
      }
    /** A number of steps, each with a request to the recorder. */
    | { readonly kind: "posts"; readonly steps: number }
    /** Ten large results, then parts of three of them again. */
    | { readonly kind: "large" }
    /** A number of steps, with a model that accepts a limited number of characters. */
    | { readonly kind: "long"; readonly steps: number; readonly limit: number }
    /** One step of 64 computing calls, each with different patterns. */
    | { readonly kind: "computes" }
    | { readonly kind: "quick" }
    /** A plain question to the database of the tenant, then an answer that repeats its rows. */
    | { readonly kind: "asks"; readonly question: string }
  );

type Of<Kind extends (typeof KINDS)[number]> = Extract<EngineInput, { kind: Kind }>;

/** Results of kind `large`, and the characters of each. */
export const LARGE_RESULTS = 10;
const LARGE_CHARACTERS = 20_000;
/** The parts to read again. `offset` and `pattern` are arguments of `expand_result`. */
export const READ_AGAIN = [
  { result: 3, given: { offset: 9_000, limit: 3_000 } },
  { result: 7, given: { pattern: String.raw`row 7\.300 .*` } },
  { result: 10, given: { offset: 18_500 } },
] as const;

/** The engine drills' model. Null for other conversations. */
export function engineScript(messages: readonly WireMessage[], body: WireBody): ScriptedReply | null {
  if (isQuestion(body)) return { calls: [{ name: "answer", arguments: ANSWER }], usage: QUESTION_TOKENS };
  if (isSummaryRequest(body)) return { text: summarize(messages), usage: getUsage(messages) };
  const input = inputOfKind<EngineInput>(messages, KINDS);
  return input === null ? null : { delayMs: input.paceMs, ...replyTo(input, messages) };
}

/** The query that answers every question of kind `asks`, and what a question uses. */
const ANSWER = { sql: "select count(*) as orders from orders", explanation: "Counts.", rephrased_query: "How many?" };
export const QUESTION_TOKENS = { input: 9_000, output: 700 };

/** Whether a request is a tool's question to the model. */
export function isQuestion({ tools = [] }: WireBody): boolean {
  return tools.length === 1 && tools[0]?.function?.name === "answer";
}

const SHORTENS_RESULT = "You shorten the result of a tool";
const SHORTENS_STEPS = "You tell an agent in short what it did";

/** Whether a request only shortens text: it has no tools, and its instructions say so. */
export function isSummaryRequest({ messages, tools = [] }: WireBody): boolean {
  const instructions = readText(messages[0]);
  return tools.length === 0 && [SHORTENS_RESULT, SHORTENS_STEPS].some((words) => instructions.startsWith(words));
}

/** Returns the answer of a task of any kind. */
export function doneText(drill: string): string {
  return `${drill} is done`;
}

/** Counts the tokens of messages as the model server does: four characters per token. */
export function countTokens(messages: readonly WireMessage[]): number {
  return Math.ceil(JSON.stringify(messages).length / 4);
}

/** Returns the recorder's text at `/{drill}/large/{n}/0`. */
export function largeText(n: number): string {
  const rows: string[] = [];
  for (let row = 1, length = 0; length < LARGE_CHARACTERS; row += 1) {
    const line = `row ${n}.${row} holds ${((n * 7_919 + row * 104_729) % 1_679_616).toString(36)}`;
    rows.push(line);
    length += line.length + 1;
  }
  return rows.join("\n").slice(0, LARGE_CHARACTERS);
}

/** Returns the recorder's reply for a path of `largeText`. Undefined for other paths. */
export function largeReply(path: string): RecorderReply | undefined {
  const n = /^\/[^/]+\/large\/(\d+)\/0$/.exec(path)?.[1];
  return n === undefined ? undefined : { status: 200, body: largeText(Number(n)), contentType: "text/plain" };
}

/** Returns the content of a file of a `long` step. */
export function longText(drill: string, step: number): string {
  return `${drill} wrote ${step}\n${"0123456789".repeat(120)}\n`;
}

function replyTo(input: EngineInput, messages: readonly WireMessage[]): ScriptedReply {
  const step = countStep(messages);
  switch (input.kind) {
    case "fan-out":
      return step === 1 ? dispatchAll(input) : { text: doneText(input.drill) };
    case "child":
      return childReply(input, step);
    case "one request":
      if (step === 1) return { calls: [post(input, 1, "as shown")] };
      return { text: `${input.drill} was told: ${readText(messages.at(-1))}` };
    case "spends":
      return {
        ...(step > input.steps
          ? { text: doneText(input.drill) }
          : { text: `Step ${step}.`, calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] }),
        usage: { input: input.input, output: input.output },
      };
    case "posts":
      return step > input.steps
        ? { text: doneText(input.drill) }
        : { text: `Step ${step}.`, calls: [post(input, step, "posted")] };
    case "large":
      return { ...largeStep(input, step, messages), usage: getUsage(messages) };
    case "long":
      return { ...longStep(input, messages), usage: getUsage(messages) };
    case "computes":
      return step === 1 ? { calls: Array.from({ length: 64 }, computingCall) } : { text: doneText(input.drill) };
    case "quick":
      return { text: doneText(input.drill) };
    case "asks":
      if (step === 1) return { calls: [{ name: "query_database", arguments: { query: input.question } }] };
      return { text: `${input.drill} was told: ${readText(messages.at(-1))}` };
  }
}

/** Creates a call of `json.parse` with a schema whose patterns have nearly the maximum size. */
function computingCall(_: unknown, index: number) {
  const properties = Object.fromEntries(
    [0, 1, 2, 3].map((at) => [
      `p${at}`,
      { pattern: `^(?:${String.raw`\p{L}`.repeat(190)}){1}a{${500 + 4 * index + at}}$` },
    ]),
  );
  return { name: "json_parse", arguments: { json: '{"p0":"a"}', schema: { properties } } };
}

function dispatchAll({ drill, keyed, children }: Of<"fan-out">): ScriptedReply {
  return {
    calls: children.map(({ role, paceMs }, index) => {
      const child: EngineInput = { drill: `${drill}-c${index + 1}`, kind: "child", paceMs, keyed, role };
      const given = { task_description: JSON.stringify(child), max_iterations: 5 };
      // Less than its first model call needs.
      return {
        name: "dispatch_subagent",
        arguments: role === "overspends" ? { ...given, token_budget: 1_000 } : given,
      };
    }),
  };
}

function childReply(input: Of<"child">, step: number): ScriptedReply {
  const { drill, role } = input;
  const file = `notes/${drill}.md`;
  const write = { name: "write_file", arguments: { filename: file, content: drill } };
  const attach = { name: "attach_file", arguments: { filename: file } };
  const ask = { name: "ask_human", arguments: { query: `May ${drill} go on?` } };
  switch (role) {
    case "fails":
      return { fault: { kind: "status", status: 400, body: '{"error":{"message":"scripted refusal"}}' } };
    case "posts":
      return step === 1 ? { calls: [post(input, 1, "posted")] } : { text: doneText(drill) };
    case "writes":
      if (step === 1) return { calls: [write] };
      return step === 2 ? { calls: [post(input, 2, "posted"), attach] } : { text: doneText(drill) };
    case "is cancelled":
      return step === 1 ? { calls: [ask] } : { text: "It was not cancelled." };
    case "answers":
    case "overspends":
      return { text: doneText(drill) };
  }
}

function largeStep({ drill, keyed }: OfEach, step: number, messages: readonly WireMessage[]): ScriptedReply {
  if (step <= LARGE_RESULTS) {
    const url = `${keyed}/${drill}/large/${step}/0`;
    return { text: `Step ${step}.`, calls: [{ name: "http_request", arguments: { url, method: "GET" } }] };
  }
  const part = READ_AGAIN[step - LARGE_RESULTS - 1];
  if (part === undefined) return { text: doneText(drill) };
  const results = messages.filter(({ role }) => role === "tool");
  // Read the id from the shortened result, as a model must.
  const id = /result_id "(call_[^"]+)"/.exec(readText(results[part.result - 1]))?.[1] ?? "no id was shown";
  return { text: `Step ${step}.`, calls: [{ name: "expand_result", arguments: { result_id: id, ...part.given } }] };
}

function longStep({ drill, steps, limit }: Of<"long">, messages: readonly WireMessage[]): ScriptedReply {
  if (JSON.stringify(messages).length > limit) {
    const error = { message: `maximum context length: ${limit} characters`, code: "context_length_exceeded" };
    return { fault: { kind: "status", status: 400, body: JSON.stringify({ error }) } };
  }
  const step = findLastStep(messages.map(readText).join("\n")) + 1;
  if (step > steps) return { text: doneText(drill) };
  const given = { filename: `notes/${step}.md`, content: longText(drill, step) };
  return { text: `Step ${step}.`, calls: [{ name: "write_file", arguments: given }] };
}

/** Summarizes its input: the rows of a large result that end in zero, or the last step of a history. */
function summarize(messages: readonly WireMessage[]): string {
  const text = readText(messages.at(-1));
  const isOfSteps = readText(messages[0]).startsWith(SHORTENS_STEPS);
  if (isOfSteps) return `All went well so far. Step ${findLastStep(text)} was the last one.`;
  const rows = text.match(/^row \d+\.\d*0 .*$/gm) ?? [];
  return `Rows of a table, among them:\n${rows.join("\n").slice(0, 900)}`;
}

function findLastStep(text: string): number {
  return Math.max(0, ...[...text.matchAll(/\bStep (\d+)\b/g)].map(([, step]) => Number(step)));
}

function getUsage(messages: readonly WireMessage[]): { input: number; output: number } {
  return { input: countTokens(messages), output: 50 };
}

function post({ drill, keyed }: OfEach, step: number, text: string) {
  const given = { url: `${keyed}/${drill}/keyed/${step}/0`, method: "POST", body: { step, text } };
  return { name: "http_request", arguments: given };
}
