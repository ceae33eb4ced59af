/** The tasks of the load drill: 5 to 10 steps with a mixture of calls, all of it a function of the task's own seed. */
import { type ScriptedReply, stepOf, type WireMessage } from "../../mock-servers/model-server.ts";
import { filesOf, httpCall, notePath, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import type { Expected } from "../judge.ts";
import { seededRandom } from "../random.ts";
import { inputOfKind } from "../received.ts";

const ZONES = ["Asia/Kolkata", "Europe/Lisbon", "America/Lima"] as const;

const FEWEST_STEPS = 5;
const MOST_STEPS = 10;
const MOST_CALLS = 3;
/** How long a recorder takes to answer at most. */
const LONGEST_ANSWER_MS = 600;
/** A step's seed must differ from those of its neighbours by more than one. */
const STRIDE = 7_919;

/** What the first message of a task holds. `paceMs`: the shortest and the longest time that the model takes for a reply. */
export interface LoadInput {
  readonly drill: string;
  readonly kind: "load";
  readonly seed: number;
  /** Model calls, the answer among them. */
  readonly steps: number;
  readonly paceMs: readonly [number, number];
  readonly keyed: string;
  readonly unkeyed: string;
}

/** A task of a seed. */
function planTask(random: () => number, rest: Pick<LoadInput, "drill" | "paceMs" | "keyed" | "unkeyed">): LoadInput {
  const steps = FEWEST_STEPS + Math.floor(random() * (MOST_STEPS - FEWEST_STEPS + 1));
  const { drill, ...others } = rest;
  return { drill, kind: "load", seed: Math.floor(random() * 2 ** 31), steps, ...others };
}

/** The tasks of a seed, without end. */
export function* planTasks(
  seed: number,
  rest: Pick<LoadInput, "paceMs" | "keyed" | "unkeyed">,
): Generator<LoadInput, never> {
  const random = seededRandom(seed);
  for (let number = 1; ; number += 1) yield planTask(random, { drill: `load${number}`, ...rest });
}

/** How long a recorder holds its answer to a path: the same for a seed, in whatever order requests come. */
export function answerDelayMs(seed: number, path: string): number {
  const mixed = Buffer.from(path).reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, seed);
  return seededRandom(mixed)() * LONGEST_ANSWER_MS;
}

/** The calls of one step, from 1; the last step has none. */
function loadCalls(step: number, input: LoadInput): ScriptedCall[] {
  const random = seededRandom(input.seed + step * STRIDE);
  const { drill } = input;
  const count = 1 + Math.floor(random() * MOST_CALLS);
  return Array.from({ length: count }, (_, index): ScriptedCall => {
    const http = (kind: "keyed" | "once", method: string) => httpCall(input, { kind, method, step, index });
    // The fourth time in a row the very same call is refused.
    const clock = (): ScriptedCall => plainCall("get_current_datetime", { timezone: ZONES[step % ZONES.length] });
    const write = (): ScriptedCall => writeCall(drill, `${step}-${index}`);
    // The first call of all writes the file that later steps read.
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

/** What a task must look like at its end. */
export function expectedOfLoad(input: LoadInput): Expected {
  const steps = Array.from({ length: input.steps - 1 }, (_, index) => loadCalls(index + 1, input));
  return { drill: input.drill, answer: answerOf(input), steps, files: filesOf(steps.flat()) };
}

/** The load drill's model; null for a conversation that is not of it. */
export function loadScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<LoadInput>(messages, ["load"]);
  if (input === null) return null;
  const step = stepOf(messages);
  const [shortest, longest] = input.paceMs;
  const delayMs = shortest + seededRandom(input.seed - step * STRIDE)() * (longest - shortest);
  if (step >= input.steps) return { text: answerOf(input), delayMs };
  const calls = loadCalls(step, input).map(({ name, arguments: given }) => ({ name, arguments: given }));
  return { text: `Step ${step}.`, calls, delayMs };
}

function answerOf({ drill, steps }: LoadInput): string {
  return `${drill} is done after ${steps} steps`;
}
