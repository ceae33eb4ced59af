/** The demo model's decision: the next calls, or the answer. A pure function of the messages and the tool list. */
import type { Message } from "../../../core/messages.ts";
import type { ToolSpec } from "../../../core/ports.ts";
import type { Action, Planned } from "./intent.ts";
import { hasStopped, type MadeCall, type Progress, readProgress } from "./progress.ts";
import { answerText, labelledQuestion, noteText, placeIn, resultsText, urlIn, workingText } from "./speech.ts";
import { type Match, matchTool } from "./tool-match.ts";

/** Calls of one step; the gateway runs as many at once. Subtasks, which it does not run, come back together however many. */
const MAX_AT_ONCE = 5;

/** What the demo model says next. */
export interface DemoReply {
  readonly text: string;
  readonly calls: readonly Match[];
}

/**
 * The plan is read again from the messages at every step, and the calls that they hold are counted off it: each step
 * makes at least one call that was not there before, or answers.
 */
export function replyTo(messages: readonly Message[], tools: readonly ToolSpec[]): DemoReply {
  const progress = readProgress(messages);
  if (tools.length === 0) return { text: answerText(progress, null), calls: [] };

  const missing: Action[] = [];
  const doable = progress.planned.filter(({ action }) => {
    // Whether a tool exists does not depend on what was found out, so anything stands in for that here.
    const fits = matchTool(tools, action, { content: "-", url: "https://example.com/", place: null }) !== null;
    if (!fits) missing.push(action);
    return fits;
  });
  const next = hasStopped(progress.made) ? [] : nextActions(doable.slice(progress.made.length));
  const calls = next.flatMap((action) => toCall(tools, action, progress));
  // A page to fetch that nobody named, for one, ends the work: what follows it would come too early.
  if (calls.length < next.length || calls.length === 0) {
    const stuck = next.filter((action) => toCall(tools, action, progress).length === 0);
    return { text: answerText(progress, [...missing, ...stuck]), calls: [] };
  }
  return { text: workingText(next), calls };
}

/** The first of the open actions, and those after it that need not wait for it. */
function nextActions(open: readonly Planned[]): Action[] {
  const next: Action[] = [];
  for (const { action, after } of open) {
    if (next.length >= MAX_AT_ONCE && action.kind !== "dispatch") break;
    if (next.length > 0 && (after || needsResults(action) || next.some((before) => mustFollow(action, before)))) break;
    next.push(action);
  }
  return next;
}

/** True for an action that uses what came before it. */
function needsResults(action: Action): boolean {
  if (action.kind === "write") return action.content.kind !== "text";
  if (action.kind === "fetch") return action.url === null;
  return action.kind === "clock" && action.there;
}

/** True when the order of two actions shows: around a pause, on the same file, and on any file for a subagent, which shares them. */
function mustFollow(action: Action, before: Action): boolean {
  if (action.kind === "wait" || before.kind === "wait") return true;
  if (action.kind === "dispatch") return "path" in before;
  if (before.kind === "dispatch") return "path" in action;
  const touchesFiles = "path" in action && "path" in before;
  if (!touchesFiles || (action.kind !== "write" && before.kind !== "write")) return false;
  return action.kind === "list" || before.kind === "list" || action.path === before.path;
}

/** One call, or none when something that it needs is not known. */
function toCall(tools: readonly ToolSpec[], action: Action, { made }: Progress): Match[] {
  const worded = action.kind === "ask" ? { ...action, question: labelledQuestion(action.question) } : action;
  const match = matchTool(tools, worded, { content: contentOf(action, made), url: urlIn(made), place: placeIn(made) });
  return match === null ? [] : [match];
}

function contentOf(action: Action, made: readonly MadeCall[]): string {
  if (action.kind !== "write") return "";
  switch (action.content.kind) {
    case "text":
      return action.content.text;
    case "results":
      return resultsText(made);
    case "note":
      return noteText(action.content.topic, made);
  }
}
