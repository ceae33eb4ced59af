/** What the scripted model does in the drills: a function of the conversation, so that no kill changes it. */
import { type ModelScript, type ScriptedReply, stepOf, type WireMessage } from "../../mock-servers/model-server.ts";
import { filesOf, httpCall, notePath, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import type { Expected } from "../judge.ts";
import { textOf } from "../received.ts";

/** Steps that call tools; the step after them answers. */
export const STEPS = 20;

/** What the first message of a drill's task holds, as JSON. */
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

/** The input of a conversation; null when it is none of ours. */
export function inputOf(messages: readonly WireMessage[]): DrillInput | null {
  const first = messages.find((message) => message.role === "user")?.content;
  if (typeof first !== "string" || !first.startsWith("{")) return null;
  return JSON.parse(first) as DrillInput;
}

/** The calls of one step, 1 to `STEPS`. */
export function callsOf(step: number, input: DrillInput): ScriptedCall[] {
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

/** The answer of a task of kind `steps` or `writes`. */
export function answerOf(input: DrillInput): string {
  return `${input.drill} is done`;
}

/** What a task of kind `steps` must look like at its end. */
export function expectedOf(input: DrillInput): Expected {
  const steps = Array.from({ length: STEPS }, (_, index) => callsOf(index + 1, input));
  return { drill: input.drill, answer: answerOf(input), steps, files: filesOf(steps.flat()) };
}

/** The drills' model. */
export const drillScript: ModelScript = (messages): ScriptedReply => {
  const input = inputOf(messages);
  if (input === null) return { text: "This is no drill." };
  const step = stepOf(messages);
  const delayMs = input.paceMs;
  if (input.kind === "question") {
    if (step === 1)
      return { calls: [{ name: "ask_human", arguments: { query: `What does ${input.drill} hold?` } }], delayMs };
    return { text: `${input.drill} was told: ${textOf(messages.at(-1))}`, delayMs };
  }
  if (step > STEPS) return { text: answerOf(input), delayMs };
  const calls = input.kind === "writes" ? writesOf(step, input) : callsOf(step, input);
  return {
    text: `Step ${step}.`,
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    delayMs,
  };
};

function writesOf(step: number, { drill }: DrillInput): ScriptedCall[] {
  return [writeCall(drill, String(step))];
}
