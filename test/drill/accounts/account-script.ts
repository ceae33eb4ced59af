/**
 * The scripted model of the accounts' drills: a task adds one note to the account for which it acts, and then reads whose account that was.
 * A call that did nothing is repeated after a pause; one with an unknown outcome is not.
 */
import type { ScriptedReply, WireMessage } from "../../mock-servers/model-server.ts";
import { inputOfKind, readText } from "../received.ts";

/** The app's name in every tenant of the drills. */
export const APP = "crm";
/** Pause before a call is repeated. A lease that a kill left behind ends after some of them. */
const REST_SECONDS = 2;
/** A task with more results than this gives up, so that its drill sees why. */
const MAX_RESULTS = 80;

/** The JSON in the first message of a task. `drill` is the text of its note. */
export interface AccountInput {
  readonly drill: string;
  readonly kind: "acts";
}

/** The accounts' model. Null for other conversations. */
export function accountScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const input = inputOfKind<AccountInput>(messages, ["acts"]);
  if (input === null) return null;
  const results = messages.filter(({ role }) => role === "tool").map(readText);
  const made = results.filter((text) => !text.startsWith("Waited "));
  const isAdded = made.some(isSettled);
  const last = made.at(-1) ?? "";
  const owner = isAdded ? findOwner(last) : null;
  if (owner !== null) return { text: formatActed(input.drill, owner) };
  if (results.length > MAX_RESULTS) return { text: `${input.drill} gave up: ${last}` };
  // Otto refuses the same call after the third in a row, and the lease of a dead holder takes time.
  const hasFailed = results.length > 0 && isError(results.at(-1) ?? "") && !isUnknown(results.at(-1) ?? "");
  if (hasFailed) return { calls: [{ name: "wait", arguments: { seconds: REST_SECONDS } }] };
  if (isAdded) return { calls: [{ name: `${APP}_get_me`, arguments: {} }] };
  return { calls: [{ name: `${APP}_add_note`, arguments: { text: input.drill } }] };
}

/** Returns the answer of a task that acted through the account of this user. */
export function formatActed(drill: string, user: string): string {
  return `${drill} acted for ${user}`;
}

function isSettled(result: string): boolean {
  return !isError(result) || isUnknown(result);
}

function isError(result: string): boolean {
  return result.startsWith("Error (");
}

function isUnknown(result: string): boolean {
  return result.startsWith("Error (outcome_unknown)");
}

/** The user in a reply of `get_me`; null for another result. */
function findOwner(result: string): string | null {
  return /"id":\s*"(\w+)"/.exec(result)?.[1] ?? null;
}
