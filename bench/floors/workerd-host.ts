/**
 * Hosts a Worker with objects as Otto's is hosted, kept on disk, in a process of its own: Miniflare ends the one that it is in on a signal.
 * It writes where it listens, and ends when its input does.
 */
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { LOOPBACK, readCompatibilityDate } from "./miniflare-options.ts";

/** Starts it. `folder` contains the objects. */
export async function hostWorker(folder: string, worker: V4WorkerOptions): Promise<void> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...LOOPBACK,
      resourcePersistencePath: folder,
      workers: [{ compatibilityDate: readCompatibilityDate(), compatibilityFlags: ["nodejs_compat"], ...worker }],
    }),
  );
  process.stdin.once("end", () => void miniflare.dispose().then(() => process.exit(0))).resume();
  console.log((await miniflare.ready).href);
}
