/** Formats what a task's watcher yields as text of an event stream. */
import { formatEvent } from "../../core/lib/event-stream.ts";
import { isTerminalEvent, type TaskEvent } from "../../core/task/events.ts";
import type { Piece } from "../http/stream-events.ts";
import type { Watched } from "./watch.ts";

/** An event has its sequence number as `id`; a delta has none. The stream ends with the log's terminal event. */
export function formatWatched(taskId: string, watched: Watched, show: (event: TaskEvent) => TaskEvent): Piece {
  if ("delta" in watched) {
    const data = { task_id: taskId, at: new Date().toISOString(), ...watched.delta };
    return { text: formatEvent("message.delta", data), isLast: false };
  }
  const { seq, type, data } = show(watched.event);
  return { text: formatEvent(type, data, seq), isLast: isTerminalEvent(type) };
}
