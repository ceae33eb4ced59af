/** The watchers of one task: hibernatable WebSockets that only receive, so a waiting task can leave memory. */
import type { WatchFrame } from "../../core/task/events.ts";

export class TaskWatchers {
  private readonly state: DurableObjectState;

  constructor(state: DurableObjectState) {
    this.state = state;
  }

  /** Accepts a watcher; returns the reply to its upgrade request. */
  accept(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.state.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  hasAny(): boolean {
    return this.state.getWebSockets().length > 0;
  }

  /** Sends a frame to every watcher. The output gate delays it until earlier writes are stored. */
  send(frame: WatchFrame): void {
    const sockets = this.state.getWebSockets();
    if (sockets.length === 0) return;
    const text = JSON.stringify(frame);
    for (const socket of sockets) {
      try {
        socket.send(text);
      } catch {
        // The socket is closed; its close event follows.
      }
    }
  }

  closeAll(why: string): void {
    for (const socket of this.state.getWebSockets()) socket.close(1000, why);
  }
}
