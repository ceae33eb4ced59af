/** The uploads of this window, by their task. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { putFile } from "./put-file.ts";
import { type Upload, UploadQueue } from "./upload-queue.ts";

const queues = new Map<string, UploadQueue>();

/** The queue of a task; made when it is first asked for. */
export function uploadsOf(taskId: string): UploadQueue {
  const known = queues.get(taskId);
  if (known !== undefined) return known;
  const queue = new UploadQueue(async ({ name, file }, onProgress) => {
    await putFile({ taskId, name, file, onProgress });
  });
  queues.set(taskId, queue);
  return queue;
}

export function forgetUploads(taskId: string): void {
  queues.delete(taskId);
}

/** The queue of a task with its files as they stand. While one is on its way, the browser asks before it leaves the page. */
export function useUploads(taskId: string): { readonly queue: UploadQueue; readonly items: readonly Upload[] } {
  const [queue] = useState(() => uploadsOf(taskId));
  const items = useSyncExternalStore(queue.watch, queue.items);
  const isBusy = items.some(({ state }) => state === "sending" || state === "waiting");
  useEffect(() => {
    if (!isBusy) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isBusy]);
  return { queue, items };
}
