/**
 * Follows a task's log from a place in it. The object pushes new events and deltas over a hibernatable WebSocket; what a
 * push does not join on to is read by `events(after)`. Every event is yielded once and in order, because `last` only
 * moves when an event is yielded. A consumer that takes its time costs a bounded queue: deltas are dropped, and events
 * that no longer fit are read again by page.
 */
import { OttoError, type Result } from "../core/errors.ts";
import { isTerminalEvent, type TaskEvent } from "../core/events.ts";
import type { EventPage, WatchFrame } from "../core/objects.ts";

/** Events that are read at once. */
const PAGE_EVENTS = 100;
/** Characters of frames that wait for the consumer. */
const MAX_QUEUED_CHARACTERS = 500_000;
/** Between tries to reach an object that is away. */
const RECONNECT_MS = 250;

/** What the watcher needs of a task's object. */
export interface WatchedTask {
  events(after: number, limit: number): Promise<Result<EventPage>>;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A text that the model is writing. It has no place in the log. */
export interface Delta {
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
}

export type Watched = { readonly event: TaskEvent } | { readonly delta: Delta };

/**
 * Yields what follows `after` until the log's terminal event, or until `signal` aborts. `open` gives a fresh stub: one
 * whose object was reset stays broken. Ends when the task is erased; throws an `OttoError` when it never was there.
 */
export async function* watchTask(open: () => WatchedTask, after: number, signal: AbortSignal): AsyncGenerator<Watched> {
  const place = { last: after, found: false };
  while (!signal.aborted) {
    let feed: Feed | null = null;
    try {
      feed = await openFeed(open(), signal);
      if (feed !== null && (yield* follow(feed, open, place))) return;
    } catch (thrown) {
      // An object that was reset throws at its callers: the next round asks a new one.
      if (thrown instanceof OttoError && place.found) return;
      if (thrown instanceof OttoError) throw thrown;
    } finally {
      feed?.close();
    }
    await pause(RECONNECT_MS, signal);
  }
}

/** Yields what one connection brings. True: the log has ended; false: the connection has. */
async function* follow(
  feed: Feed,
  open: () => WatchedTask,
  place: { last: number; found: boolean },
): AsyncGenerator<Watched, boolean> {
  for (;;) {
    if (feed.behind) {
      feed.behind = false;
      const page = await open().events(place.last, PAGE_EVENTS);
      if (!page.ok) throw new OttoError(page.error);
      place.found = true;
      for (const event of page.value.events) {
        place.last = event.seq;
        yield { event };
      }
      if (page.value.done) return true;
      if (page.value.events.length >= PAGE_EVENTS) feed.behind = true;
      continue;
    }
    const frame = await feed.next();
    if (frame === null) return false;
    if ("delta" in frame) {
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
        yield { event };
      }
      if (isTerminalEvent(event.type)) return true;
    }
  }
}

/** The frames of one connection, held back for a consumer that is slower than they come. */
class Feed {
  /** True when there may be events that no queued frame holds. */
  behind = true;
  private readonly socket: WebSocket;
  private queue: string[] = [];
  private queuedCharacters = 0;
  private ended = false;
  private wake: (() => void) | null = null;

  constructor(socket: WebSocket, signal: AbortSignal) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => this.push(String(data)));
    socket.addEventListener("close", () => this.end());
    socket.addEventListener("error", () => this.end());
    signal.addEventListener("abort", () => this.end(), { once: true });
    socket.accept();
  }

  /** The next frame; null when there will be none, or when a page has to be read first. */
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
    try {
      this.socket.close(1000, "done");
    } catch {
      // It was closed from the other side.
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

/** A connection to the object; null when it is away. A task that does not exist answers 404, and `events` says why. */
async function openFeed(task: WatchedTask, signal: AbortSignal): Promise<Feed | null> {
  try {
    const response = await task.fetch("https://task/watch", { headers: { upgrade: "websocket" } });
    if (response.webSocket !== null) return new Feed(response.webSocket, signal);
    const page = response.status === 404 ? await task.events(0, 1) : null;
    if (page !== null && !page.ok) throw new OttoError(page.error);
    return null;
  } catch (thrown) {
    if (thrown instanceof OttoError) throw thrown;
    return null;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
