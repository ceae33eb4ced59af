/** The scripted model of the apps' drill: each step makes the calls that the task's input names, and then it answers. */
import { countStep, type ScriptedReply, type WireMessage } from "../../mock-servers/model-server.ts";
import { inputOfKind } from "../received.ts";

/** A call of an action, by the name of its tool. */
export interface ActionCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** The JSON in the first message of a task. */
export interface ActionInput {
  readonly drill: string;
  readonly kind: "actions";
  /** The calls of each step, from the first. */
  readonly steps: readonly (readonly ActionCall[])[];
  /** How long the model takes for each reply. */
  readonly paceMs: number;
}

/** Null for other conversations. */
export function actionScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<ActionInput>(messages, ["actions"]);
  if (input === null) return null;
  const calls = input.steps[countStep(messages) - 1];
  const delayMs = input.paceMs;
  return calls === undefined ? { text: formatDone(input.drill), delayMs } : { calls: [...calls], delayMs };
}

/** Returns the answer of a task that made its calls. */
export function formatDone(drill: string): string {
  return `${drill} is done`;
}
