/**
 * Names that one process of the machine holds at a time. Each is an abstract socket (unix(7)), which the kernel takes away
 * with its process, however that ends: nothing is left to clean up, and whoever finds a name free knows that its holder is dead.
 */
import { createServer } from "node:net";

export interface Lock {
  release(): void;
}

/** Null: another process, or this one, holds the name. It keeps no process alive. */
export async function hold(name: string): Promise<Lock | null> {
  const server = createServer((socket) => socket.destroy());
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ path: `\0otto/${name}` }, () => resolve(true));
  });
  if (!isOurs) return null;
  server.unref();
  return { release: () => void server.close() };
}
