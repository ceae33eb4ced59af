/**
 * The users that programs run as: each program has one to itself on the whole machine while it runs, so that what is counted
 * and killed by user is its own. They need no entry in /etc/passwd. Debian keeps 60000 to 64999 free of people, and systemd
 * takes 61184 and above. Who holds a user holds its lock in every folder of GUARDS that there is: two sidecars that see each other's
 * processes share at least one of them.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CannotLock, type Lock, takeLock, takeName } from "./lock.ts";
import { killProcessesOf, readProcesses } from "./processes.ts";

const FIRST_UID = 61_000;
const UIDS = 184;
const GUARDS = ["/run/otto-users", "/tmp/otto-users"];
const GUARD_MODE = 0o700;
const OTHERS_MAY_WRITE = 0o022;
/** Users that stay locked for this process's next programs: a lock takes some milliseconds. */
const MAX_IDLE = 8;

export interface ClaimedUser {
  readonly uid: number;
  /** Nothing of the user may be left. */
  release(): void;
}

interface LockedUser {
  readonly uid: number;
  readonly lock: Lock;
}

let next = process.pid % UIDS;
const idle: LockedUser[] = [];

/** A user that no other program of this machine runs as. Null: all are taken. Rejects where no lock can be taken. */
export async function claimUser(): Promise<ClaimedUser | null> {
  const kept = idle.pop();
  if (kept !== undefined) return claimed(kept);
  const present = presentUsers();
  for (let tried = 0; tried < UIDS; tried += 1) {
    const uid = FIRST_UID + (next++ % UIDS);
    // It is in use, by a sidecar that reaches none of these locks.
    if (present.has(uid)) continue;
    const lock = await lockUser(uid);
    if (lock !== null) return claimed({ uid, lock });
  }
  return null;
}

function claimed(user: LockedUser): ClaimedUser {
  return {
    uid: user.uid,
    release() {
      if (idle.length < MAX_IDLE) idle.push(user);
      else user.lock.release();
    },
  };
}

/** Ends what is left of the programs of sidecars that were killed: processes whose user nobody holds. */
export async function endForsaken(): Promise<void> {
  for (const uid of presentUsers()) {
    const lock = await lockUser(uid);
    if (lock === null) continue;
    await killProcessesOf(uid);
    lock.release();
  }
}

function presentUsers(): ReadonlySet<number> {
  const uids = readProcesses()
    .filter(({ isZombie }) => !isZombie)
    .map(({ uid }) => uid);
  return new Set(uids.filter((uid) => uid >= FIRST_UID && uid < FIRST_UID + UIDS));
}

/** Null: another sidecar holds the user, or this one. Rejects where there is no folder for its lock. */
export async function lockUser(uid: number): Promise<Lock | null> {
  const locks: Lock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  const guarding = guards().map((folder) => () => takeLock(join(folder, String(uid))));
  for (const take of [() => takeName(`user/${uid}`), ...guarding]) {
    const lock = await take().catch((error: unknown) => {
      release();
      throw error;
    });
    if (lock !== null) locks.push(lock);
    else {
      release();
      return null;
    }
  }
  return { release };
}

/** Throws where there is none: then nobody could tell which users are taken. */
function guards(): readonly string[] {
  const found = GUARDS.filter(isGuard);
  if (found.length === 0) throw new CannotLock(`neither ${GUARDS.join(" nor ")} is a folder of this user's alone`);
  return found;
}

/** A folder that somebody else made, or may write to, guards nothing. */
function isGuard(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: GUARD_MODE });
  } catch {
    // It is there already, or cannot be made.
  }
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  return facts?.isDirectory() === true && facts.uid === process.getuid?.() && (facts.mode & OTHERS_MAY_WRITE) === 0;
}
