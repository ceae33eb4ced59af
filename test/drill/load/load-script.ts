/** The load drill's tasks: 5 to 10 steps with mixed calls, a function of the task's seed. */
import { type ScriptedReply, countStep, type WireMessage } from "../../mock-servers/model-server.ts";
import { getFiles, httpCall, notePath, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import type { Expected } from "../judge.ts";
import { seededRandom } from "../random.ts";
import { inputOfKind } from "../received.ts";

const ZONES = ["Asia/Kolkata", "Europe/Lisbon", "America/Lima"] as const;

const FEWEST_STEPS = 5;
const MOST_STEPS = 10;
const MOST_CALLS = 3;
/** Maximum delay of a recorder's reply. */
const LONGEST_ANSWER_MS = 600;
/** A step's seed must differ from those of its neighbours by more than one. */
const STRIDE = 7_919;

/** The JSON in the first message of a task. `paceMs` is the shortest and the longest duration of a model's reply. */
export interface LoadInput {
  readonly drill: string;
  readonly kind: "load";
  readonly seed: number;
  /** Model calls, including the answer. */
  readonly steps: number;
  readonly paceMs: readonly [number, number];
  readonly keyed: string;
  readonly unkeyed: string;
}

/** Creates the task of a seed. */
function planTask(random: () => number, rest: Pick<LoadInput, "drill" | "paceMs" | "keyed" | "unkeyed">): LoadInput {
  const steps = FEWEST_STEPS + Math.floor(random() * (MOST_STEPS - FEWEST_STEPS + 1));
  const { drill, ...others } = rest;
  return { drill, kind: "load", seed: Math.floor(random() * 2 ** 31), steps, ...others };
}

/** Generates endless tasks of a seed. */
export function* planTasks(
  seed: number,
  rest: Pick<LoadInput, "paceMs" | "keyed" | "unkeyed">,
): Generator<LoadInput, never> {
  const random = seededRandom(seed);
  for (let number = 1; ; number += 1) yield planTask(random, { drill: `load${number}`, ...rest });
}

/** Returns a recorder's delay for a path, which depends only on the seed and the path. */
export function answerDelayMs(seed: number, path: string): number {
  const mixed = Buffer.from(path).reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, seed);
  return seededRandom(mixed)() * LONGEST_ANSWER_MS;
}

/** Returns the calls of one step, from 1. The last step has no calls. */
function loadCalls(step: number, input: LoadInput): ScriptedCall[] {
  const random = seededRandom(input.seed + step * STRIDE);
  const { drill } = input;
  const count = 1 + Math.floor(random() * MOST_CALLS);
  return Array.from({ length: count }, (_, index): ScriptedCall => {
    const http = (kind: "keyed" | "once", method: string) => httpCall(input, { kind, method, step, index });
    // The same call is refused the fourth time in a row.
    const clock = (): ScriptedCall => plainCall("get_current_datetime", { timezone: ZONES[step % ZONES.length] });
    const write = (): ScriptedCall => writeCall(drill, `${step}-${index}`);
    // The first call writes the file that later steps read.
    if (step === 1 && index === 0) return write();
    const kinds: readonly (() => ScriptedCall)[] = [
      write,
      () => http("keyed", "POST"),
      () => http("keyed", "PUT"),
      () => http("once", "POST"),
      () => http("once", "GET"),
      clock,
      () => (step % 3 === 1 ? clock() : plainCall("read_file", { filename: notePath("1-0") })),
    ];
    return (kinds[Math.floor(random() * kinds.length)] ?? clock)();
  });
}

/** Returns the expected end of a task. */
export function expectedOfLoad(input: LoadInput): Expected {
  const steps = Array.from({ length: input.steps - 1 }, (_, index) => loadCalls(index + 1, input));
  return { drill: input.drill, answer: getAnswer(input), steps, files: getFiles(steps.flat()) };
}

/** The load drill's model. Null for other conversations. */
export function loadScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<LoadInput>(messages, ["load"]);
  if (input === null) return null;
  const step = countStep(messages);
  const [shortest, longest] = input.paceMs;
  const delayMs = shortest + seededRandom(input.seed - step * STRIDE)() * (longest - shortest);
  if (step >= input.steps) return { text: getAnswer(input), delayMs };
  const calls = loadCalls(step, input).map(({ name, arguments: given }) => ({ name, arguments: given }));
  return { text: `Step ${step}.`, calls, delayMs };
}

function getAnswer({ drill, steps }: LoadInput): string {
  return `${drill} is done after ${steps} steps`;
}
