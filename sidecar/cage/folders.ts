/** The folder of one sidecar's cages. What a sidecar that was killed left behind is removed by the next one. */
import { execFile } from "node:child_process";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { constants, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Mount } from "./cage.ts";
import { hold } from "./lock.ts";
import { killIfThere, readOrNull } from "./processes.ts";

const PREFIX = "otto-cages-";
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
  /** Makes a folder for one program: its user reaches what is in it, and nobody finds it. Whoever made it removes it. */
  make(): Promise<string>;
  /** The mounts, where each user reaches them. */
  reachable(mounts: readonly Mount[]): Promise<readonly Mount[]>;
  remove(): Promise<void>;
}

/** Makes the folder, after the folders of dead sidecars are removed. Others may pass through it and see nothing. */
export async function openCageFolder(parent: string = tmpdir()): Promise<CageFolder> {
  await removeForsaken(parent);
  const path = join(parent, PREFIX + randomBytes(12).toString("hex"));
  const lock = await hold(path);
  await mkdir(path, { mode: 0o711 });
  await chmod(path, 0o711);
  const etc = new Map<string, string>();
  for (const [name, text] of Object.entries(ETC)) {
    const file = join(path, name);
    await writeFile(file, text, { mode: 0o644 });
    etc.set(name, file);
  }
  const copies = new Map<string, Promise<string>>();
  let made = 0;
  async function copyOf(from: string): Promise<string> {
    const copy = join(path, `copy-${(made += 1)}`);
    await cp(from, copy, { recursive: true, dereference: true, mode: constants.COPYFILE_FICLONE });
    await promisify(execFile)("/bin/chmod", ["-R", "a+rX", "--", copy]);
    return copy;
  }
  async function reachable(mount: Mount): Promise<Mount> {
    if (mount.writable || isOpen(mount.from)) return mount;
    const copy = copies.get(mount.from) ?? copyOf(mount.from);
    copies.set(mount.from, copy);
    // A disk that was full is not full for ever.
    copy.catch(() => copies.delete(mount.from));
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
    remove: async () => {
      await removeTree(path);
      lock?.release();
    },
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
    const lock = await hold(path);
    if (lock === null) continue;
    killBeginning(path);
    await removeTree(path);
    lock.release();
  }
}

async function isOurFolder(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => null);
  return facts?.isDirectory() === true && facts.uid === process.getuid?.();
}

/** A cage that was being built when its sidecar was killed names the folder in its command; one that is built ends by itself. */
function killBeginning(path: string): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (readOrNull(`/proc/${pid}/cmdline`)?.includes(`${path}/`) === true) killIfThere(Number(pid));
  }
}

/** The system's word for what went wrong, without the paths of a message. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no reason";
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
