/**
 * Stores the ids of used tokens until the tokens expire. An id is appended to a file before its order starts, so a restarted sidecar
 * still knows it. Each file covers the tokens that expire in one time window, and is deleted after it.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const WINDOW_S = 60;
/** Maximum number of unexpired ids. Further orders are refused. */
const MAX_IDS = 100_000;
/** Longest remaining life of a token, including clock differences. */
const MAX_LIFETIME_S = 70;
const FILE = /^used-(\d{1,12})$/;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** `used`: the id was used before. `full`: too many ids are stored. `not_stored`: writing the id failed. */
export type TokenUse = "stored" | "used" | "full" | "not_stored";

export interface UsedTokens {
  /** Marks an id as used. `expiresAt` and `now` are in seconds since the epoch. The id must not contain a line feed. */
  use(id: string, expiresAt: number, now: number): TokenUse;
}

interface Window {
  readonly ids: Set<string>;
  /** Null until the first id of this process is stored. */
  file: number | null;
}

/**
 * Creates `folder` if it is missing. With null, ids stay in memory. `now` is in seconds. If an earlier file is unreadable, no token passes
 * until all tokens that it may contain have expired.
 */
export function openUsedTokens(folder: string | null, now: number): UsedTokens {
  /** Windows by their number. */
  const windows = new Map<number, Window>();
  const opensAt = folder === null || loadFiles(folder, windows) ? 0 : now + MAX_LIFETIME_S;
  dropExpired(now);

  function dropExpired(nowS: number): void {
    for (const [number, { file }] of windows) {
      if ((number + 1) * WINDOW_S > nowS) continue;
      windows.delete(number);
      if (file !== null) closeSync(file);
      if (folder !== null) removeFile(join(folder, `used-${number}`));
    }
  }

  /** Starts each record with a line feed, so that a truncated record does not damage the next. */
  function storeId(number: number, window: Window, id: string): boolean {
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
      if (!storeId(number, window, id)) return "not_stored";
      window.ids.add(id);
      return "stored";
    },
  };
}

/** Ignores failures: the next start removes the file. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The disk may be read-only.
  }
}

function openWindow(folder: string, number: number): number {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  return openSync(join(folder, `used-${number}`), "a", FILE_MODE);
}

/** Reads the files of an earlier process. False if one is unreadable. */
function loadFiles(folder: string, windows: Map<number, Window>): boolean {
  try {
    for (const name of readdirSync(folder)) {
      const number = FILE.exec(name)?.[1];
      if (number === undefined) continue;
      // The order of a truncated record never started.
      const ids = readFileSync(join(folder, name), "utf8").split("\n");
      windows.set(Number(number), { ids: new Set(ids.filter((id) => id !== "")), file: null });
    }
    return true;
  } catch (error) {
    // Without a folder there was no earlier process. If none can be created, every token is refused later.
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
  }
}
