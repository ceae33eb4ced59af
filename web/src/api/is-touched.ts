/** Whether an answer that the page holds may be old after what the live feed told. By its key, and by what is in it. */
import type { News, TaskChange } from "./feed-news.ts";

/** An answer as the cache holds it. Answers that the feed tells of have keys that begin with `tasks` or `inbox`. */
interface HeldAnswer {
  readonly queryKey: readonly unknown[];
  /** Undefined: it was not read yet. */
  readonly data: unknown;
}

/** What narrows a list of tasks; what a change cannot be judged by is left out. */
interface ListSearch {
  readonly status?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly subtasks?: true;
  readonly after?: string;
}

/** `rootOf` gives the root of a task's tree; null: not known. */
export function isTouched(
  { isAll, isInbox, changes }: News,
  { queryKey, data }: HeldAnswer,
  rootOf: (task: string) => string | null,
): boolean {
  const [kind, name, more] = queryKey;
  if (kind === "inbox") return isAll || isInbox;
  if (kind !== "tasks" || typeof name !== "string") return false;
  if (isAll || data === undefined) return true;
  if (name === "list") return changes.some((change) => touchesList(more as ListSearch, data, change));
  if (name === "of agent") return changes.some((change) => holds(data, change) || isListed(change, { agent: more }));
  return changes.some((change) => touchesTask(name, more, { change, data, rootOf }));
}

/** A task that is in the list, or that may come into it. */
function touchesList(search: ListSearch, data: unknown, change: TaskChange): boolean {
  if (holds(data, change)) return true;
  // New tasks appear on the first page; a later page changes only when it is reopened.
  if (search.after !== undefined || (search.subtasks !== true && change.parentId !== null)) return false;
  const isOfStatus = search.status === undefined || search.status.split(",").includes(change.status);
  return isOfStatus && isListed(change, search);
}

function isListed(
  { isHidden, rootId, agent, project }: TaskChange,
  wanted: { readonly agent?: unknown; readonly project?: string },
): boolean {
  // An erased task comes into no list.
  if (isHidden || rootId === null) return false;
  // An agent may be asked for by its name, which a change does not tell.
  const isId = typeof wanted.agent === "string" && wanted.agent.startsWith("agent_");
  return (!isId || wanted.agent === agent) && (wanted.project === undefined || wanted.project === project);
}

function holds(data: unknown, { id }: TaskChange): boolean {
  return listThings(data, "data").some((row) => row.id === id);
}

/** An answer about one task; `part` says which. */
function touchesTask(
  task: string,
  part: unknown,
  { change, data, rootOf }: { change: TaskChange; data: unknown; rootOf: (task: string) => string | null },
): boolean {
  if (change.id === task) return true;
  switch (part) {
    // The task itself: it shows what its subtasks wait for and have used.
    case undefined:
      return change.parentId === task;
    case "tree":
      return listThings(data, "nodes").some(({ id }) => id === change.id || id === change.parentId);
    // A tree shares its files.
    case "files":
      return change.rootId !== null && change.rootId === (rootOf(task) ?? task);
    default:
      return false;
  }
}

function listThings(data: unknown, name: "data" | "nodes"): readonly { readonly id: string }[] {
  const list = (data as Readonly<Record<string, unknown>>)[name];
  return Array.isArray(list) ? (list as { id: string }[]) : [];
}
