/**
 * Gives each sidecar a folder of its own, so that two with the same setting, such as the same port in two network namespaces, do not
 * remove each other's jobs.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "./cage/lock.ts";

const MODE = 0o700;
const LOCK = "lock";
/** How many sidecars can share one folder. */
const MAX_FOLDERS = 16;

/**
 * Locks `folder` or, if another sidecar holds it, the first free one of `folder/2`, `folder/3` and so on. The lock ends with this process,
 * and the next sidecar removes its files. Returns a new folder if locking fails.
 */
export async function lockOwnFolder(folder: string): Promise<string> {
  for (let number = 1; number <= MAX_FOLDERS; number += 1) {
    const own = number === 1 ? folder : join(folder, String(number));
    try {
      mkdirSync(own, { recursive: true, mode: MODE });
      if ((await takeLock(join(own, LOCK))) !== null) return own;
    } catch {
      break;
    }
  }
  return join(folder, `own-${randomUUID()}`);
}
