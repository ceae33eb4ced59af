/**
 * Assigns each running program a user that nothing else on the machine runs as, so that its processes can be counted and killed by user.
 * The users need no entry in /etc/passwd. Debian reserves 60000 to 64999, of which systemd takes 61184 and above. To claim a user, a
 * sidecar takes its lock in every existing folder of GUARDS: two sidecars that see each other's processes share at least one.
 */
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CannotLock, type Lock, takeLock, takeName } from "./lock.ts";
import { killUserProcesses, readProcesses } from "./processes.ts";

const FIRST_UID = 61_000;
const UIDS = 184;
const GUARDS = ["/run/otto-users", "/tmp/otto-users"];
const GUARD_MODE = 0o700;
const OTHERS_MAY_WRITE = 0o022;
/** Users that stay locked for reuse by this process, since locking takes milliseconds. */
const MAX_IDLE = 8;

export interface ClaimedUser {
  readonly uid: number;
  /** Call it only when no process of the user is left. */
  release(): void;
}

interface LockedUser {
  readonly uid: number;
  readonly lock: Lock;
}

let next = process.pid % UIDS;
const idle: LockedUser[] = [];

/** Claims a user that no other program of this machine runs as. Null if all are taken. Rejects if locking fails. */
export async function claimUser(): Promise<ClaimedUser | null> {
  const idleUser = idle.pop();
  if (idleUser !== undefined) return toClaimedUser(idleUser);
  const present = listPresentUsers();
  for (let tried = 0; tried < UIDS; tried += 1) {
    const uid = FIRST_UID + (next++ % UIDS);
    // A sidecar that shares none of the locks uses it.
    if (present.has(uid)) continue;
    const lock = await lockUser(uid);
    if (lock !== null) return toClaimedUser({ uid, lock });
  }
  return null;
}

function toClaimedUser(user: LockedUser): ClaimedUser {
  return {
    uid: user.uid,
    release() {
      if (idle.length < MAX_IDLE) idle.push(user);
      else user.lock.release();
    },
  };
}

/** Kills programs that killed sidecars left behind: processes whose user is not locked. */
export async function killOrphanPrograms(): Promise<void> {
  for (const uid of listPresentUsers()) {
    const lock = await lockUser(uid);
    if (lock === null) continue;
    await killUserProcesses(uid);
    lock.release();
  }
}

function listPresentUsers(): ReadonlySet<number> {
  const uids = readProcesses()
    .filter(({ isZombie }) => !isZombie)
    .map(({ uid }) => uid);
  return new Set(uids.filter((uid) => uid >= FIRST_UID && uid < FIRST_UID + UIDS));
}

/** Null if a sidecar holds the user. Rejects without a folder for its lock. */
export async function lockUser(uid: number): Promise<Lock | null> {
  const locks: Lock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  const guarding = findGuardFolders().map((folder) => () => takeLock(join(folder, String(uid))));
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

/** Throws if no folder is usable, since then no sidecar knows which users are taken. */
function findGuardFolders(): readonly string[] {
  const found = GUARDS.filter(isGuardFolder);
  if (found.length === 0)
    throw new CannotLock(`neither ${GUARDS.join(" nor ")} is a folder that only this user can write to`);
  return found;
}

/** Rejects a folder that another user owns or can write to. */
function isGuardFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: GUARD_MODE });
  } catch {
    // It exists already, or cannot be created.
  }
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  return facts?.isDirectory() === true && facts.uid === process.getuid?.() && (facts.mode & OTHERS_MAY_WRITE) === 0;
}
