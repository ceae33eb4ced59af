/**
 * What a completed task leaves in memory: what was asked, how it was gone about, what came of it. Made by rule from the
 * task's own words, so that it costs nothing and the same task always leaves the same text.
 */
import { cutBefore, headAndTail } from "../gateway/shape.ts";
import type { LedgerRow } from "./decision.ts";
import type { TaskFacts, TaskState } from "./state.ts";
import type { TaskView } from "./view.ts";
import { type NewMemory, summaryIdOf, toMemoryLabel } from "../memory/memory.ts";
import { storable } from "../base/storable.ts";

/** Characters (UTF-16) of each part; together below what a memory holds. */
const MAX_REQUEST = 1_000;
const MAX_APPROACH = 1_000;
const MAX_OUTCOME = 1_600;
const MAX_ARGUMENT = 80;
/** Calls that the approach names; the others are counted. */
const MAX_CALLS = 20;
const MAX_FILES = 5;

/** The arguments that say what a call was about, and hold no secret: the first that a call has is named. */
const TELLING = ["query", "filename", "path", "url", "expression", "task_description", "glob", "pattern", "name"];

/** A call of a task, as far as a summary tells of it. */
export type SummarisedCall = Pick<LedgerRow, "tool" | "arguments" | "state">;

/**
 * Returns the summary of a task, with the label of the texts that it read. Null for a task without one: not
 * completed, a subtask, a single call, or switched off.
 */
export function summaryOf(
  { facts, steeredBy }: Pick<TaskState, "facts" | "steeredBy">,
  view: TaskView,
  calls: readonly SummarisedCall[],
): NewMemory | null {
  const { agent, kind, parentId } = facts;
  const leavesOne = kind === "agent" && parentId === null && agent.config.memory?.summaries !== false;
  if (!leavesOne || view.status !== "completed" || view.ended_at === null) return null;
  const parts = [
    `Request: ${short(requestOf(facts), MAX_REQUEST)}`,
    `Approach: ${short(approachOf(view, calls), MAX_APPROACH)}`,
    `Outcome: ${short(outcomeOf(view), MAX_OUTCOME)}`,
  ];
  return {
    id: summaryIdOf(facts.id),
    project: facts.project,
    kind: "summary",
    label: toMemoryLabel(steeredBy),
    content: storable(parts.join("\n")),
    tags: [],
    sourceTask: facts.id,
    author: agent.id,
    createdAt: Date.parse(view.ended_at),
  };
}

/** What the user said, without what an assistant said in between. */
function requestOf({ input }: TaskFacts): string {
  if (typeof input === "string") return input;
  return input.flatMap(({ role, content }) => (role === "user" ? [content] : [])).join("\n");
}

function approachOf({ usage }: TaskView, calls: readonly SummarisedCall[]): string {
  const steps = `${usage.steps} ${usage.steps === 1 ? "step" : "steps"}`;
  if (calls.length === 0) return `${steps}, without tools.`;
  const more = calls.length > MAX_CALLS ? [`and ${calls.length - MAX_CALLS} more calls`] : [];
  return `${steps}. ${[...calls.slice(0, MAX_CALLS).map(toldCall), ...more].join("; ")}.`;
}

/** `read_file "notes/plan.md"`, with a word on a call that did not do what it should. */
function toldCall({ tool, arguments: given, state }: SummarisedCall): string {
  const about = aboutOf(given);
  const end = state === "confirmed" ? "" : state === "unknown" ? " (outcome unknown)" : ` (${state})`;
  return `${tool}${about === null ? "" : ` "${about}"`}${end}`;
}

function aboutOf(given: unknown): string | null {
  if (typeof given !== "object" || given === null) return null;
  const values = given as Readonly<Record<string, unknown>>;
  const name = TELLING.find((one) => typeof values[one] === "string");
  if (name === undefined) return null;
  const value = String(values[name]);
  return cut((name === "url" ? bareUrl(value) : value).replaceAll(/\s+/g, " ").trim(), MAX_ARGUMENT);
}

/** Without user, query and fragment, which may hold a secret. */
function bareUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? "…" : `${url.origin}${url.pathname}`;
}

function outcomeOf({ output, reason }: TaskView): string {
  const files = (output?.files ?? []).map(({ path }) => path);
  const named =
    files.length === 0
      ? ""
      : ` [files: ${files.slice(0, MAX_FILES).join(", ")}${files.length > MAX_FILES ? ", …" : ""}]`;
  const limited = reason === null ? "" : ` [ended by ${reason}]`;
  return `${output?.text ?? ""}${named}${limited}`.trim() || "no words.";
}

/** Head and tail of what is longer. */
function short(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxCharacters) return trimmed;
  const { head, tail } = headAndTail(trimmed, maxCharacters - 5);
  return `${head} […] ${tail}`;
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutBefore(text, maxCharacters)}…`;
}
