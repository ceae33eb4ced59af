/** Ports of this machine. */
import { type AddressInfo, createServer } from "node:net";

/** Free ports of the loopback interface, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen("127.0.0.1", 0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
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
      if (error instanceof Error && "code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES"))
        return false;
    }
  }
  return true;
}

async function listen(host: string, port: number): Promise<ReturnType<typeof createServer>> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}
