/**
 * The tasks of the outage drills: one goal after another, each tried again when its call did not come to pass. Before a
 * file is tried again the task sleeps: Otto refuses the very same call after the third in a row.
 */
import type { ScriptedReply, WireMessage } from "../../mock-servers/model-server.ts";
import { httpCall, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import { inputOfKind, textOf } from "../received.ts";

/** Between two tries of a file. */
const REST_SECONDS = 4;

export const GOAL_KINDS = ["file", "keyed", "once", "none"] as const;
export type GoalKind = (typeof GOAL_KINDS)[number];

/** What the first message of a task holds. The kinds of its goals take turns. */
export interface OutageInput {
  readonly drill: string;
  readonly kind: "persists";
  readonly goals: number;
  readonly kinds: readonly GoalKind[];
  /** How long the model takes for each reply. */
  readonly paceMs: number;
  readonly keyed: string;
  readonly unkeyed: string;
}

/** The outage drills' model; null for a conversation that is not of them. */
export function outageScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<OutageInput>(messages, ["persists"]);
  if (input === null) return null;
  const results = messages.filter(({ role }) => role === "tool").map(textOf);
  // Each goal is one call, so a result belongs to the goal after those that were reached before it.
  let reached = 0;
  for (const result of results) if (isReached(result, kindOf(input, reached + 1))) reached += 1;
  const delayMs = input.paceMs;
  if (reached >= input.goals) return { text: persistedText(input), delayMs };
  const { name, arguments: given } =
    kindOf(input, reached + 1) === "file" && isError(results.at(-1))
      ? plainCall("wait", { seconds: REST_SECONDS })
      : callOf(input, reached + 1, results.length + 1);
  return { text: `Goal ${reached + 1}.`, calls: [{ name, arguments: given }], delayMs };
}

/** The answer of a task that reached all of its goals. */
export function persistedText({ drill, goals }: OutageInput): string {
  return `${drill} reached ${goals} goals`;
}

/** Which kind the goal at this place is, from 1. */
export function kindOf({ kinds }: OutageInput, goal: number): GoalKind {
  return kinds[(goal - 1) % kinds.length] ?? "none";
}

/** The call for a goal; `attempt` sets the path apart from those of other tries, each of which is a call of its own. */
function callOf(input: OutageInput, goal: number, attempt: number): ScriptedCall {
  switch (kindOf(input, goal)) {
    case "file":
      return writeCall(input.drill, String(goal));
    case "keyed":
      return httpCall(input, { kind: "keyed", method: "POST", step: goal, index: attempt });
    case "once":
      return httpCall(input, { kind: "once", method: "POST", step: goal, index: attempt });
    case "none":
      return plainCall("get_current_datetime", { timezone: "UTC" });
  }
}

/** True for a result that brought the task no further: an error, or a rest before the next try. */
export function isStandstill(result: string): boolean {
  return isError(result) || result.startsWith("Waited ");
}

function isError(result: string | undefined): boolean {
  return result?.startsWith("Error (") === true;
}

/**
 * A file is written again whatever became of the last try: that changes nothing. A request of which nobody knows whether
 * it was made counts as made.
 */
function isReached(result: string, kind: GoalKind): boolean {
  if (!isStandstill(result)) return true;
  return kind !== "file" && result.startsWith("Error (outcome_unknown)");
}
