/**
 * The memory of a completed task: request, approach and outcome. Written by rule from the task's own texts, so it costs
 * nothing and the same task always gives the same text.
 */
import { cutBefore, headAndTail } from "../gateway/shape.ts";
import type { LedgerRow } from "./decision.ts";
import type { TaskFacts, TaskState } from "./state.ts";
import type { TaskView } from "./view.ts";
import { type NewMemory, getSummaryId, toMemoryLabel } from "../memory/memory.ts";
import { storable } from "../base/storable.ts";

/** UTF-16 units of each part; together they fit a memory. */
const MAX_REQUEST = 1_000;
const MAX_APPROACH = 1_000;
const MAX_OUTCOME = 1_600;
const MAX_ARGUMENT = 80;
/** Calls that the approach names. The others are counted. */
const MAX_CALLS = 20;
const MAX_FILES = 5;

/** Arguments that describe a call and contain no secret. The first present one is named. */
const SUBJECT_ARGUMENTS = [
  "query",
  "filename",
  "path",
  "url",
  "expression",
  "task_description",
  "glob",
  "pattern",
  "name",
];

/** The parts of a call that a summary uses. */
export type SummarisedCall = Pick<LedgerRow, "tool" | "arguments" | "state">;

/**
 * Returns the summary of a task, with the label of the texts that it read. Null for a task that is not completed, a
 * subtask, a single call, or an agent without summaries.
 */
export function createSummary(
  { facts, steeredBy }: Pick<TaskState, "facts" | "steeredBy">,
  view: TaskView,
  calls: readonly SummarisedCall[],
): NewMemory | null {
  const { agent, kind, parentId } = facts;
  const isSummarized = kind === "agent" && parentId === null && agent.config.memory?.summaries !== false;
  if (!isSummarized || view.status !== "completed" || view.ended_at === null) return null;
  const parts = [
    `Request: ${shorten(getRequest(facts), MAX_REQUEST)}`,
    `Approach: ${shorten(formatApproach(view, calls), MAX_APPROACH)}`,
    `Outcome: ${shorten(formatOutcome(view), MAX_OUTCOME)}`,
  ];
  return {
    id: getSummaryId(facts.id),
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

/** Returns the user's messages without the assistant's. */
function getRequest({ input }: TaskFacts): string {
  if (typeof input === "string") return input;
  return input.flatMap(({ role, content }) => (role === "user" ? [content] : [])).join("\n");
}

function formatApproach({ usage }: TaskView, calls: readonly SummarisedCall[]): string {
  const steps = `${usage.steps} ${usage.steps === 1 ? "step" : "steps"}`;
  if (calls.length === 0) return `${steps}, without tools.`;
  const more = calls.length > MAX_CALLS ? [`and ${calls.length - MAX_CALLS} more calls`] : [];
  return `${steps}. ${[...calls.slice(0, MAX_CALLS).map(formatCall), ...more].join("; ")}.`;
}

/** `read_file "notes/plan.md"`, with the state of a call that was not confirmed. */
function formatCall({ tool, arguments: given, state }: SummarisedCall): string {
  const about = findSubject(given);
  const end = state === "confirmed" ? "" : state === "unknown" ? " (outcome unknown)" : ` (${state})`;
  return `${tool}${about === null ? "" : ` "${about}"`}${end}`;
}

function findSubject(given: unknown): string | null {
  if (typeof given !== "object" || given === null) return null;
  const values = given as Readonly<Record<string, unknown>>;
  const name = SUBJECT_ARGUMENTS.find((one) => typeof values[one] === "string");
  if (name === undefined) return null;
  const value = String(values[name]);
  return cut((name === "url" ? stripUrl(value) : value).replaceAll(/\s+/g, " ").trim(), MAX_ARGUMENT);
}

/** Removes user, query and fragment, which may contain a secret. */
function stripUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? "…" : `${url.origin}${url.pathname}`;
}

function formatOutcome({ output, reason }: TaskView): string {
  const files = (output?.files ?? []).map(({ path }) => path);
  const named =
    files.length === 0
      ? ""
      : ` [files: ${files.slice(0, MAX_FILES).join(", ")}${files.length > MAX_FILES ? ", …" : ""}]`;
  const limited = reason === null ? "" : ` [ended by ${reason}]`;
  return `${output?.text ?? ""}${named}${limited}`.trim() || "no text.";
}

/** Shortens a text to its head and tail. */
function shorten(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxCharacters) return trimmed;
  const { head, tail } = headAndTail(trimmed, maxCharacters - 5);
  return `${head} […] ${tail}`;
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutBefore(text, maxCharacters)}…`;
}
