/** Connects to one of the checked addresses of a host. */
import type { Socket } from "node:net";
import type { EgressDeps } from "./egress.ts";

/** Rejects when no address answers, and when `limit` aborts first; then no socket stays open. */
export async function connectTcp(
  hostname: string,
  port: number,
  addresses: readonly string[],
  { connectTo }: Pick<EgressDeps, "connectTo">,
  limit: AbortSignal,
): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("given up"));
    limit.addEventListener("abort", giveUp, { once: true });
    connectTo(addresses)({ hostname, protocol: "http:", port: String(port) }, (error, socket) => {
      limit.removeEventListener("abort", giveUp);
      if (socket === null) return reject(error ?? new Error("no connection"));
      if (limit.aborted) socket.destroy();
      resolve(socket);
    });
  });
}
