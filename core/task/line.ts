/** A task as one line of a tree, of the inbox or of the live feed, without its full input and output. */
import type { TaskStatus } from "./status.ts";
import type { TaskView } from "./view.ts";

const MAX_TITLE_CHARACTERS = 120;
const MAX_SEARCH_CHARACTERS = 500;
/** Characters of the input that are read for its title and search text. */
const MAX_READ_CHARACTERS = 4000;

export interface TaskLine {
  readonly id: string;
  readonly parent_id: string | null;
  /** The first line of the input, at most 120 characters. */
  readonly title: string;
  readonly status: TaskStatus;
  /** The agent's id. */
  readonly agent: string;
  readonly project: string | null;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export function toTaskLine(view: TaskView): TaskLine {
  const { id, parent_id, status, agent, project, created_at, ended_at } = view;
  return { id, parent_id, title: getTitle(view.input), status, agent: agent.id, project, created_at, ended_at };
}

/** What a task used without its subtasks. A model without a known price adds nothing to `cost_usd`. */
export interface OwnUsage {
  readonly steps: number;
  readonly tool_calls: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** Returns the first line of an input that is not empty; of a list of messages, that of the last message. */
export function getTitle(input: TaskView["input"]): string {
  const line = getText(input).trimStart().split("\n", 1)[0] ?? "";
  return cut(line.replace(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
}

/** Returns the normalised start of the input, which searches of a list compare. */
export function getSearchText(input: TaskView["input"]): string {
  return cut(normalizeSearchText(getText(input)), MAX_SEARCH_CHARACTERS);
}

/** Normalises a text for search: lower case, with one space for any white space. */
export function normalizeSearchText(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function getText(input: TaskView["input"]): string {
  return (typeof input === "string" ? input : (input.at(-1)?.content ?? "")).slice(0, MAX_READ_CHARACTERS);
}

/** At most `max` characters, with no half of a surrogate pair. */
function cut(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
