/** The tasks of the timer drill: naps, and questions that expire. */
import { type ScriptedReply, countStep, type WireMessage } from "../../mock-servers/model-server.ts";
import { inputOfKind, readText } from "../received.ts";

/** The JSON in the first message of a task: seconds of each nap, or of the question's deadline. */
export type TimerInput =
  | { readonly drill: string; readonly kind: "naps"; readonly naps: readonly number[] }
  | {
      readonly drill: string;
      readonly kind: "asks in time";
      readonly deadlineSeconds: number;
      readonly defaultAnswer: string | null;
    };

/** The timer drill's model. Null for other conversations. */
export function timerScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<TimerInput>(messages, ["naps", "asks in time"]);
  if (input === null) return null;
  const step = countStep(messages);
  if (input.kind === "naps") {
    const seconds = input.naps[step - 1];
    return seconds === undefined
      ? { text: restedText(input.drill) }
      : { calls: [{ name: "wait", arguments: { seconds } }] };
  }
  if (step > 1) return { text: formatAnswered(input.drill, readText(messages.at(-1))) };
  const { drill, deadlineSeconds, defaultAnswer } = input;
  const given = { query: `What does ${drill} hold?`, deadline_seconds: deadlineSeconds };
  const ask = defaultAnswer === null ? given : { ...given, default_answer: defaultAnswer };
  return { calls: [{ name: "ask_human", arguments: ask }] };
}

/** Returns the answer of a task after its naps. */
export function restedText(drill: string): string {
  return `${drill} has rested`;
}

/** Returns the answer of a task that got `answer`. */
export function formatAnswered(drill: string, answer: string): string {
  return `${drill} was told: ${answer}`;
}
