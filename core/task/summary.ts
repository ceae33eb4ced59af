/**
 * The memory of a completed task: one sentence of what was asked and what came out. Written by rule from the task's own
 * texts, so it costs nothing and the same task always gives the same text.
 */
import { cutBefore } from "../gateway/shape.ts";
import type { EndReason, TaskFacts, TaskState } from "./state.ts";
import type { TaskView } from "./view.ts";
import { type NewMemory, getSummaryId, toMemoryLabel } from "../memory/memory.ts";
import { storable } from "../base/storable.ts";

/** UTF-16 units of each quoted text; together they fit a memory. */
const MAX_REQUEST = 300;
const MAX_ANSWER = 600;
const MAX_PATH = 80;
/** Attached files that are named. The others are counted. */
const MAX_FILES = 5;
/** UTF-16 units of a text that are read for its quotation. */
const MAX_READ = 4_000;

const ENDS: Readonly<Record<EndReason, string>> = {
  iteration_limit: "stopped at its limit of steps",
  output_limit: "stopped at its limit of output",
  budget_exceeded: "stopped at its budget",
  model_unavailable: "stopped without its model",
  cancelled: "was cancelled",
  internal: "stopped after an internal error",
};

/** What a reader would not see as part of the text: controls, marks of direction, invisible tags, separators of lines. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
/** The quotation marks of the sentence, which its texts may not close. */
const QUOTES = /["“”„‟«»]/g;
/** What Markdown puts before the words of a line, and a fence of code. */
const LINE_MARKS = /^[ \t]*(?:#{1,6} |[-*+] |> ?|```[^\n]*)/gm;
/** The sentence has its own. */
const FULL_STOP = /(?<!\.)\.$/;
const EMPHASIS = /\*\*|`/g;

/**
 * Returns the summary of a task, with the label of the texts that it read. Null for a task that is not completed, a
 * subtask, a single call, or an agent without summaries.
 */
export function createSummary(
  { facts, steeredBy }: Pick<TaskState, "facts" | "steeredBy">,
  view: TaskView,
): NewMemory | null {
  const { agent, kind, parentId } = facts;
  const isSummarized = kind === "agent" && parentId === null && agent.config.memory?.summaries !== false;
  if (!isSummarized || view.status !== "completed" || view.ended_at === null) return null;
  return {
    id: getSummaryId(facts.id),
    project: facts.project,
    kind: "summary",
    label: toMemoryLabel(steeredBy),
    content: `Asked ${quote(getRequest(facts), MAX_REQUEST)}, the agent ${formatOutcome(view)}.`,
    tags: [],
    sourceTask: facts.id,
    author: agent.id,
    createdAt: Date.parse(view.ended_at),
  };
}

/** Returns the last message of the user: the earlier ones of a conversation have summaries of their own. */
function getRequest({ input }: TaskFacts): string {
  if (typeof input === "string") return input;
  return input.findLast(({ role }) => role === "user")?.content ?? "";
}

/** `answered “…”, attached “a.md” and stopped at its limit of steps`. */
function formatOutcome({ output, reason }: TaskView): string {
  const answer = quote(output?.text ?? "", MAX_ANSWER);
  const paths = (output?.files ?? []).map(({ path }) => path);
  const parts = [
    answer === quote("", 0) ? "gave no text" : `answered ${answer}`,
    ...(paths.length === 0 ? [] : [`attached ${listFiles(paths)}`]),
    ...(reason === null ? [] : [ENDS[reason]]),
  ];
  return joinWords(parts);
}

function listFiles(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_FILES).map((path) => quote(path, MAX_PATH));
  const others = paths.length - named.length;
  return joinWords(others === 0 ? named : [...named, others === 1 ? "another file" : `${others} other files`]);
}

/** `a`, `a and b`, `a, b and c`. */
function joinWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

/**
 * Quotes a text on one line, cut at a word. No text ends its quotation, so none reads as Otto's own words: what it says is
 * what was asked or answered, not an instruction.
 */
function quote(text: string, maxCharacters: number): string {
  const words = storable(cutBefore(text, MAX_READ))
    .replace(LINE_MARKS, " ")
    .replace(EMPHASIS, "")
    .replace(QUOTES, "'")
    .replace(UNSEEN, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const isWhole = words.length <= maxCharacters && text.length <= MAX_READ;
  return `“${isWhole ? words.replace(FULL_STOP, "") : `${cutAtWord(words, maxCharacters)}…`}”`;
}

/** Cuts behind a word in the last third, else between two characters. */
function cutAtWord(text: string, end: number): string {
  const cut = cutBefore(text, end);
  const space = cut.lastIndexOf(" ");
  return space > (end * 2) / 3 ? cut.slice(0, space) : cut;
}
