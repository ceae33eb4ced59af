/**
 * Follows a task over a hibernatable WebSocket of its object.
 *
 * `watchTask` follows the log from a position. The object pushes new events as text of an event stream, which is passed
 * on without reading it; a gap before a push is read with `events(after)`. Every event is yielded once and in order,
 * because `last` only moves when an event is yielded. The queue for a slow consumer is bounded: deltas are dropped, and
 * events that no longer fit are read again by page.
 *
 * `watchSettled` gets no events, only a sign when the task may have settled.
 *
 * Each watcher has a socket of its own: a request cannot use the sockets of another request of the same isolate
 * (https://developers.cloudflare.com/workers/observability/errors/).
 */
import { type Failure, NO_SUCH_TASK, OttoError, type Result } from "../../core/base/errors.ts";
import { isTerminalEvent, type TaskEvent } from "../../core/task/events.ts";
import type { EventPage } from "../../core/task/rpc.ts";
import {
  type Delta,
  isDeltaFrame,
  parseWatchFrame,
  type TextFrame,
  WATCH_PATHS,
  type WatchFrame,
} from "../../core/task/watch-frames.ts";
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

/** An event, a piece of the model's text, or text of an event stream with some of both. */
export type Watched = { readonly event: TaskEvent } | { readonly delta: Delta } | { readonly text: string };

/** The position of a watch: the last yielded event, and the number of yielded items. */
interface Position {
  last: number;
  yielded: number;
  found: boolean;
}

/** Yields the items of one connection. Returns true when nothing follows, false if the connection was lost. */
type Follow<Item> = (feed: Feed, place: Position) => AsyncGenerator<Item, boolean>;

/**
 * Yields the log after `after` until its terminal event, or until `signal` aborts. `open` returns a new stub, because
 * the stub of a reset object stays broken. Ends when the task is erased. Throws an `OttoError` if the task never
 * existed, its object stays unavailable, or a retry cannot help. A consumer that stops early calls `return()`.
 */
export function watchTask(open: () => WatchedTask, after: number, signal: AbortSignal): AsyncGenerator<Watched> {
  return reconnect(open, { path: WATCH_PATHS.stream, after, signal }, (feed, place) => followLog(feed, open, place));
}

/**
 * Yields whenever the task may have ended or begun to wait, also before the watch, until `signal` aborts or the task is
 * erased. Fails as `watchTask` does.
 */
export function watchSettled(open: () => WatchedTask, signal: AbortSignal): AsyncGenerator<void> {
  return reconnect(open, { path: WATCH_PATHS.settled, after: 0, signal }, followSettled);
}

async function* reconnect<Item>(
  open: () => WatchedTask,
  { path, after, signal }: { readonly path: string; readonly after: number; readonly signal: AbortSignal },
  follow: Follow<Item>,
): AsyncGenerator<Item> {
  const place: Position = { last: after, yielded: 0, found: false };
  for (let lost = 0; !signal.aborted; ) {
    const [yielded, startedAt] = [place.yielded, Date.now()];
    let feed: Feed | null = null;
    try {
      feed = await openFeed(open(), path, signal);
      if (yield* follow(feed, place)) return;
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

async function* followLog(feed: Feed, open: () => WatchedTask, place: Position): AsyncGenerator<Watched, boolean> {
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
    if ("text" in frame) {
      if (isNext(frame, feed, place)) yield { text: frame.text };
      continue;
    }
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

/** Moves the position past a text. False if it was read before, or does not fit and has to be read by page. */
function isNext({ from, to }: TextFrame, feed: Feed, place: Position): boolean {
  const hasEvents = to > 0;
  if (hasEvents && to <= place.last) return false;
  if (hasEvents && from !== place.last + 1) {
    feed.behind = true;
    return false;
  }
  if (hasEvents) place.last = to;
  place.yielded += 1;
  return true;
}

async function* followSettled(feed: Feed, place: Position): AsyncGenerator<void, boolean> {
  place.found = true;
  // An object of an earlier release does not say that the task has settled before.
  let isDue = feed.isOfEarlierRelease;
  for (;;) {
    if (isDue) {
      place.yielded += 1;
      yield;
    }
    if (!(await feed.nextSign())) return false;
    isDue = true;
  }
}

/** The frames of one connection, queued for a slow consumer. */
class Feed {
  /** True if there may be events outside the queue. */
  behind = true;
  readonly isOfEarlierRelease: boolean;
  private readonly socket: WebSocket;
  private queue: string[] = [];
  private queuedCharacters = 0;
  private ended = false;
  private wake: (() => void) | null = null;
  private readonly listening = new AbortController();

  constructor(socket: WebSocket, isOfEarlierRelease: boolean, signal: AbortSignal) {
    this.socket = socket;
    this.isOfEarlierRelease = isOfEarlierRelease;
    socket.addEventListener("message", ({ data }) => this.push(String(data)));
    socket.addEventListener("close", () => this.end());
    socket.addEventListener("error", () => this.end());
    signal.addEventListener("abort", () => this.end(), { signal: this.listening.signal });
    if (signal.aborted) this.end();
    socket.accept();
  }

  /** Returns the next frame; null if there will be none. An empty one means that a page has to be read first. */
  async next(): Promise<WatchFrame | TextFrame | null> {
    for (;;) {
      const text = this.queue.shift();
      if (text !== undefined) {
        this.queuedCharacters -= text.length;
        return parseWatchFrame(text);
      }
      if (this.behind) return { events: [] };
      if (this.ended) return null;
      await this.sleep();
    }
  }

  /** Waits for frames and drops them all. False if there will be none. */
  async nextSign(): Promise<boolean> {
    while (this.queue.length === 0) {
      if (this.ended) return false;
      await this.sleep();
    }
    this.clear();
    return true;
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
      if (isDeltaFrame(text)) return;
      this.clear();
      this.behind = true;
    } else {
      this.queue.push(text);
      this.queuedCharacters += text.length;
    }
    this.wake?.();
  }

  private clear(): void {
    this.queue = [];
    this.queuedCharacters = 0;
  }

  private async sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  private end(): void {
    this.ended = true;
    this.wake?.();
  }
}

/** Connects to the object. A missing task answers 404. */
async function openFeed(task: WatchedTask, path: string, signal: AbortSignal): Promise<Feed> {
  const response = await task.fetch(`https://task${path}`, { headers: { upgrade: "websocket" } });
  if (response.webSocket !== null) return new Feed(response.webSocket, !response.headers.has("otto-watch"), signal);
  if (response.status === 404) throw new OttoError(NO_SUCH_TASK);
  throw new Error(`the task's object answered its watcher with ${response.status}`);
}
