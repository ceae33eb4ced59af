/** The drills' scripted model: a function of the conversation, so that kills do not change it. */
import { type ModelScript, type ScriptedReply, countStep, type WireMessage } from "../../mock-servers/model-server.ts";
import { getFiles, httpCall, notePath, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import type { Expected } from "../judge.ts";
import { readInputText, readText } from "../received.ts";

/** Steps with tool calls. One more step answers. */
export const STEPS = 20;

/** The JSON in the first message of a drill's task. */
export interface DrillInput {
  /** Names the task in every path and file. */
  readonly drill: string;
  /** `steps`: the script of `callsOf`; `question`: one question; `writes`: a file a step. */
  readonly kind: "steps" | "question" | "writes";
  /** How long the model takes for each reply. */
  readonly paceMs: number;
  /** Base URL of the recorder whose host honours idempotency keys, and of the one whose host does not. */
  readonly keyed: string;
  readonly unkeyed: string;
}

/** Reads the input of a conversation. Null if it is not a drill's. */
export function readInput(messages: readonly WireMessage[]): DrillInput | null {
  const text = readInputText(messages);
  return text.startsWith("{") ? (JSON.parse(text) as DrillInput) : null;
}

/** Returns the calls of one step, 1 to `STEPS`. */
export function getCalls(step: number, input: DrillInput): ScriptedCall[] {
  const { drill } = input;
  const http = (kind: "keyed" | "once", method: string, index: number): ScriptedCall =>
    httpCall(input, { kind, method, step, index });
  const write = (name: string): ScriptedCall => writeCall(drill, name);
  const read = (name: string): ScriptedCall => plainCall("read_file", { filename: notePath(name) });
  const clock = (timezone: string): ScriptedCall => plainCall("get_current_datetime", { timezone });

  const script: readonly (() => ScriptedCall[])[] = [
    () => [write("one")],
    () => [clock("Europe/Lisbon"), write("two")],
    () => [http("keyed", "POST", 0)],
    () => [http("keyed", "GET", 0)],
    () => [http("once", "POST", 0)],
    () => [read("one")],
    () => [http("keyed", "POST", 0), http("keyed", "POST", 1), write("seven")],
    () => [http("once", "POST", 0), http("once", "GET", 1)],
    () => [write("nine"), http("keyed", "PUT", 1)],
    () => [plainCall("list_directory", { path: "notes" })],
    () => [http("keyed", "POST", 0)],
    () => [http("keyed", "POST", 0), http("once", "POST", 1), read("two")],
    () => [clock("Asia/Kolkata")],
    () => [http("once", "POST", 0)],
    () => [write("a"), write("b"), write("c"), http("keyed", "GET", 3), http("once", "GET", 4)],
    () => [http("keyed", "PUT", 0)],
    () => [read("seven")],
    () => [http("keyed", "DELETE", 0)],
    () => [http("keyed", "POST", 0), http("keyed", "POST", 1)],
    () => [plainCall("attach_file", { filename: "notes/one.md" }), http("once", "POST", 1)],
  ];
  return script[step - 1]?.() ?? [];
}

/** Returns the answer of a task of kind `steps` or `writes`. */
export function getAnswer(input: DrillInput): string {
  return `${input.drill} is done`;
}

/** Returns the expected end of a task of kind `steps`. */
export function getExpected(input: DrillInput): Expected {
  const steps = Array.from({ length: STEPS }, (_, index) => getCalls(index + 1, input));
  return { drill: input.drill, answer: getAnswer(input), steps, files: getFiles(steps.flat()) };
}

/** The drills' model. */
export const drillScript: ModelScript = (messages): ScriptedReply => {
  const input = readInput(messages);
  if (input === null) return { text: "This is no drill." };
  const step = countStep(messages);
  const delayMs = input.paceMs;
  if (input.kind === "question") {
    if (step === 1)
      return { calls: [{ name: "ask_human", arguments: { query: `What does ${input.drill} hold?` } }], delayMs };
    return { text: `${input.drill} was told: ${readText(messages.at(-1))}`, delayMs };
  }
  if (step > STEPS) return { text: getAnswer(input), delayMs };
  const calls = input.kind === "writes" ? getWrites(step, input) : getCalls(step, input);
  return {
    text: `Step ${step}.`,
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    delayMs,
  };
};

function getWrites(step: number, { drill }: DrillInput): ScriptedCall[] {
  return [writeCall(drill, String(step))];
}
