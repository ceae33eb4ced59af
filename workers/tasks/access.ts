/** How routes reach a task: by the tenant of the key and the task's id, and in no other way. */
import { z } from "zod";
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { NO_SUCH_TASK, OttoError, raise, type Result } from "../../core/base/errors.ts";
import type { TaskEvent } from "../../core/task/events.ts";
import { isId } from "../../core/base/ids.ts";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type PageRequest, readCursor } from "../../core/base/page-cursor.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import type { AppContext } from "../http/context.ts";
import { passingFailure } from "../http/passing-failure.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** How long a list waits for the index to take what was reported last. */
const FRESH_WITHIN_MS = 1000;

/** The path of every route of one task. */
export const taskParams = z.object({ id: z.string().describe("The task's id, `task_…`") });

/** The tenant of the key. The operator key has none. */
export function tenantOf(c: AppContext): string {
  const principal = c.get("principal");
  if (principal.kind === "operator") raise("forbidden", "The operator key makes tenants. Use a key of the tenant.");
  return principal.tenant;
}

/** How answers and cancellations name who made them. */
export function actorOf(c: AppContext): string {
  const principal = c.get("principal");
  return principal.kind === "operator" ? "the operator" : `API key ${principal.key.name}`;
}

/** The object of a task. A text that is no task's id is `not_found`, and no object is asked. */
export function taskStub(c: AppContext, id: string): TaskStub {
  if (!isId("task", id)) throw new OttoError(NO_SUCH_TASK);
  return tasksFromEnv(c.env)(tenantOf(c), id);
}

/** Reads from a task. An object that was reset under the call is asked once more. */
export async function readTask<T>(c: AppContext, id: string, read: (task: TaskStub) => Promise<Result<T>>): Promise<T> {
  try {
    return unwrap(await read(taskStub(c, id)));
  } catch (thrown) {
    if (passingFailure(thrown) !== "reset") throw thrown;
    return unwrap(await read(taskStub(c, id)));
  }
}

/**
 * The task that decides what is asked at `id`: that task itself, or `owner`, a task below it, whose waits it shows. Any
 * other owner is `not_found`, with the words that the caller gets for a thing that is not there.
 */
export async function decidingTask(c: AppContext, id: string, owner: string | null, missing: string): Promise<string> {
  if (owner === null || owner === id) return id;
  let facts = await findFacts(c, owner);
  for (; facts !== null && facts.parentId !== null; facts = await findFacts(c, facts.parentId)) {
    if (facts.parentId === id) return owner;
  }
  return raise("not_found", missing);
}

/** The facts of a task; null: there is none with this id. */
export async function findFacts(c: AppContext, id: string): Promise<TaskFacts | null> {
  return await orNull(readTask(c, id, (stub) => stub.facts()));
}

/** A task as it stands; null: there is none with this id. */
export async function findView(c: AppContext, id: string): Promise<TaskView | null> {
  return await orNull(readTask(c, id, (stub) => stub.view()));
}

async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof OttoError && thrown.failure.code === "not_found") return null;
    throw thrown;
  }
}

/** Refuses to work on a task that has ended: what is made for it now would belong to nobody. */
export function refuseEnded({ status }: TaskView): void {
  if (hasEnded(status)) raise("conflict", `The task is ${status}: it takes no more files and no more calls.`);
}

/** The value of a result; its failure is thrown. */
export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}

/** The task as the API shows it: with the addresses of its files. */
export function shownTask(c: AppContext, view: TaskView) {
  return shownTaskAt(originOf(c), view);
}

/** The same for a Worker that is reached at this address; empty: the addresses of files begin with their path. */
export function shownTaskAt(origin: string, view: TaskView) {
  return { ...view, output: shownOutput(origin, view.id, view.output) };
}

/** An event as the API shows it: an output in it is that of the task. */
export function shownEvent(c: AppContext, event: TaskEvent): TaskEvent {
  if (event.type !== "task.completed") return event;
  const { data } = event;
  return {
    ...event,
    data: { ...data, output: shownOutput(originOf(c), data.task_id, data["output"] as TaskView["output"]) },
  };
}

function shownOutput(origin: string, id: string, output: TaskView["output"]) {
  if (output === null) return null;
  const files = output.files.map((file) => ({
    ...file,
    url: fileUrlAt(origin, id, file.path) + (file.sha256 === undefined ? "" : `?sha256=${file.sha256}`),
  }));
  return { text: output.text, files };
}

/** The address of a task's file. */
export function fileUrl(c: AppContext, id: string, path: string): string {
  return fileUrlAt(originOf(c), id, path);
}

function fileUrlAt(origin: string, id: string, path: string): string {
  return `${origin}/v1/tasks/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function originOf(c: AppContext): string {
  return new URL(c.req.url).origin;
}

/** An optional parameter of a query: empty is the same as absent. */
export function optionalQuery<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" ? undefined : value), schema.optional()).optional();
}

/** The parameters of every list. */
export const pageQuery = {
  limit: optionalQuery(z.coerce.number().int().min(1).max(MAX_PAGE_LIMIT)),
  cursor: optionalQuery(z.string().max(300)),
};

/** The page that a query asks for. */
export function pageRequest(query: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  if (query.cursor !== undefined && after === null) {
    raise("invalid_input", "cursor: is not a cursor of this list", { field: "cursor" });
  }
  return { after, limit: query.limit ?? DEFAULT_PAGE_LIMIT };
}

/** Sends the index what the tenant's tasks have just reported, so that a caller finds what it made; a slow database is not waited for. */
export async function bringUpToDate(c: AppContext): Promise<void> {
  const sent = tenantsFromEnv(c.env)(tenantOf(c)).flush();
  await awaitWithin(
    globalThis,
    FRESH_WITHIN_MS,
    sent.catch(() => false),
    false,
  );
}
