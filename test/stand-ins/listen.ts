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

/** A port that nothing listens on at the moment of asking. */
export async function unusedPort(): Promise<number> {
  const { createServer } = await import("node:http");
  const server = createServer();
  const port = await listenOnLoopback(server, 0);
  await closeServer(server);
  return port;
}
