/** The watchers of one task: hibernatable WebSockets, which keep no waiting task in memory. They only listen. */
import type { WatchFrame } from "../../core/task/events.ts";

export class TaskWatchers {
  private readonly state: DurableObjectState;

  constructor(state: DurableObjectState) {
    this.state = state;
  }

  /** Takes in a watcher: the answer to its upgrade request. */
  accept(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.state.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** True while anybody watches. */
  areThere(): boolean {
    return this.state.getWebSockets().length > 0;
  }

  /** Tells every watcher; the platform holds it back until what was written before it is stored. */
  tell(frame: WatchFrame): void {
    const sockets = this.state.getWebSockets();
    if (sockets.length === 0) return;
    const text = JSON.stringify(frame);
    for (const socket of sockets) {
      try {
        socket.send(text);
      } catch {
        // The watcher is gone; its close event follows.
      }
    }
  }

  /** Sends every watcher away. */
  dismiss(why: string): void {
    for (const socket of this.state.getWebSockets()) socket.close(1000, why);
  }
}
