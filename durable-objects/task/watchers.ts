/**
 * The watchers of one task: hibernatable WebSockets that only receive, so a waiting task can leave memory. A frame is
 * formatted once for all of them. Unsent frames are lost when the object ends, together with its sockets: a watcher
 * that reconnects reads the log.
 */
import type { TaskState } from "../../core/task/state.ts";
import {
  computeFrameAt,
  type Delta,
  hasSettled,
  maySettle,
  SETTLED_FRAME,
  WATCH_PATHS,
  WatchBuffer,
  type WatchFrame,
} from "../../core/task/watch-frames.ts";
import { type LoggedEvent, toTaskEvent } from "./tables.ts";

/** Tags of sockets by what they receive. A watcher of an earlier release gets every frame as JSON. */
const STREAM = "stream";
const SETTLED = "settled";
const EARLIER = "earlier";

export class TaskWatchers {
  private readonly state: DurableObjectState;
  private buffer: WatchBuffer | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** When the timer is due. */
  private dueAt = Infinity;
  private sentAt = 0;

  constructor(state: DurableObjectState) {
    this.state = state;
  }

  /** Accepts a watcher; returns the reply to its upgrade request. */
  accept(request: Request, task: TaskState): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const tag = findTag(new URL(request.url).pathname);
    this.state.acceptWebSocket(server, [tag]);
    if (tag === SETTLED && hasSettled(task)) server.send(SETTLED_FRAME);
    // An object of an earlier release sends no header, and ignores the path.
    return new Response(null, { status: 101, webSocket: client, headers: { "otto-watch": tag } });
  }

  /** Publishes events that were stored. Free without a watcher. The output gate delays frames until they are on disk. */
  publish(events: readonly LoggedEvent[], taskId: string): void {
    if (this.state.getWebSockets().length === 0) {
      this.buffer = null;
      return;
    }
    if (events.some(maySettle)) this.send(SETTLED, SETTLED_FRAME);
    this.sendToEarlier(() => ({ events: events.map((event) => toTaskEvent(event, taskId)) }));
    if (this.state.getWebSockets(STREAM).length === 0) {
      // A later watcher reads the log.
      this.buffer = null;
      return;
    }
    const now = Date.now();
    for (const event of events) this.getBuffer(taskId).add(toTaskEvent(event, taskId), now);
    this.schedule(now);
  }

  /** Publishes text that the model is writing. It is not stored. */
  publishDelta(delta: Delta, taskId: string): void {
    this.sendToEarlier(() => ({ delta }));
    if (this.state.getWebSockets(STREAM).length === 0) return;
    const now = Date.now();
    this.getBuffer(taskId).addDelta(delta, now);
    this.schedule(now);
  }

  closeAll(why: string): void {
    for (const socket of this.state.getWebSockets()) socket.close(1000, why);
  }

  private getBuffer(taskId: string): WatchBuffer {
    this.buffer ??= new WatchBuffer(taskId);
    return this.buffer;
  }

  /** Sets the timer of the next frames, or sends them now when they must not wait. */
  private schedule(now: number): void {
    if (this.buffer?.isFull === true) return this.flush();
    const isAwaited = this.buffer?.isAwaited === true;
    if (this.timer !== null && !isAwaited) return;
    const at = computeFrameAt(this.state.getWebSockets(STREAM).length, this.sentAt, now, isAwaited);
    if (at >= this.dueAt) return;
    this.clearTimer();
    this.dueAt = at;
    this.timer = setTimeout(() => this.flush(), at - now);
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.dueAt = Infinity;
  }

  private flush(): void {
    this.clearTimer();
    const now = Date.now();
    const frames = this.buffer?.take(now) ?? [];
    if (frames.length > 0) this.sentAt = now;
    for (const frame of frames) this.send(STREAM, frame);
  }

  private sendToEarlier(frame: () => WatchFrame): void {
    if (this.state.getWebSockets(EARLIER).length > 0) this.send(EARLIER, JSON.stringify(frame()));
  }

  private send(tag: string, text: string): void {
    for (const socket of this.state.getWebSockets(tag)) {
      try {
        socket.send(text);
      } catch {
        // The socket is closed; its close event follows.
      }
    }
  }
}

function findTag(path: string): string {
  if (path === WATCH_PATHS.stream) return STREAM;
  return path === WATCH_PATHS.settled ? SETTLED : EARLIER;
}
