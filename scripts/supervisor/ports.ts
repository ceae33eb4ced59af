/** Ports of this machine. */
import { createServer, type Server } from "node:net";

/**
 * Below the ports that a system gives to outgoing connections (Linux: ip_local_port_range of ip(7)). One of those may be a connection's,
 * for a minute after its end too, just when the program that listens there is started again.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** Free ports of the loopback interface, all different, which the system assigns to no other program. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    try {
      held.push(await listen("127.0.0.1", port));
      ports.push(port);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Whether nobody listens on `port`, at either address that `localhost` may stand for. */
export async function isPortFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "::1"]) {
    try {
      const server = await listen(host, port);
      await new Promise((resolve) => server.close(resolve));
    } catch (error) {
      // A machine without IPv6 says EADDRNOTAVAIL or EAFNOSUPPORT.
      if (isTaken(error)) return false;
    }
  }
  return true;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES");
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}
