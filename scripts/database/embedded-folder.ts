/**
 * The folder of the embedded database before it is opened: whole, new, or damaged. PGlite itself would create a database
 * over what it does not recognize, and cannot go on with a creation that was cut off.
 */
import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Below this, Postgres cannot write its log while it starts. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;

/** The database cannot be opened. The message says where it is and the way back. */
export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";
}

interface EmbeddedFolder {
  readonly folder: string;
  /** True once the state was used: then a missing folder is a lost database. */
  readonly isUsed: boolean;
}

/** What `prepareFolder` found. `created`: a new database, which `finishCreation` makes final. */
type FolderState = "whole" | "created" | "lost";

/**
 * Clears a creation that was cut off, and marks a new one. Throws `DatabaseDamaged` for a folder that holds something else
 * than a database.
 */
export function prepareFolder({ folder, isUsed }: EmbeddedFolder): FolderState {
  const isCutOff = existsSync(toMarkPath(folder));
  if (isCutOff) rmSync(folder, { recursive: true, force: true });
  if (existsSync(join(folder, "PG_VERSION"))) return "whole";
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new DatabaseDamaged(damageOf(folder, "PG_VERSION is missing"));
  writeFileSync(toMarkPath(folder), "", { mode: 0o600 });
  return isUsed && !isCutOff ? "lost" : "created";
}

/** The database is whole: it was migrated. */
export function finishCreation(folder: string): void {
  rmSync(toMarkPath(folder), { force: true });
}

/** What a person reads of a damaged database, in one sentence. `reason`: what Postgres or PGlite said. */
export function damageOf(folder: string, reason: string): string {
  const [line = ""] = reason.split("\n");
  return (
    `the database in ${folder} is damaged and was left as it is (${line.slice(0, 200)}): restore that folder from a backup, or ` +
    "move it away to start with an empty database, whose task index is rebuilt from the objects"
  );
}

export const LOST_DATABASE =
  "the database was missing and an empty one was created: the index of tasks is rebuilt from the objects; agents, people, " +
  "secrets, memory and skills come back only with a backup of the folder";

/** Bytes that the disk of a folder has free for this user. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : dirname(folder));
  return bavail * bsize;
}

export function isDiskFull(folder: string): boolean {
  return freeBytes(folder) < MIN_FREE_BYTES;
}

/** Next to the folder while a database is created in it. */
function toMarkPath(folder: string): string {
  return `${folder}.creating`;
}
