/**
 * Recognizes errors of the runtime when it cannot store or read an object's state. They have no codes, only SQLite's
 * messages.
 */
import type { Failure } from "../../core/base/errors.ts";

/** Messages for a disk that cannot store (https://sqlite.org/rescode.html: FULL, IOERR, CANTOPEN). */
const CANNOT_STORE =
  /database or disk is full|disk I\/O error|unable to open database file|SQLITE_(?:FULL|IOERR|CANTOPEN)|ENOSPC|no space left|Internal error in Durable Object storage/i;
/** CORRUPT and NOTADB: the file is not what was written. */
const DAMAGED = /database disk image is malformed|file is not a database|SQLITE_(?:CORRUPT|NOTADB)/i;

/** The runtime's message if it could not open an object's storage, for any reason. */
const NOT_OPENED = /^internal error; reference = /;

/** A disk with less is full: Postgres writes its log in files of 16 MB. */
export const FULL_BYTES = 16 * 1024 * 1024;

const FULL: Failure = {
  code: "upstream_failed",
  message:
    "Otto cannot store anything at the moment: its disk is full or does not answer. Send the request again later.",
  retryAfterMs: 5000,
};
const BROKEN: Failure = {
  code: "internal",
  message:
    "The stored state that this request needs is damaged and was left as it is. Otto's output names the file: restore it from a backup. Other tasks are not affected.",
};

/**
 * Converts an error of an object's stub or storage to a failure; null for any other error. `free` returns the free
 * bytes of the disk, or null if unknown.
 */
export async function toStorageFailure(thrown: unknown, free: () => Promise<number | null>): Promise<Failure | null> {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  if (DAMAGED.test(text)) return BROKEN;
  if (NOT_OPENED.test(text)) return ((await free()) ?? 0) < FULL_BYTES ? FULL : BROKEN;
  return CANNOT_STORE.test(text) ? FULL : null;
}
