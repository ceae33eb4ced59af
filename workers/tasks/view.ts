/** Formats tasks and their events for the API, with the addresses of their files. */
import type { TaskEvent } from "../../core/task/events.ts";
import type { TaskView } from "../../core/task/view.ts";
import type { AppContext } from "../http/context.ts";

/** Formats a task, with the addresses of its files. */
export function shownTask(c: AppContext, view: TaskView) {
  return shownTaskAt(originOf(c), view);
}

/** Formats a task for a Worker at this address. With an empty address, the addresses of files start with their path. */
export function shownTaskAt(origin: string, view: TaskView) {
  return { ...view, output: shownOutput(origin, view.id, view.output) };
}

/** Formats an event. An output in it has the form of the task's. */
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

/** Returns the address of a task's file. */
export function fileUrl(c: AppContext, id: string, path: string): string {
  return fileUrlAt(originOf(c), id, path);
}

function fileUrlAt(origin: string, id: string, path: string): string {
  return `${origin}/v1/tasks/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function originOf(c: AppContext): string {
  return new URL(c.req.url).origin;
}
