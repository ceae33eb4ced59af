/** Starts and stops tests' servers, which listen on loopback only. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on `127.0.0.1` and returns the port. Port 0 selects a free one. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Closes the server and all its connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Ports below Linux's ephemeral range, so that the kernel assigns them to no other program. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** Returns an unused port outside the ephemeral range. */
export async function findUnusedPort(): Promise<number> {
  const { createServer } = await import("node:http");
  for (;;) {
    const server = createServer();
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    try {
      await listenOnLoopback(server, port);
    } catch {
      continue;
    }
    await closeServer(server);
    return port;
  }
}
