/**
 * Follows a task's log from a position. The object pushes new events and deltas over a hibernatable WebSocket; a gap
 * before a push is read with `events(after)`. Every event is yielded once and in order, because `last` only moves
 * when an event is yielded. The queue for a slow consumer is bounded: deltas are dropped, and events that no longer
 * fit are read again by page.
 */
import { type Failure, NO_SUCH_TASK, OttoError, type Result } from "../../core/base/errors.ts";
import { isTerminalEvent, type TaskEvent, type WatchFrame } from "../../core/task/events.ts";
import type { EventPage } from "../../core/task/rpc.ts";
import { findRetry } from "../http/retryable-failure.ts";
import { sleep } from "../../core/base/deadline.ts";

/** Events that are read at once. */
const PAGE_EVENTS = 100;
/** Characters of frames that wait for the consumer. */
const MAX_QUEUED_CHARACTERS = 500_000;
/** Delay before reconnecting to an unavailable object. */
const RECONNECT_MS = 250;
/** A connection that lasted this long counts as good. */
const STEADY_MS = 5000;
/** Lost or refused connections in a row until the object counts as unavailable. */
const MAX_LOST = 20;

/** The functions of a task's object that the watcher uses. */
export interface WatchedTask {
  events(after: number, limit: number): Promise<Result<EventPage>>;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A text that the model is writing. It is not part of the log. */
export interface Delta {
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
}

export type Watched = { readonly event: TaskEvent } | { readonly delta: Delta };

/** The position of a watch: the last yielded event, and the number of yielded items. */
interface Position {
  last: number;
  yielded: number;
  found: boolean;
}

/**
 * Yields the log after `after` until its terminal event, or until `signal` aborts. `open` returns a new stub, because
 * the stub of a reset object stays broken. Ends when the task is erased. Throws an `OttoError` if the task never
 * existed, its object stays unavailable, or a retry cannot help. A consumer that stops early calls `return()`.
 */
export async function* watchTask(open: () => WatchedTask, after: number, signal: AbortSignal): AsyncGenerator<Watched> {
  const place: Position = { last: after, yielded: 0, found: false };
  for (let lost = 0; !signal.aborted; ) {
    const [yielded, startedAt] = [place.yielded, Date.now()];
    let feed: Feed | null = null;
    try {
      feed = await openFeed(open(), signal);
      if (yield* follow(feed, open, place)) return;
    } catch (thrown) {
      if (place.found && thrown instanceof OttoError && thrown.failure.code === "not_found") return;
      if (findRetry(thrown) === null) throw thrown;
    } finally {
      feed?.close();
    }
    const wasGood = place.yielded > yielded || Date.now() - startedAt >= STEADY_MS;
    lost = wasGood ? 0 : lost + 1;
    if (lost === MAX_LOST) throw new OttoError(AWAY);
    await sleep(globalThis, RECONNECT_MS, signal);
  }
}

const AWAY: Failure = {
  code: "upstream_failed",
  message: "The task cannot be followed at the moment. Try again.",
  retryAfterMs: 1000,
};

/** Yields the items of one connection. Returns true if the log has ended, false if the connection has. */
async function* follow(feed: Feed, open: () => WatchedTask, place: Position): AsyncGenerator<Watched, boolean> {
  for (;;) {
    if (feed.behind) {
      feed.behind = false;
      const page = await open().events(place.last, PAGE_EVENTS);
      if (!page.ok) throw new OttoError(page.error);
      place.found = true;
      for (const event of page.value.events) {
        place.last = event.seq;
        place.yielded += 1;
        yield { event };
      }
      if (page.value.done) return true;
      // A short page need not be the last: only an empty one is.
      if (page.value.events.length > 0) feed.behind = true;
      continue;
    }
    const frame = await feed.next();
    if (frame === null) return false;
    if ("delta" in frame) {
      place.yielded += 1;
      yield frame;
      continue;
    }
    for (const event of frame.events) {
      if (event.seq > place.last + 1) {
        feed.behind = true;
        break;
      }
      if (event.seq === place.last + 1) {
        place.last = event.seq;
        place.yielded += 1;
        yield { event };
      }
      if (isTerminalEvent(event.type)) return true;
    }
  }
}

/** The frames of one connection, queued for a slow consumer. */
class Feed {
  /** True if there may be events outside the queue. */
  behind = true;
  private readonly socket: WebSocket;
  private queue: string[] = [];
  private queuedCharacters = 0;
  private ended = false;
  private wake: (() => void) | null = null;
  private readonly listening = new AbortController();

  constructor(socket: WebSocket, signal: AbortSignal) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => this.push(String(data)));
    socket.addEventListener("close", () => this.end());
    socket.addEventListener("error", () => this.end());
    signal.addEventListener("abort", () => this.end(), { signal: this.listening.signal });
    if (signal.aborted) this.end();
    socket.accept();
  }

  /** Returns the next frame; null if there will be none, or a page has to be read first. */
  async next(): Promise<WatchFrame | null> {
    for (;;) {
      const text = this.queue.shift();
      if (text !== undefined) {
        this.queuedCharacters -= text.length;
        return JSON.parse(text) as WatchFrame;
      }
      if (this.behind) return { events: [] };
      if (this.ended) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.end();
    this.listening.abort();
    try {
      this.socket.close(1000, "done");
    } catch {
      // The other side closed it.
    }
  }

  private push(text: string): void {
    if (this.queuedCharacters + text.length > MAX_QUEUED_CHARACTERS) {
      if (text.startsWith('{"delta"')) return;
      this.queue = [];
      this.queuedCharacters = 0;
      this.behind = true;
    } else {
      this.queue.push(text);
      this.queuedCharacters += text.length;
    }
    this.wake?.();
  }

  private end(): void {
    this.ended = true;
    this.wake?.();
  }
}

/** Connects to the object. A missing task answers 404. */
async function openFeed(task: WatchedTask, signal: AbortSignal): Promise<Feed> {
  const response = await task.fetch("https://task/watch", { headers: { upgrade: "websocket" } });
  if (response.webSocket !== null) return new Feed(response.webSocket, signal);
  if (response.status === 404) throw new OttoError(NO_SUCH_TASK);
  throw new Error(`the task's object answered its watcher with ${response.status}`);
}
