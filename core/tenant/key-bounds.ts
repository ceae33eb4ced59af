/**
 * The bounds of an API key. With projects, the key sees only their tasks, files and memory. With agents, it starts and
 * directs tasks of those agents only. Pure rules over a key, a route and a task. A route that is not listed here is
 * closed to a key with projects, so a new route has to filter before it opens.
 */
import { failed, NO_SUCH_TASK, ok, type Result } from "../base/errors.ts";
import type { KeyRecord } from "./rpc.ts";
import type { Scope } from "./keys.ts";

/** How many projects, and how many agents, a key can be bound to. */
export const MAX_BOUND = 50;

/** Null: not bound. */
export interface KeyBounds {
  readonly projects: readonly string[] | null;
  readonly agents: readonly string[] | null;
}

/** Returns the bounds of a key; null for an unbound key. A record of an earlier release has none. */
export function toKeyBounds({
  projects = null,
  agents = null,
}: Pick<KeyRecord, "projects" | "agents">): KeyBounds | null {
  return projects === null && agents === null ? null : { projects, agents };
}

/** Returns a scope that a bound key cannot have because it covers the whole tenant. */
export function findUnboundScope(scopes: readonly Scope[]): Scope | null {
  return scopes.find((scope) => scope === "admin") ?? null;
}

/** True when the key sees the content of this project (null: content without a project). */
export function isInBounds(bounds: KeyBounds | null, project: string | null): boolean {
  if (bounds === null || bounds.projects === null) return true;
  return project !== null && bounds.projects.includes(project);
}

/**
 * Whether a key may use this project in a request. `invalid_input`: a key with projects has to name one; `not_found`:
 * the project is not one of the key's.
 */
export function checkProject(bounds: KeyBounds | null, project: string | null): Result<void> {
  if (isInBounds(bounds, project)) return ok(undefined);
  if (project !== null) return failed("not_found", "There is no such project.", { field: "project" });
  const message = `This key is bound to projects. Give one of them: ${bounds?.projects?.join(", ") ?? ""}.`;
  return failed("invalid_input", message, { field: "project" });
}

/** The project and the agent of a requested task or call. */
export interface TaskToStart {
  readonly project: string | null;
  readonly agent: { readonly id: string; readonly name: string };
}

/**
 * Whether a key may start a task. Fails like `checkProject`, and with `forbidden` for an agent that is not one of the
 * key's.
 */
export function checkStart(bounds: KeyBounds | null, { project, agent }: TaskToStart): Result<void> {
  if (bounds === null) return ok(undefined);
  const { agents } = bounds;
  const allowed = checkProject(bounds, project);
  if (!allowed.ok) return allowed;
  if (agents === null || agents.includes(agent.id)) return ok(undefined);
  const message = `This key is bound to agents, and ${agent.name} is not one of them. Name one of them as the task's agent.`;
  return failed("forbidden", message, { field: "agent" });
}

/** Cancelling gives the agent no instruction, so every key that sees the task may do it. */
const CANCEL = /^POST \/v1\/tasks\/[^/]+\/cancel$/;

/**
 * Whether a key may make a request about an existing task. A key with agents directs only their tasks: messages,
 * answers, decisions and files of others are `forbidden`; reading and cancelling are allowed.
 */
export function checkRequest(
  { agents }: KeyBounds,
  method: string,
  path: string,
  agent: TaskToStart["agent"],
): Result<void> {
  const isReading = method === "GET" || method === "HEAD";
  if (agents === null || agents.includes(agent.id) || isReading || CANCEL.test(`${method} ${path}`))
    return ok(undefined);
  const message = `This key is bound to agents, and this task's agent, ${agent.name}, is not one of them: it may read and cancel the task. Use a key of that agent, or one without bounds.`;
  return failed("forbidden", message);
}

/** Whether a key may see a task; otherwise `not_found`, as for a task that does not exist. */
export function checkTask(bounds: KeyBounds | null, { project }: { readonly project: string | null }): Result<void> {
  return isInBounds(bounds, project) ? ok(undefined) : { ok: false, error: NO_SUCH_TASK };
}

/** Methods and paths. `*` is any method, `{x}` one segment, `/**` the path and everything below it. */
const OPEN_WITH_PROJECTS: readonly string[] = [
  "GET /v1/tasks",
  "POST /v1/tasks",
  "* /v1/tasks/{id}/**",
  "GET /v1/events",
  "GET /v1/inbox",
  "POST /v1/knowledge/search",
  "GET /v1/knowledge/pieces/{id}",
  "* /v1/memory",
  "* /v1/memory/{id}",
  "* /v1/knowledge/documents",
  "* /v1/knowledge/documents/{id}/**",
  "GET /v1/projects",
  "GET /v1/projects/{name}",
  // Content of the tenant rather than of a project, and the parts of a task.
  "GET /v1/agents/**",
  "GET /v1/people/**",
  "GET /v1/skills/**",
  "GET /v1/tools/**",
  "GET /v1/tools.json",
  "POST /v1/tools/{name}/call",
  // The sessions of this key.
  "* /v1/session/**",
  "* /v1/sessions/**",
];

/** Routes that start a task of an agent which the request does not name, or let its tasks act for a person. */
const CLOSED_WITH_AGENTS: readonly string[] = [
  "POST /v1/schedules/{id}/run",
  "POST /v1/schedules/{id}/confirm",
  "POST /webhook/{type}",
];

const OPEN = OPEN_WITH_PROJECTS.map(toPattern);
const CLOSED = CLOSED_WITH_AGENTS.map(toPattern);

/** Whether a key with these bounds may use a route. `path` is as routes match it. */
export function isRouteOpen(bounds: KeyBounds | null, method: string, path: string): boolean {
  if (bounds === null) return true;
  const route = `${method === "HEAD" ? "GET" : method} ${path}`;
  if (bounds.projects !== null && !OPEN.some((pattern) => pattern.test(route))) return false;
  return !CLOSED.some((pattern) => pattern.test(route));
}

function toPattern(route: string): RegExp {
  const [method = "", path = ""] = route.split(" ");
  const below = path.endsWith("/**") ? "(?:/.*)?" : "";
  const segments = path
    .replace(/\/\*\*$/, "")
    .replaceAll(".", "\\.")
    .replace(/\{[a-z]+\}/g, "[^/]+");
  return new RegExp(`^${method === "*" ? "[A-Z]+" : method} ${segments}${below}$`, "s");
}
