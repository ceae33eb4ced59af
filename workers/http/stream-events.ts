/** What is watched as bytes of `text/event-stream` (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { awaitWithin } from "../../core/base/deadline.ts";

/** A comment is sent when nothing else was for this long, so that nothing between here and the reader gives up. */
const HEARTBEAT_MS = 15_000;
/** What a client is told to wait before it reconnects. */
const RETRY_MS = 1000;
/** Between two looks whether the reader may still read: a revoked key is dead everywhere within 5 seconds. */
const RECHECK_MS = 3000;

/** The headers of an answer that streams events. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** The text of one thing that is watched. After the last one, the stream ends. */
export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

/** What a stream is made of. */
export interface EventStream<Watched> {
  readonly watch: (signal: AbortSignal) => AsyncGenerator<Watched>;
  readonly write: (watched: Watched) => Piece;
  /** False, or a failure, ends the stream. */
  readonly mayRead: () => Promise<boolean>;
  /** Takes what ended the stream early. The reader only sees it end, and comes back. */
  readonly report: (thrown: unknown) => void;
  readonly recheckMs?: number;
}

/** The stream. It is pulled: what the reader does not take is not read from the task. However it ends, the watch ends. */
export function streamEvents<Watched>(options: EventStream<Watched>): ReadableStream<Uint8Array> {
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

const LAST: Piece = { text: "", isLast: true };

/** Gives what is to be sent next: an event, or a comment when none has come by the time of a heartbeat. */
function textsOf<Watched>(watched: AsyncGenerator<Watched>, options: EventStream<Watched>): () => Promise<Piece> {
  const { write, mayRead, recheckMs = RECHECK_MS } = options;
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
      const item = await awaitWithin(globalThis, Math.min(beatAt, recheckAt) - Date.now(), next, null);
      if (item === null) {
        if (Date.now() < beatAt) continue;
        beatAt = Date.now() + HEARTBEAT_MS;
        return { text: ": still here\n\n", isLast: false };
      }
      next = null;
      if (item.done === true) return LAST;
      beatAt = Date.now() + HEARTBEAT_MS;
      return write(item.value);
    }
  };
}

/** One event. JSON has no bare line break, so `data` is one line. */
export function writtenEvent(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
