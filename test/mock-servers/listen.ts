/** Starts and stops tests' servers, which listen on loopback only. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { freePorts } from "../../scripts/supervisor/ports.ts";

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

/** Returns an unused port that the kernel assigns to no other program. */
export async function findUnusedPort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
