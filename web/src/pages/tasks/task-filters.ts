/** What the list of tasks shows, as its address says. */
import type { TaskStatus } from "../../api/types.ts";
import type { paths } from "../../api/types.generated.ts";

export const STATUSES: readonly TaskStatus[] = [
  "queued",
  "running",
  "waiting_input",
  "waiting_approval",
  "waiting_subagents",
  "sleeping",
  "completed",
  "failed",
  "cancelled",
];

export interface TasksSearch {
  /** One status, or several with commas. */
  readonly status?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly query?: string;
  /** With subtasks; without it, only tasks that nobody dispatched. */
  readonly subtasks?: true;
  /** The cursor of a later page. */
  readonly after?: string;
}

type ListQuery = NonNullable<paths["/v1/tasks"]["get"]["parameters"]["query"]>;

/** Tasks of one page: as many rows as a page shows at once without growing slow. */
const PAGE = 50;

/** The longest text that the API searches for. */
const MAX_QUERY = 200;

/** Reads an address; what it does not know, it leaves out. */
export function readTasksSearch(given: Record<string, unknown>): TasksSearch {
  const statuses = statusesOf(text(given["status"]));
  return {
    ...(statuses.length === 0 ? {} : { status: statuses.join(",") }),
    ...named("project", text(given["project"])),
    ...named("agent", text(given["agent"])),
    ...named("query", text(given["query"]).slice(0, MAX_QUERY)),
    ...(given["subtasks"] === true || given["subtasks"] === "true" ? { subtasks: true as const } : {}),
    ...named("after", text(given["after"])),
  };
}

/** The statuses that are asked for, each once, in the order of a task's life; none stands for all. */
export function statusesOf(status: string | undefined): TaskStatus[] {
  const asked = new Set((status ?? "").split(","));
  return STATUSES.filter((one) => asked.has(one));
}

export function listQueryOf({ status, project, agent, query, subtasks, after }: TasksSearch): ListQuery {
  return {
    limit: PAGE,
    view: "short",
    ...named("status", status),
    ...named("project", project),
    ...named("agent", agent),
    ...named("query", query?.trim()),
    ...(subtasks === true ? {} : { parent: "none" }),
    ...named("cursor", after),
  };
}

export interface NewTaskSearch {
  /** The task that the form begins with. */
  readonly from?: string;
  /** The id or the name of an agent. */
  readonly agent?: string;
  readonly input?: string;
  /** The task that waits for its files. */
  readonly held?: string;
}

export function readNewTaskSearch(given: Record<string, unknown>): NewTaskSearch {
  return {
    ...named("from", text(given["from"])),
    ...named("agent", text(given["agent"])),
    ...named("input", text(given["input"])),
    ...named("held", text(given["held"])),
  };
}

/** Whether anything but the place in the list is asked for. */
export function isFiltered({ status, project, agent, query, subtasks }: TasksSearch): boolean {
  return [status, project, agent, query, subtasks].some((filter) => filter !== undefined);
}

function named<Name extends string>(name: Name, value: string | undefined): { readonly [name in Name]?: string } {
  return value === undefined || value === "" ? {} : ({ [name]: value } as { readonly [name in Name]: string });
}

/** A value of an address as text; the router reads one that looks like a number as a number. */
function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
