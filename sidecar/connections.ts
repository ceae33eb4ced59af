/**
 * Pools outgoing connections. A connection stays open after its request for the next request with the same key, and closes when
 * idle for too long.
 */
import { Client, type buildConnector } from "undici";

const MAX_RESPONSE_HEADER_BYTES = 32 * 1024;
/** How long an idle connection stays open, unless the server states a time. */
const IDLE_MS = 4_000;
/** Upper limit of the time that the server states. */
const MAX_IDLE_MS = 30_000;
/** Idle connections of all keys. The oldest is closed beyond this. */
const MAX_IDLE = 256;

/** A connection that serves one request at a time. */
export interface Connection {
  readonly client: Client;
  /** Ends its request. `isReusable` means that the answer was read to the end; the connection then returns to the pool. */
  end(isReusable: boolean): void;
}

export interface Connections {
  /** Returns an idle connection with this key, or null. */
  take(key: string): Connection | null;
  /** Creates a connection that connects with its first request. Without a key it is never reused. */
  open(origin: string, connect: buildConnector.connector, share: string | null): Connection;
}

/** Requests may have the same key only if each may use the other's connection. */
export function makeConnections(): Connections {
  /** Idle connections and their keys, the most recently used last. */
  const idle = new Map<Connection, string>();

  function close(connection: Connection): void {
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
          if (share === null || !mayStay || client.destroyed) return close(connection);
          idle.set(connection, share);
          const [oldest] = idle.keys();
          if (idle.size > MAX_IDLE && oldest !== undefined) close(oldest);
        },
      };
      // Otherwise the client would reconnect for a later request.
      client.once("disconnect", () => close(connection));
      return connection;
    },
  };
}
