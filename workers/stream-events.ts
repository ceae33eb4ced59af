/** A task's events as bytes of `text/event-stream` (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { isTerminalEvent, type TaskEvent } from "../core/events.ts";
import type { Watched } from "./watch-task.ts";

/** A comment is sent when nothing else was for this long, so that nothing between here and the reader gives up. */
const HEARTBEAT_MS = 15_000;
/** What a client is told to wait before it reconnects. */
const RETRY_MS = 1000;
/** Between two looks whether the reader may still read: a revoked key is dead everywhere within 5 seconds. */
const RECHECK_MS = 3000;

/** What a stream is made of. */
export interface EventStream {
  readonly taskId: string;
  readonly watch: (signal: AbortSignal) => AsyncGenerator<Watched>;
  readonly show: (event: TaskEvent) => TaskEvent;
  /** False, or a failure, ends the stream. */
  readonly mayRead: () => Promise<boolean>;
  /** Takes what ended the stream early. The reader only sees it end, and comes back. */
  readonly report: (thrown: unknown) => void;
  readonly recheckMs?: number;
}

/** The stream. It is pulled: what the reader does not take is not read from the task. However it ends, the watch ends. */
export function streamEvents(options: EventStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const abort = new AbortController();
  const watched = options.watch(abort.signal);
  const texts = textsOf(watched, options);

  /** The signal wakes a watch that waits; then it can be told to let go of its connection. */
  async function end(): Promise<void> {
    abort.abort();
    await watched.return(undefined);
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      },
      async pull(controller) {
        const { text, isLast } = await texts().catch((thrown: unknown) => {
          options.report(thrown);
          return LAST;
        });
        if (abort.signal.aborted) return;
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (!isLast) return;
        controller.close();
        await end();
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

const LAST: Piece = { text: "", isLast: true };

/** Gives what is to be sent next: an event, or a comment when none has come by the time of a heartbeat. */
function textsOf(watched: AsyncGenerator<Watched>, options: EventStream): () => Promise<Piece> {
  const { taskId, show, mayRead, recheckMs = RECHECK_MS } = options;
  let next: Promise<IteratorResult<Watched, void>> | null = null;
  let beatAt = Date.now() + HEARTBEAT_MS;
  let recheckAt = Date.now() + recheckMs;
  return async () => {
    for (;;) {
      if (Date.now() >= recheckAt) {
        if (!(await mayRead())) return LAST;
        recheckAt = Date.now() + recheckMs;
      }
      next ??= watched.next();
      const item = await within(next, Math.min(beatAt, recheckAt) - Date.now());
      if (item === null) {
        if (Date.now() < beatAt) continue;
        beatAt = Date.now() + HEARTBEAT_MS;
        return { text: ": still here\n\n", isLast: false };
      }
      next = null;
      if (item.done === true) return LAST;
      beatAt = Date.now() + HEARTBEAT_MS;
      const { value } = item;
      if ("delta" in value) return { text: writtenDelta(taskId, value.delta), isLast: false };
      return { text: writtenEvent(show(value.event)), isLast: isTerminalEvent(value.event.type) };
    }
  };
}

/** What a promise gives, or null when it has not by then. */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One event. JSON has no bare line break, so `data` is one line. */
function writtenEvent({ seq, type, data }: TaskEvent): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function writtenDelta(taskId: string, delta: Extract<Watched, { delta: unknown }>["delta"]): string {
  const data = { task_id: taskId, at: new Date().toISOString(), ...delta };
  return `event: message.delta\ndata: ${JSON.stringify(data)}\n\n`;
}
