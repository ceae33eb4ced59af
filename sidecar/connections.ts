/**
 * Connections to places outside. One can stay open when its request is over, for the next request of the same share; it
 * closes by itself when none comes.
 */
import { Client, type buildConnector } from "undici";

const MAX_RESPONSE_HEADER_BYTES = 32 * 1024;
/** How long a connection stays open without a request, where the other side does not say how long it waits. */
const IDLE_MS = 4_000;
/** However long the other side says that it waits. */
const MAX_IDLE_MS = 30_000;
/** Open without a request, of all shares; the one that has waited longest makes room. */
const MAX_IDLE = 256;

/** A connection, for one request at a time. */
export interface Connection {
  readonly client: Client;
  /** Its request is over. With `mayStay`, its answer was read to the end, and a share has it again. */
  end(mayStay: boolean): void;
}

export interface Connections {
  /** One that is open and belongs to this share; null: there is none. */
  take(share: string): Connection | null;
  /** One that connects with its first request. Without a share it says so to the other side, and never stays. */
  open(origin: string, connect: buildConnector.connector, share: string | null): Connection;
}

/** Two requests have the same share when each may use the connection that was opened for the other. */
export function makeConnections(): Connections {
  /** Each with its share; the one that was used last comes last. */
  const idle = new Map<Connection, string>();

  function leave(connection: Connection): void {
    idle.delete(connection);
    void connection.client.destroy();
  }

  return {
    take(share) {
      const connection = [...idle].findLast(([, its]) => its === share)?.[0] ?? null;
      if (connection !== null) idle.delete(connection);
      return connection;
    },
    open(origin, connect, share) {
      const client = new Client(origin, {
        connect,
        maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
        pipelining: share === null ? 0 : 1,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: MAX_IDLE_MS,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const connection: Connection = {
        client,
        end(mayStay) {
          if (share === null || !mayStay || client.destroyed) return leave(connection);
          idle.set(connection, share);
          const [longest] = idle.keys();
          if (idle.size > MAX_IDLE && longest !== undefined) leave(longest);
        },
      };
      // The client would connect again by itself, for a request that comes later.
      client.once("disconnect", () => leave(connection));
      return connection;
    },
  };
}
