/**
 * Exclusive file locks (flock(2)). The kernel releases a lock when its process ends, and a lock works across network namespaces. Node
 * has no flock, so util-linux's program locks a descriptor of this process. The lock belongs to the shared open file and outlives that
 * program.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { getErrorCode } from "./failures.ts";

const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
const MODE = 0o600;
/** The descriptor in the flock program, and its exit code when another process holds the lock. */
const FD = 3;
const HELD_EXIT_CODE = 1;
const NO_FLOCK = "util-linux's flock is missing";

export interface Lock {
  /** Does nothing the second time: the descriptor may belong to another file by then. */
  release(): void;
}

/** Locking itself failed, whether or not the lock is held. `code` is for an operator. */
export class CannotLock extends Error {
  override readonly name = "CannotLock";
  readonly code: string;

  constructor(code: string) {
    super(`No lock can be taken: ${code}.`);
    this.code = code;
  }
}

/**
 * Locks a file and creates it if it is missing. Null if the lock is held or the file was removed meanwhile. Rejects with `CannotLock`,
 * or with the system's error if the file cannot be opened.
 */
export async function takeLock(path: string): Promise<Lock | null> {
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, MODE);
  try {
    if ((await flock(file)) && isStillAt(path, file)) return makeLock(() => closeSync(file));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  closeSync(file);
  return null;
}

function makeLock(release: () => void): Lock {
  let isHeld = true;
  return {
    release() {
      if (isHeld) release();
      isHeld = false;
    },
  };
}

/** False if another open file holds the lock. */
async function flock(file: number): Promise<boolean> {
  const child = spawn("flock", ["--exclusive", "--nonblock", String(FD)], {
    stdio: ["ignore", "ignore", "ignore", file],
    env: { PATH: "/usr/bin:/bin:/usr/local/bin" },
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", (error) => resolve(getErrorCode(error) === "ENOENT" ? NO_FLOCK : getErrorCode(error)));
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? signal ?? "no exit code"));
  });
  if (code !== 0 && code !== HELD_EXIT_CODE)
    throw new CannotLock(typeof code === "number" ? `flock ended with ${code}` : code);
  return code === 0;
}

/** A lock on a removed file protects nothing. */
function isStillAt(path: string, file: number): boolean {
  const [own, there] = [fstatSync(file), statSync(path, { throwIfNoEntry: false })];
  return there !== undefined && there.ino === own.ino && there.dev === own.dev;
}

/**
 * Takes a name in this network namespace (an abstract socket, unix(7)), as the previous release did instead of a file lock, so that
 * sidecars of both releases respect each other's programs and folders. Null if the name is taken.
 */
export async function takeName(name: string): Promise<Lock | null> {
  const server = createServer((socket) => socket.destroy());
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ path: `\0otto/${name}` }, () => resolve(true));
  });
  if (!isOurs) return null;
  server.unref();
  return makeLock(() => void server.close());
}
