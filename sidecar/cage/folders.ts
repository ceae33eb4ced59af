/** Manages the folder of one sidecar's cages. The next sidecar removes what a killed one left behind. */
import { execFile } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { constants, existsSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Mount } from "./cage.ts";
import { type Lock, takeLock, takeName } from "./lock.ts";
import { killProcess, readOrNull } from "./processes.ts";

const PREFIX = "otto-cages-";
/** The sidecar that uses the folder locks this file. */
const LOCK = "lock";
const UNLOCKED_IS_OLD_MS = 24 * 60 * 60_000;
/** Holds copies of mounts that a program's user cannot reach. */
const COPIES = "copies";
/** A program sees only its own user and group, and resolves names from files only. */
const ETC: Readonly<Record<string, string>> = {
  passwd: "otto:x:1000:1000::/tmp:/bin/sh\n",
  group: "otto:x:1000:\n",
  hosts: "127.0.0.1\tlocalhost\n::1\tlocalhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nprotocols: files\nservices: files\n",
};

export interface CageFolder {
  readonly path: string;
  /** Replacements for files of /etc, by name. */
  readonly etc: ReadonlyMap<string, string>;
  /** Creates a folder with an unguessable name that the program's user can enter. The caller removes it. */
  make(): Promise<string>;
  /** Replaces each mount that other users cannot read by a copy that they can. */
  makeReachable(mounts: readonly Mount[]): Promise<readonly Mount[]>;
  remove(): Promise<void>;
}

/** Removes the folders of killed sidecars, then creates the folder. Other users can enter it but not list it. */
export async function openCageFolder(parent: string = tmpdir()): Promise<CageFolder> {
  await removeOrphanFolders(parent);
  const path = join(parent, PREFIX + randomBytes(12).toString("hex"));
  // Take the name before creating the folder: the previous release removes folders whose name is not taken.
  const locks: (Lock | null)[] = [await takeName(path)];
  const etc = new Map<string, string>();
  async function remove(): Promise<void> {
    await removeTree(path);
    for (const lock of locks) lock?.release();
  }
  try {
    await mkdir(path, { mode: 0o711 });
    await chmod(path, 0o711);
    locks.push(await takeLock(join(path, LOCK)));
    for (const [name, text] of Object.entries(ETC)) {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o644 });
      etc.set(name, file);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const copies = new Map<string, Promise<string>>();
  /** Keeps the relative layout of the cage, since a program without a mount namespace finds its parts by relative paths. */
  async function copyMount({ from, at }: Mount): Promise<string> {
    const copy = join(path, COPIES, at);
    for (let folder = path; folder !== dirname(copy); ) {
      folder = join(folder, relative(folder, dirname(copy)).split("/")[0] ?? "");
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o755);
    }
    await cp(from, copy, { recursive: true, dereference: true, mode: constants.COPYFILE_FICLONE });
    await promisify(execFile)("/bin/chmod", ["-R", "a+rX", "--", copy]);
    return copy;
  }
  async function reachable(mount: Mount): Promise<Mount> {
    if (mount.writable || isWorldReadable(mount.from)) return mount;
    const key = `${mount.from}\n${mount.at}`;
    const copy = copies.get(key) ?? copyMount(mount);
    copies.set(key, copy);
    // Copy again next time, since a full disk may have space by then.
    copy.catch(() => copies.delete(key));
    return { ...mount, from: await copy };
  }
  return {
    path,
    etc,
    make: async () => {
      const own = await mkdtemp(join(path, "run-"));
      await chmod(own, 0o711);
      return own;
    },
    makeReachable: (mounts) => Promise.all(mounts.map(reachable)),
    remove,
  };
}

/** Whether every user can reach and read the path. A sidecar that is not root runs programs as its own user, who can. */
function isWorldReadable(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return false;
  }
  return true;
}

async function removeOrphanFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (!name.startsWith(PREFIX) || !(await isOurFolder(path))) continue;
    if (!isLockable(path)) continue;
    const nameLock = await takeName(path);
    const lock = nameLock === null ? null : await takeLock(join(path, LOCK)).catch(() => null);
    if (lock !== null) {
      killUnfinishedCages(path);
      await removeTree(path);
    }
    lock?.release();
    nameLock?.release();
  }
}

/** A folder without a lock file is being created or belongs to an earlier release. Once it is old, it is unused. */
function isLockable(path: string): boolean {
  if (existsSync(join(path, LOCK))) return true;
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && Date.now() - facts.mtimeMs > UNLOCKED_IS_OLD_MS;
}

async function isOurFolder(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => null);
  return facts?.isDirectory() === true && facts.uid === process.getuid?.();
}

/** Kills cages that were starting when their sidecar died; their command names the folder. Cages that had started end on their own. */
function killUnfinishedCages(path: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (readOrNull(`/proc/${pid}/cmdline`)?.includes(`${path}/`) === true) killProcess(Number(pid));
  }
}

/** Removes a folder with everything that programs left in it, including unreadable folders and those nested too deep for a path. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    const run = promisify(execFile);
    await run("/bin/chmod", ["-R", "u+rwX", "--", path]).catch(() => undefined);
    await run("/bin/rm", ["-rf", "--one-file-system", "--", path]).catch((error: unknown) => {
      console.error("a folder cannot be removed:", error instanceof Error ? error.message : "no error");
    });
  }
}
