/** What is read from the facts of a task. */
import type { StoredIntent, TaskApps } from "../apps/intent/task-apps.ts";
import { labelMessage } from "../model/label-messages.ts";
import type { LabelledMessage } from "../model/messages.ts";
import type { TaskFacts } from "./state.ts";

/** Completes the facts that a Worker of an earlier release sent: they name no person. */
export function completeFacts(facts: Omit<TaskFacts, "actsFor"> & Partial<TaskFacts>): TaskFacts {
  const { actsFor = null } = facts;
  return renameStoredIntent({ ...facts, actsFor });
}

/** The first tasks with apps stored what people asked for under `asked`. */
type EarlierApps = Omit<TaskApps, "intent"> & { readonly intent?: StoredIntent; readonly asked?: StoredIntent };

/** Returns the facts with what people asked for under its present name. */
export function renameStoredIntent<Facts extends { readonly apps?: EarlierApps }>(facts: Facts): Facts {
  if (facts.apps?.asked === undefined) return facts;
  const { asked, ...apps } = facts.apps;
  return { ...facts, apps: { intent: asked, ...apps } };
}

/** Returns the messages of the input, each with its label. */
export function readInput({ input, texts, label }: TaskFacts): LabelledMessage[] {
  if (texts !== undefined) return [...texts];
  if (typeof input === "string") return [{ role: "user", content: input, label }];
  return input.map((message) => labelMessage(message, label));
}
