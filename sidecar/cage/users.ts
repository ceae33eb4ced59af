/**
 * The users that programs run as: each program has one to itself on the whole machine while it runs, so that what is counted
 * and killed by user is its own. They need no entry in /etc/passwd. Debian keeps 60000 to 64999 free of people, and systemd
 * takes 61184 and above.
 */
import { hold } from "./lock.ts";
import { killProcessesOf, readProcesses } from "./processes.ts";

const FIRST_UID = 61_000;
const UIDS = 184;

export interface ClaimedUser {
  readonly uid: number;
  release(): void;
}

let next = process.pid % UIDS;

/** A user that no other program of this machine runs as. Null: all are taken. */
export async function claimUser(): Promise<ClaimedUser | null> {
  for (let tried = 0; tried < UIDS; tried += 1) {
    const uid = FIRST_UID + (next++ % UIDS);
    const lock = await hold(`user/${uid}`);
    if (lock !== null) return { uid, release: () => lock.release() };
  }
  return null;
}

/** Ends what is left of the programs of sidecars that were killed: processes whose user nobody holds. */
export async function endForsaken(): Promise<void> {
  const present = new Set(readProcesses().map(({ uid }) => uid));
  for (const uid of present) {
    if (uid < FIRST_UID || uid >= FIRST_UID + UIDS) continue;
    const lock = await hold(`user/${uid}`);
    if (lock === null) continue;
    await killProcessesOf(uid);
    lock.release();
  }
}
