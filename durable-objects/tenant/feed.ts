/**
 * The watchers of a tenant's tasks: hibernatable WebSockets, which keep no tenant in memory. They only listen. What was
 * not told yet when the object ends is lost with its sockets, and a watcher that comes back reads again what it shows.
 */
import { toTaskChange, createErasedChange, FeedWindow, type TaskChange } from "../../core/tenant/feed.ts";
import type { TaskReport } from "../../core/task/rpc.ts";

/** Watchers of one tenant. */
const MAX_WATCHERS = 200;

/** True when the key was revoked, or the session that is named with it is over, or the tenant was erased. */
type IsDead = (key: string, session: string | null) => boolean;

export class TenantFeed {
  private readonly state: DurableObjectState;
  private readonly isDead: IsDead;
  private readonly window = new FeedWindow();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(state: DurableObjectState, isDead: IsDead) {
    this.state = state;
    this.isDead = isDead;
  }

  /** Takes in a watcher, by the key and the session that it names. 403: they are dead; 429: there are too many. */
  accept(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const [key, session] = [searchParams.get("key") ?? "", searchParams.get("session")];
    if (this.isDead(key, session)) return new Response(null, { status: 403 });
    if (this.state.getWebSockets().length >= MAX_WATCHERS) return new Response(null, { status: 429 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.state.acceptWebSocket(server, session === null ? [key] : [key, session]);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends away whose key or session is dead. Nobody else looks at that while they watch. */
  review(): void {
    for (const socket of this.state.getWebSockets()) {
      const [key = "", session = null] = this.state.getTags(socket);
      if (this.isDead(key, session)) socket.close(1000, "no longer allowed");
    }
  }

  /** Whether somebody follows by this session. */
  isFollowedBy(session: string): boolean {
    return this.state.getWebSockets(session).length > 0;
  }

  /** A task told how it stands. Without a watcher this is all that it costs. */
  hear(report: TaskReport): void {
    if (this.state.getWebSockets().length > 0) this.put(toTaskChange(report, Date.now()));
  }

  /** The task is erased. */
  forget(task: string): void {
    if (this.state.getWebSockets().length > 0) this.put(createErasedChange(task, Date.now()));
  }

  private put(change: TaskChange): void {
    const now = Date.now();
    const at = this.window.put(change, now);
    this.timer ??= setTimeout(() => this.tell(), at - now);
  }

  /** Tells every watcher; the platform holds it back until what was written before it is stored. */
  private tell(): void {
    this.timer = null;
    const frame = this.window.take(Date.now());
    if (frame === null) return;
    const text = JSON.stringify(frame);
    for (const socket of this.state.getWebSockets()) {
      try {
        socket.send(text);
      } catch {
        // The watcher is gone; its close event follows.
      }
    }
  }
}
