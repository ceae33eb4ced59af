/**
 * Removes a secret from this process's environment. The kernel exposes the initial environment as /proc/<pid>/environ (proc(5)), which
 * unsetting a variable does not change, so the bytes are overwritten there too.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Index of the field env_start in /proc/self/stat (proc_pid_stat(5)), counted after the program's name. */
const ENV_START = 47;

/** Removes the variable. False if the kernel still exposes it. */
export function removeVariable(name: string): boolean {
  Reflect.deleteProperty(process.env, name);
  try {
    for (let entry = findEntry(name); entry !== null; entry = findEntry(name)) erase(entry);
    return true;
  } catch (error) {
    // A machine without /proc does not expose it.
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}

interface Entry {
  readonly at: number;
  readonly bytes: number;
}

/** Finds the variable's bytes, counted from the beginning of the environment. */
function findEntry(name: string): Entry | null {
  const environ = readFileSync("/proc/self/environ");
  const start = Buffer.from(`\0${name}=`);
  // The first variable has no zero before it, so add one.
  const at = Buffer.concat([Buffer.alloc(1), environ]).indexOf(start);
  if (at < 0) return null;
  const end = environ.indexOf(0, at);
  return { at, bytes: (end < 0 ? environ.length : end) - at };
}

/** Overwrites the entry. Throws if the kernel refuses, or still exposes it. */
function erase({ at, bytes }: Entry): void {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[ENV_START]);
  const memory = openSync("/proc/self/mem", "r+");
  try {
    writeSync(memory, Buffer.alloc(bytes), 0, bytes, start + at);
  } finally {
    closeSync(memory);
  }
  const environ = readFileSync("/proc/self/environ").subarray(at, at + bytes);
  if (environ.some((byte) => byte !== 0)) throw new Error("the environment is still exposed");
}
