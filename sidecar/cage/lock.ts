/**
 * Locks on files, which one process at a time holds (flock(2)). The kernel releases a lock with its process, however that ends, and
 * everyone who reaches the file meets the same lock, in whatever network namespace. Node has no flock: util-linux's takes the lock on
 * a descriptor of this process. It belongs to the open file, which both share, and stays when that program has ended.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { codeOf } from "./failures.ts";

const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
const MODE = 0o600;
/** The descriptor in the program that takes the lock, and how it ends when another process holds it. */
const FD = 3;
const IS_HELD = 1;
const NO_FLOCK = "there is no flock of util-linux";

export interface Lock {
  /** Does nothing when it was released before: its descriptor may be another file's by then. */
  release(): void;
}

/** No lock could be taken here, held or not. `code` is for an operator. */
export class CannotLock extends Error {
  override readonly name = "CannotLock";
  readonly code: string;

  constructor(code: string) {
    super(`No lock can be taken: ${code}.`);
    this.code = code;
  }
}

/**
 * Locks a file, which is made where it is missing. Null: another process, or this one, holds it, or removed it meanwhile. Rejects
 * with `CannotLock`, or with the system's error when the file cannot be opened.
 */
export async function takeLock(path: string): Promise<Lock | null> {
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, MODE);
  try {
    if ((await flock(file)) && isStillAt(path, file)) return held(() => closeSync(file));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  closeSync(file);
  return null;
}

function held(release: () => void): Lock {
  let isHeld = true;
  return {
    release() {
      if (isHeld) release();
      isHeld = false;
    },
  };
}

/** False: another open file holds the lock. */
async function flock(file: number): Promise<boolean> {
  const child = spawn("flock", ["--exclusive", "--nonblock", String(FD)], {
    stdio: ["ignore", "ignore", "ignore", file],
    env: { PATH: "/usr/bin:/bin:/usr/local/bin" },
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", (error) => resolve(codeOf(error) === "ENOENT" ? NO_FLOCK : codeOf(error)));
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? signal ?? "no exit code"));
  });
  if (code !== 0 && code !== IS_HELD)
    throw new CannotLock(typeof code === "number" ? `flock ended with ${code}` : code);
  return code === 0;
}

/** A lock on a file that was removed guards nothing. */
function isStillAt(path: string, file: number): boolean {
  const [own, there] = [fstatSync(file), statSync(path, { throwIfNoEntry: false })];
  return there !== undefined && there.ino === own.ino && there.dev === own.dev;
}

/**
 * Holds a name in this network namespace (an abstract socket, unix(7)), as the release before held what a file's lock guards now: a
 * sidecar of that release and one of this leave each other's programs and folders alone. Null: another one holds it.
 */
export async function takeName(name: string): Promise<Lock | null> {
  const server = createServer((socket) => socket.destroy());
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ path: `\0otto/${name}` }, () => resolve(true));
  });
  if (!isOurs) return null;
  server.unref();
  return held(() => void server.close());
}
