/**
 * Creates the files of an empty embedded database, in a thread of its own: what initdb leaves in memory, over 200 MB, ends with
 * the thread. The thread ends with its process, so no other start finds it writing in the folder.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { createPglite } from "./pglite-backend.ts";

interface ThreadData {
  readonly folder: string;
}

/** Throws what the creation threw. */
export async function createCluster(folder: string): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { folder } satisfies ThreadData });
  await new Promise<void>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`initdb ended with status ${code}`))));
  });
}

if (!isMainThread && isThreadData(workerData)) {
  const database = await createPglite(workerData.folder);
  await database.close();
  process.exit(0);
}

function isThreadData(value: unknown): value is ThreadData {
  return typeof value === "object" && value !== null && "folder" in value;
}
