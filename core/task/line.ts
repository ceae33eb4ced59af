/** A task as one line of a tree, of the inbox or of the live feed: what can be shown without its input and output. */
import type { TaskStatus } from "./status.ts";
import type { TaskView } from "./view.ts";

const MAX_TITLE_CHARACTERS = 120;
const MAX_SEARCH_CHARACTERS = 500;
/** Of the input, that much is looked at for its first line and its words. */
const MAX_LOOKED_AT = 4000;

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

export function lineOf(view: TaskView): TaskLine {
  const { id, parent_id, status, agent, project, created_at, ended_at } = view;
  return { id, parent_id, title: titleOf(view.input), status, agent: agent.id, project, created_at, ended_at };
}

/** What a task used by itself, without its subtasks. A model of unknown price adds nothing to `cost_usd`. */
export interface OwnUsage {
  readonly steps: number;
  readonly tool_calls: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** The first line of an input that holds anything. Of messages: of the last one. */
export function titleOf(input: TaskView["input"]): string {
  const line = textOf(input).trimStart().split("\n", 1)[0] ?? "";
  return cut(line.replace(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
}

/** What a list is searched in: the beginning of the input, as `searchable` writes it. */
export function searchTextOf(input: TaskView["input"]): string {
  return cut(searchable(textOf(input)), MAX_SEARCH_CHARACTERS);
}

/** A text as a search compares it: in lower case, with one space for any white space. */
export function searchable(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function textOf(input: TaskView["input"]): string {
  return (typeof input === "string" ? input : (input.at(-1)?.content ?? "")).slice(0, MAX_LOOKED_AT);
}

/** At most `max` characters, with no half of a surrogate pair. */
function cut(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
