/** Streams events as `text/event-stream` (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { sleep } from "../../core/base/deadline.ts";

/** A comment is sent after this long without an event, so that no proxy closes the connection. */
const HEARTBEAT_MS = 15_000;
/** The delay before a client reconnects. */
const RETRY_MS = 1000;
/** Longest time between checks of the reader's rights: a revoked key stops working everywhere within 5 seconds. */
const RECHECK_MS = 3000;

/** The headers of an answer that streams events. */
export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** The text of one event. The stream ends after the last one. */
export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

/** The source of a stream. */
export interface EventStream<Watched> {
  readonly watch: (signal: AbortSignal) => AsyncGenerator<Watched>;
  readonly write: (watched: Watched) => Piece;
  /** The time until which the reader may read without another check. Null, or a failure, ends the stream. */
  readonly mayRead: () => Promise<number | null>;
  /** Receives the error that ended the stream early. The reader only sees it end, and reconnects. */
  readonly report: (thrown: unknown) => void;
  /** When the first check is due, if earlier than `recheckMs` from now: the reader was admitted before. */
  readonly validUntil?: number | null;
  readonly recheckMs?: number;
}

/** Creates the stream. It reads from the task only as fast as the reader takes. The watch ends with the stream. */
export function streamEvents<Watched>(options: EventStream<Watched>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const abort = new AbortController();
  const watched = options.watch(abort.signal);
  const texts = createTextReader(watched, options, abort.signal);

  /** Aborts a watch that waits, so that it closes its connection. */
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

/** Returns the next text: an event, or a comment after a heartbeat without events. One timer serves many events. */
function createTextReader<Watched>(
  watched: AsyncGenerator<Watched>,
  options: EventStream<Watched>,
  signal: AbortSignal,
): () => Promise<Piece> {
  const { write, mayRead, validUntil, recheckMs = RECHECK_MS } = options;
  let next: Promise<IteratorResult<Watched, void>> | null = null;
  let beatAt = Date.now() + HEARTBEAT_MS;
  let recheckAt = Math.min(Date.now() + recheckMs, validUntil ?? Infinity);
  /** Null at the next time to look at the clock. */
  let tick: Promise<null> | null = null;
  return async () => {
    for (;;) {
      const now = Date.now();
      if (now >= recheckAt) {
        const until = await mayRead();
        if (until === null) return LAST;
        recheckAt = Math.min(until, now + recheckMs);
      }
      next ??= watched.next();
      tick ??= sleep(globalThis, Math.min(beatAt, recheckAt) - now, signal).then(() => null);
      const item = await Promise.race([next, tick]);
      if (item === null) {
        tick = null;
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
