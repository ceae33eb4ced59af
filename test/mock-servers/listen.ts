/** Servers of tests listen on loopback only, and end with every connection they hold. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on `127.0.0.1`; port 0 takes a free one. Gives the port. */
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

/** Ends the server and cuts what is open. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Below what Linux gives to those who ask for any port: whoever comes meanwhile is not given one of these. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** A port that nothing listens on at the moment of asking, and that nobody takes by chance afterwards. */
export async function unusedPort(): Promise<number> {
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
