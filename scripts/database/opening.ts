/** What a failure of the database's start means. A failure on a full disk says nothing of the files: it is never damage. */
import { LockDamaged } from "../supervisor/exclusive-lock.ts";
import { DatabaseDamaged, damageOf } from "./embedded-folder.ts";
import { KeyMissing } from "./key-ring.ts";
import { MigrationRefused } from "./migrate.ts";
import { PostgresFailure } from "./sql-backend.ts";

/** The embedded database; `isDiskFull` is asked when something failed. */
interface Embedded {
  readonly folder: string;
  readonly isDiskFull: () => boolean;
}

interface Opening<T> extends Embedded {
  readonly open: () => Promise<T>;
  /** Resolves once the disk has space. */
  readonly waitForSpace: () => Promise<void>;
}

/** `full`: wait for space, then start again. `fatal`: the message is for the person at the console. `failed`: start again. */
type StartFailure = { readonly kind: "full" } | { readonly kind: "fatal" | "failed"; readonly message: string };

/** Opens the folder, twice if need be. Throws `DatabaseDamaged` when both failed, unless the disk is full. */
export async function openTwice<T>({ folder, open, waitForSpace, isDiskFull }: Opening<T>): Promise<T> {
  try {
    return await open();
  } catch (first) {
    // One failure may be of the machine, such as too little memory; the same twice is of the files.
    console.log("the embedded Postgres did not open:", first);
    await waitForSpace();
    return await open().catch((second: unknown) => {
      throw isDiskFull() || isOfTheDisk(second) ? second : new DatabaseDamaged(damageOf(folder, messageOf(second)));
    });
  }
}

/** `embedded` is null for a Postgres elsewhere. */
export function judgeStartFailure(error: unknown, embedded: Embedded | null): StartFailure {
  if (embedded?.isDiskFull() === true) return { kind: "full" };
  const isKnown = [MigrationRefused, KeyMissing, LockDamaged, DatabaseDamaged].some((kind) => error instanceof kind);
  const message = messageOf(error);
  if (isKnown) return { kind: "fatal", message };
  if (error instanceof PostgresFailure && (embedded === null || !isOfTheDisk(error))) {
    const isDamage = embedded !== null && isOfTheFiles(error);
    return { kind: "fatal", message: isDamage ? damageOf(embedded.folder, message) : `a migration failed: ${message}` };
  }
  return { kind: "failed", message: `the database did not start: ${message}` };
}

/** Class XX: Postgres found its own files wrong. */
function isOfTheFiles({ fields }: PostgresFailure): boolean {
  return (fields.code ?? "").startsWith("XX");
}

/** The disk was full when it failed, and may have space again by now. 53100: disk_full. */
function isOfTheDisk(error: unknown): boolean {
  if (error instanceof PostgresFailure && error.fields.code === "53100") return true;
  return /ENOSPC|no space left on device/i.test(messageOf(error));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
