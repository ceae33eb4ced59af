/**
 * The outage drills' tasks: goals in sequence, each retried until its call succeeds. The task sleeps before it retries a file, since Otto
 * refuses the same call after the third in a row.
 */
import type { ScriptedReply, WireMessage } from "../../mock-servers/model-server.ts";
import { httpCall, plainCall, type ScriptedCall, writeCall } from "../calls.ts";
import { inputOfKind, readText } from "../received.ts";

/** Pause between two attempts of a file. */
const REST_SECONDS = 4;

export const GOAL_KINDS = ["file", "keyed", "once", "none"] as const;
export type GoalKind = (typeof GOAL_KINDS)[number];

/** The JSON in the first message of a task. The kinds of its goals alternate. */
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

/** The outage drills' model. Null for other conversations. */
export function outageScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<OutageInput>(messages, ["persists"]);
  if (input === null) return null;
  const results = messages.filter(({ role }) => role === "tool").map(readText);
  // Each goal is one call, so a result belongs to the first goal that was not reached before it.
  let reached = 0;
  for (const result of results) if (isReached(result, getKind(input, reached + 1))) reached += 1;
  const delayMs = input.paceMs;
  if (reached >= input.goals) return { text: persistedText(input), delayMs };
  const { name, arguments: given } =
    getKind(input, reached + 1) === "file" && isError(results.at(-1))
      ? plainCall("wait", { seconds: REST_SECONDS })
      : makeCall(input, reached + 1, results.length + 1);
  return { text: `Goal ${reached + 1}.`, calls: [{ name, arguments: given }], delayMs };
}

/** Returns the answer of a task that reached all goals. */
export function persistedText({ drill, goals }: OutageInput): string {
  return `${drill} reached ${goals} goals`;
}

/** Returns the kind of the goal with this number, from 1. */
export function getKind({ kinds }: OutageInput, goal: number): GoalKind {
  return kinds[(goal - 1) % kinds.length] ?? "none";
}

/** Creates the call for a goal. `attempt` makes the path unique, since each attempt is a separate call. */
function makeCall(input: OutageInput, goal: number, attempt: number): ScriptedCall {
  switch (getKind(input, goal)) {
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

/** Whether a result reached no goal: an error, or a pause before a retry. */
export function isStandstill(result: string): boolean {
  return isError(result) || result.startsWith("Waited ");
}

function isError(result: string | undefined): boolean {
  return result?.startsWith("Error (") === true;
}

/**
 * A file is rewritten after any failure, which is harmless. A request with an unknown outcome counts as sent.
 */
function isReached(result: string, kind: GoalKind): boolean {
  if (!isStandstill(result)) return true;
  return kind !== "file" && result.startsWith("Error (outcome_unknown)");
}
