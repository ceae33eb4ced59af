/** Formats what a task's watcher yields as text of an event stream. */
import { formatEvent } from "../../core/lib/event-stream.ts";
import { isTerminalEvent, type TaskEvent } from "../../core/task/events.ts";
import { formatDelta } from "../../core/task/watch-frames.ts";
import type { Piece } from "../http/stream-events.ts";
import type { Watched } from "./watch.ts";

/** An event has its sequence number as `id`; a delta has none. The stream ends with the log's terminal event. */
export function formatWatched(taskId: string, watched: Watched, show: (event: TaskEvent) => TaskEvent): Piece {
  if ("text" in watched) return { text: watched.text, isLast: false };
  if ("delta" in watched) return { text: formatDelta(taskId, watched.delta, Date.now()), isLast: false };
  const { seq, type, data } = show(watched.event);
  return { text: formatEvent(type, data, seq), isLast: isTerminalEvent(type) };
}
