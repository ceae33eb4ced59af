/** A task's events as bytes of `text/event-stream` (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { isTerminalEvent } from "../core/events.ts";
import { type Watched, type WatchedTask, watchTask } from "./watch-task.ts";

/** A comment is sent when nothing else was for this long, so that nothing between here and the reader gives up. */
const HEARTBEAT_MS = 15_000;
/** What a client is told to wait before it reconnects. */
const RETRY_MS = 1000;

/** The stream. It is pulled: what the reader does not take is not read from the task. Cancelling it ends the watch. */
export function streamEvents(taskId: string, open: () => WatchedTask, after: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const abort = new AbortController();
  const watched = watchTask(open, after, abort.signal);
  let next: Promise<IteratorResult<Watched, void>> | null = null;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      },
      async pull(controller) {
        next ??= watched.next();
        const item = await orHeartbeat(next);
        if (item === null) {
          controller.enqueue(encoder.encode(": still here\n\n"));
          return;
        }
        next = null;
        if (item.done === true) {
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(written(taskId, item.value)));
        if ("event" in item.value && isTerminalEvent(item.value.event.type)) {
          abort.abort();
          controller.close();
        }
      },
      cancel() {
        abort.abort();
      },
    },
    { highWaterMark: 1 },
  );
}

/** The next item, or null when it has not come by the time of a heartbeat. */
async function orHeartbeat<T>(next: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), HEARTBEAT_MS);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One event. JSON has no bare line break, so `data` is one line. */
function written(taskId: string, item: Watched): string {
  if ("delta" in item) {
    const data = { task_id: taskId, at: new Date().toISOString(), ...item.delta };
    return `event: message.delta\ndata: ${JSON.stringify(data)}\n\n`;
  }
  const { seq, type, data } = item.event;
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
