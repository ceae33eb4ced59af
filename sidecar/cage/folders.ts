/** The folder of one sidecar's cages. What a sidecar that was killed left behind is removed by the next one. */
import { execFile } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { constants, existsSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Mount } from "./cage.ts";
import { type Lock, takeLock, takeName } from "./lock.ts";
import { killIfThere, readOrNull } from "./processes.ts";

const PREFIX = "otto-cages-";
/** Locked by the sidecar that has the folder. */
const LOCK = "lock";
const UNLOCKED_IS_OLD_MS = 24 * 60 * 60_000;
/** Below it stand the copies of what a program's user does not reach. */
const COPIES = "copies";
/** The one user and group that a program sees: itself. Names are looked up in files only. */
const ETC: Readonly<Record<string, string>> = {
  passwd: "otto:x:1000:1000::/tmp:/bin/sh\n",
  group: "otto:x:1000:\n",
  hosts: "127.0.0.1\tlocalhost\n::1\tlocalhost\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nprotocols: files\nservices: files\n",
};

export interface CageFolder {
  readonly path: string;
  /** Files that take the place of /etc's, by name. */
  readonly etc: ReadonlyMap<string, string>;
  /** Makes a folder for one program: its user reaches what is in it, and nobody finds it. The caller removes it. */
  make(): Promise<string>;
  /** The mounts, where each user reaches them. */
  reachable(mounts: readonly Mount[]): Promise<readonly Mount[]>;
  remove(): Promise<void>;
}

/** Makes the folder, after the folders of dead sidecars are removed. Others may pass through it and see nothing. */
export async function openCageFolder(parent: string = tmpdir()): Promise<CageFolder> {
  await removeForsaken(parent);
  const path = join(parent, PREFIX + randomBytes(12).toString("hex"));
  // Before there is a folder: the release before removes one whose name nobody holds.
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
  /** It has the place that the cage has for it, since a program in no cage finds its parts by where they are to each other. */
  async function copyOf({ from, at }: Mount): Promise<string> {
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
    if (mount.writable || isOpen(mount.from)) return mount;
    const key = `${mount.from}\n${mount.at}`;
    const copy = copies.get(key) ?? copyOf(mount);
    copies.set(key, copy);
    // A disk that was full is not full for ever.
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
    reachable: (mounts) => Promise.all(mounts.map(reachable)),
    remove,
  };
}

/** Whether anybody may pass through the folders above, and read it. The sidecar's own user needs no leave. */
function isOpen(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if ((statSync(above).mode & 0o001) === 0) return false;
  }
  return true;
}

async function removeForsaken(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (!name.startsWith(PREFIX) || !(await isOurFolder(path))) continue;
    if (!isLockable(path)) continue;
    const held = await takeName(path);
    const lock = held === null ? null : await takeLock(join(path, LOCK)).catch(() => null);
    if (lock !== null) {
      killBeginning(path);
      await removeTree(path);
    }
    lock?.release();
    held?.release();
  }
}

/** A folder without a lock's file is one that is being made, or one of a release that held it otherwise; nobody uses an old one. */
function isLockable(path: string): boolean {
  if (existsSync(join(path, LOCK))) return true;
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && Date.now() - facts.mtimeMs > UNLOCKED_IS_OLD_MS;
}

async function isOurFolder(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => null);
  return facts?.isDirectory() === true && facts.uid === process.getuid?.();
}

/** A cage that was being built when its sidecar was killed names the folder in its command; one that is built ends on its own. */
function killBeginning(path: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (readOrNull(`/proc/${pid}/cmdline`)?.includes(`${path}/`) === true) killIfThere(Number(pid));
  }
}

/** Removes a folder with all that programs left in it: also folders that nobody may enter, and those nested too deep for a path. */
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
