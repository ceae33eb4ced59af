/**
 * The folder that one sidecar has to itself: two that are given the same one, as by the same port in two network namespaces, do not
 * remove each other's jobs.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "./cage/lock.ts";

const MODE = 0o700;
const LOCK = "lock";
/** Sidecars that can share one folder; each has a folder below it. */
const MAX_PLACES = 16;

/**
 * Locks `folder`, or, while another sidecar holds it, the first free one of `folder/2`, `folder/3` and so on. The lock ends with this
 * process, and what stands in the folder then is its successor's to remove. Where nothing can be locked, the folder is a new one.
 */
export async function takeOwnFolder(folder: string): Promise<string> {
  for (let place = 1; place <= MAX_PLACES; place += 1) {
    const own = place === 1 ? folder : join(folder, String(place));
    try {
      mkdirSync(own, { recursive: true, mode: MODE });
      if ((await takeLock(join(own, LOCK))) !== null) return own;
    } catch {
      break;
    }
  }
  return join(folder, `own-${randomUUID()}`);
}
