/**
 * The watchers of a tenant's tasks: hibernatable WebSockets that only receive. Unsent changes are lost when the object
 * ends, together with its sockets. A watcher that reconnects reads its tasks again.
 */
import { toTaskChange, createErasedChange, FeedWindow, type TaskChange } from "../../core/tenant/feed.ts";
import type { TaskReport } from "../../core/task/rpc.ts";

/** Maximum watchers of one tenant. */
const MAX_WATCHERS = 200;

/** True when the key was revoked, the given session has ended, or the tenant was erased. */
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

  /** Accepts a watcher for the given key and session. 403: they are no longer valid; 429: too many watchers. */
  accept(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const [key, session] = [searchParams.get("key") ?? "", searchParams.get("session")];
    if (this.isDead(key, session)) return new Response(null, { status: 403 });
    if (this.state.getWebSockets().length >= MAX_WATCHERS) return new Response(null, { status: 429 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.state.acceptWebSocket(server, session === null ? [key] : [key, session]);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Closes the sockets whose key or session is no longer valid. No other check covers a watching socket. */
  closeRevoked(): void {
    for (const socket of this.state.getWebSockets()) {
      const [key = "", session = null] = this.state.getTags(socket);
      if (this.isDead(key, session)) socket.close(1000, "no longer allowed");
    }
  }

  /** True when a watcher uses this session. */
  hasWatcher(session: string): boolean {
    return this.state.getWebSockets(session).length > 0;
  }

  /** Publishes a task's report to the watchers. Free without a watcher. */
  publish(report: TaskReport): void {
    if (this.state.getWebSockets().length > 0) this.put(toTaskChange(report, Date.now()));
  }

  publishErased(task: string): void {
    if (this.state.getWebSockets().length > 0) this.put(createErasedChange(task, Date.now()));
  }

  private put(change: TaskChange): void {
    const now = Date.now();
    const at = this.window.put(change, now);
    this.timer ??= setTimeout(() => this.flush(), at - now);
  }

  /** Sends the collected changes. The output gate delays them until earlier writes are stored. */
  private flush(): void {
    this.timer = null;
    const frame = this.window.take(Date.now());
    if (frame === null) return;
    const text = JSON.stringify(frame);
    for (const socket of this.state.getWebSockets()) {
      try {
        socket.send(text);
      } catch {
        // The socket is closed; its close event follows.
      }
    }
  }
}
