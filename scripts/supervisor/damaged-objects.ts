/** Names the files of objects that SQLite refuses to open: the runtime's own words have no name in them. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** What every database of SQLite begins with (https://sqlite.org/fileformat.html). */
const HEADER = Buffer.from("SQLite format 3\0");
const DAMAGE = /SQLITE_(?:NOTADB|CORRUPT)/;
const MAX_NAMED = 5;

/** True for a line of the runtime's that tells of a damaged file. */
export function isDamage(line: string): boolean {
  return DAMAGE.test(line);
}

/** One sentence: which files below `folder` are damaged, and the way back. */
export async function describeDamage(folder: string): Promise<string> {
  const files = await findDamaged(folder);
  const named = files.length === 0 ? `a file in ${folder}` : files.slice(0, MAX_NAMED).join(", ");
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
  return (
    `the state of an object is damaged and was left as it is: ${named}${more}. Stop Otto and restore it from a backup, together with ` +
    "the files of the same name that end in -wal and -shm, or move all three away: a task is then listed as lost, and can be erased. " +
    "Everything else continues"
  );
}

/** Databases below `folder` that do not begin like one. An empty one is new. */
async function findDamaged(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const damaged: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith(".sqlite") && (await isForeign(path))) damaged.push(path);
  }
  return damaged;
}

async function isForeign(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return bytesRead > 0 && !buffer.equals(HEADER);
  } catch {
    return true;
  } finally {
    await file.close();
  }
}
