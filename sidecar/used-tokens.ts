/**
 * The ids of used tokens, until the tokens expire. An id is appended to a file before its order begins, so a sidecar that is started
 * again still knows it. A file covers the tokens that expire in one window of time, and is deleted after it.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const WINDOW_S = 60;
/** All unexpired ids. Beyond these, orders are refused. */
const MAX_IDS = 100_000;
/** A token expires this many seconds ahead at most, with room for clocks that differ. */
const LONGEST_S = 70;
const FILE = /^used-(\d{1,12})$/;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** `used`: the id was used before. `full`: too many are remembered. `not_stored`: the disk did not take the id. */
export type TokenUse = "stored" | "used" | "full" | "not_stored";

export interface UsedTokens {
  /** Uses an id once. `expiresAt` and `now` are in seconds since the epoch. The id has no line feed. */
  use(id: string, expiresAt: number, now: number): TokenUse;
}

interface Window {
  readonly ids: Set<string>;
  /** Null until the first id of this process is stored. */
  file: number | null;
}

/**
 * `folder` is made where it is missing; null: the ids are remembered in memory alone. `now` is in seconds. Where an earlier file
 * cannot be read, no token passes until those that it may name have expired.
 */
export function openUsedTokens(folder: string | null, now: number): UsedTokens {
  /** By the number of the window. */
  const windows = new Map<number, Window>();
  const opensAt = folder === null || load(folder, windows) ? 0 : now + LONGEST_S;
  dropExpired(now);

  function dropExpired(nowS: number): void {
    for (const [number, { file }] of windows) {
      if ((number + 1) * WINDOW_S > nowS) continue;
      windows.delete(number);
      if (file !== null) closeSync(file);
      if (folder !== null) removeFile(join(folder, `used-${number}`));
    }
  }

  /** Each record begins with a line feed, so a record that was cut off spoils no other one. */
  function store(number: number, window: Window, id: string): boolean {
    if (folder === null) return true;
    try {
      window.file ??= openWindow(folder, number);
      const record = Buffer.from(`\n${id}\n`);
      return writeSync(window.file, record) === record.length;
    } catch {
      return false;
    }
  }

  return {
    use(id, expiresAt, nowS) {
      if (nowS < opensAt) return "not_stored";
      dropExpired(nowS);
      const number = Math.floor(expiresAt / WINDOW_S);
      const window = windows.get(number) ?? { ids: new Set(), file: null };
      if (window.ids.has(id)) return "used";
      if ([...windows.values()].reduce((sum, { ids }) => sum + ids.size, 0) >= MAX_IDS) return "full";
      windows.set(number, window);
      if (!store(number, window, id)) return "not_stored";
      window.ids.add(id);
      return "stored";
    },
  };
}

/** What cannot be removed now is removed by the next start. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The disk is read-only, say.
  }
}

function openWindow(folder: string, number: number): number {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  return openSync(join(folder, `used-${number}`), "a", FILE_MODE);
}

/** Reads the files of an earlier process. False: one of them cannot be read. */
function load(folder: string, windows: Map<number, Window>): boolean {
  try {
    for (const name of readdirSync(folder)) {
      const number = FILE.exec(name)?.[1];
      if (number === undefined) continue;
      // A record that was cut off was not acted on.
      const ids = readFileSync(join(folder, name), "utf8").split("\n");
      windows.set(Number(number), { ids: new Set(ids.filter((id) => id !== "")), file: null });
    }
    return true;
  } catch (error) {
    // Without a folder there was no earlier process; where none can be made, no token is stored, and none passes.
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
  }
}
