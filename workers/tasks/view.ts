/** Formats tasks and their events for the API, with the addresses of their files. */
import type { TaskEvent } from "../../core/task/events.ts";
import type { TaskView } from "../../core/task/view.ts";
import { addConnectUrl } from "../connections/wait-links.ts";
import type { AppContext } from "../http/context.ts";

/** Formats a task, with the addresses of its files, and of the accounts that its reader may connect. */
export async function toTaskView(c: AppContext, view: TaskView) {
  const pending = await Promise.all(view.pending.map(async (one) => await addConnectUrl(c, view.id, one)));
  return { ...toTaskViewAt(getOrigin(c), view), pending };
}

/** Formats a task for a Worker at this address. With an empty address, the addresses of files start with their path. */
export function toTaskViewAt(origin: string, view: TaskView) {
  const known = { acts_for: view.acts_for ?? null, warnings: view.warnings ?? [] };
  return { ...view, ...known, output: toOutputView(origin, view.id, view.output) };
}

/** Formats an event. An output in it has the form of the task's. */
export function toEventView(c: AppContext, event: TaskEvent): TaskEvent {
  if (event.type !== "task.completed") return event;
  const { data } = event;
  return {
    ...event,
    data: { ...data, output: toOutputView(getOrigin(c), data.task_id, data["output"] as TaskView["output"]) },
  };
}

function toOutputView(origin: string, id: string, output: TaskView["output"]) {
  if (output === null) return null;
  const files = output.files.map((file) => ({
    ...file,
    url: getFileUrlAt(origin, id, file.path) + (file.sha256 === undefined ? "" : `?sha256=${file.sha256}`),
  }));
  return { ...output, files };
}

/** Returns the address of a task's file. */
export function getFileUrl(c: AppContext, id: string, path: string): string {
  return getFileUrlAt(getOrigin(c), id, path);
}

function getFileUrlAt(origin: string, id: string, path: string): string {
  return `${origin}/v1/tasks/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function getOrigin(c: AppContext): string {
  return new URL(c.req.url).origin;
}
