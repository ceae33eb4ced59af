/** Names the files of objects that SQLite refuses, with the way back for each kind: the runtime's own words have neither. */
import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { getOwn } from "../../core/base/own-field.ts";

/** What every database of SQLite begins with (https://sqlite.org/fileformat.html). */
const HEADER = Buffer.from("SQLite format 3\0");
const DAMAGE = /SQLITE_(?:NOTADB|CORRUPT)/;
const MAX_NAMED = 5;
/** A check of the whole file holds up this process: so much at once, and so long for all of them. */
const MAX_CHECKED_BYTES = 64 * 1024 ** 2;
const CHECK_ALL_MS = 10_000;
/** A file that the runtime writes meanwhile is whole again by then. */
const CHECK_AGAIN_MS = 200;

interface Kind {
  readonly name: string;
  /** What follows when the files are moved away. */
  readonly movedAway: string;
}

/** By the folder of the class, which ends in its name. */
const KINDS: Readonly<Record<string, Kind>> = {
  TaskObject: { name: "a task", movedAway: "the task is then listed as lost, and can be erased" },
  TenantObject: {
    name: "a tenant",
    movedAway:
      "its index is then rebuilt from the database and its tasks; who is signed in, and its budgets, retention and stop, are lost",
  },
  ScheduleObject: {
    name: "a schedule",
    movedAway: "it is then created again from the database when it is due next; the list of its runs is lost",
  },
  SandboxObject: { name: "the files of a task or project", movedAway: "those files are then lost" },
  InboxObject: { name: "an inbox", movedAway: "messages that it received and did not process are then lost" },
  OutboxObject: { name: "an outbox", movedAway: "deliveries that it did not send are then lost" },
};
const ANY: Kind = { name: "an object", movedAway: "what it stored is then lost" };

/** True for a line of the runtime's that tells of a damaged file. */
export function isDamage(line: string): boolean {
  return DAMAGE.test(line);
}

/** A sentence for each kind of object: which files below `folder` are damaged, and the way back. */
export async function describeDamage(folder: string): Promise<string[]> {
  const files = await findDamaged(folder);
  if (files.length === 0) return [formatDamage(ANY, [`a file in ${folder}`])];
  return [...Map.groupBy(files, findKind)].map(([kind, own]) => formatDamage(kind, own));
}

function formatDamage({ name, movedAway }: Kind, files: readonly string[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
  return (
    `the state of ${name} is damaged and was left as it is: ${files.slice(0, MAX_NAMED).join(", ")}${more}. Stop Otto and restore it ` +
    "from a backup, together with the files of the same name that end in -wal and -shm, or move all three away: " +
    `${movedAway}. Everything else continues`
  );
}

function findKind(file: string): Kind {
  const [name = ""] = /[A-Z][a-z]+Object$/.exec(basename(dirname(file))) ?? [];
  return getOwn(KINDS, name) ?? ANY;
}

/** The beginnings of all databases below `folder`; where those are whole, as many whole files as there is time for. */
async function findDamaged(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".sqlite"))
    .map((entry) => join(entry.parentPath, entry.name));
  const damaged: string[] = [];
  for (const file of files) if (await isForeign(file)) damaged.push(file);
  return damaged.length > 0 ? damaged : await findBroken(files);
}

/** An empty one is new. */
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

async function findBroken(files: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  const end = Date.now() + CHECK_ALL_MS;
  for (const file of files) {
    if (Date.now() > end) {
      console.log("there was no time to check all files of objects");
      break;
    }
    const size = await stat(file).then(
      (facts) => facts.size,
      () => 0,
    );
    if (size === 0 || size > MAX_CHECKED_BYTES || isWhole(file)) continue;
    await sleep(CHECK_AGAIN_MS);
    if (!isWhole(file)) broken.push(file);
  }
  return broken;
}

/** Reads the file as it is on the disk, without its log: `immutable` takes no lock and writes nothing (https://sqlite.org/uri.html). */
function isWhole(path: string): boolean {
  const url = pathToFileURL(path);
  url.search = "?immutable=1";
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(url, { readOnly: true });
    const [first] = database.prepare("PRAGMA quick_check(1)").all();
    return first?.["quick_check"] === "ok";
  } catch {
    return false;
  } finally {
    database?.close();
  }
}
