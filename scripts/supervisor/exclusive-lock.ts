/**
 * A lock on a file that one process at a time can hold, and that the kernel lets go when the process ends, however it
 * ends: an exclusive transaction of SQLite, which takes the operating system's file lock. Node has none of its own.
 */
import { DatabaseSync } from "node:sqlite";

export interface ExclusiveLock {
  release(): void;
}

/** A connection that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

/** The file of a lock is damaged. A lock holds no data: the file can be removed once nothing runs on the state. */
export class LockDamaged extends Error {
  override readonly name = "LockDamaged";
}

/** Takes the lock; null when another process, or this one, holds it. Throws `LockDamaged`. */
export function takeLock(path: string): ExclusiveLock | null {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null;
    if (error instanceof Error && /not a database|malformed/i.test(error.message))
      throw new LockDamaged(`${path} is damaged: remove it while nothing runs on this state, and start again.`);
    throw error;
  }
  held.add(database);
  return {
    release() {
      held.delete(database);
      database.close();
    },
  };
}
