/** What `createTask` reads from the facts of a new task. */
import { labelMessage } from "../model/label-messages.ts";
import type { LabelledMessage } from "../model/messages.ts";
import type { TaskFacts } from "./state.ts";

/** Completes the facts that a Worker of an earlier release sent: they name no person. */
export function completeFacts(facts: Omit<TaskFacts, "actsFor"> & Partial<TaskFacts>): TaskFacts {
  const { actsFor = null } = facts;
  return { ...facts, actsFor };
}

/** Returns the messages of the input, each with its label. */
export function readInput({ input, texts, label }: TaskFacts): LabelledMessage[] {
  if (texts !== undefined) return [...texts];
  if (typeof input === "string") return [{ role: "user", content: input, label }];
  return input.map((message) => labelMessage(message, label));
}
