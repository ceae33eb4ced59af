/**
 * Takes a secret out of this process's environment. The kernel shows the memory that a process was started with as
 * /proc/<pid>/environ (proc(5)), which unsetting a variable leaves as it is; so the bytes are overwritten there too.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** The field env_start of /proc/self/stat (proc_pid_stat(5)), counted from the one after the program's name. */
const ENV_START = 47;

/** Removes the variable. False: the kernel still shows it. */
export function removeVariable(name: string): boolean {
  Reflect.deleteProperty(process.env, name);
  try {
    for (let entry = entryOf(name); entry !== null; entry = entryOf(name)) erase(entry);
    return true;
  } catch (error) {
    // A machine without /proc shows it nowhere.
    return error instanceof Error && "code" in error && error.code === "ENOENT";
  }
}

interface Entry {
  readonly at: number;
  readonly bytes: number;
}

/** Where the kernel shows the variable, after the beginning of the environment. */
function entryOf(name: string): Entry | null {
  const shown = readFileSync("/proc/self/environ");
  const start = Buffer.from(`\0${name}=`);
  // The first one has no zero before it.
  const at = Buffer.concat([Buffer.alloc(1), shown]).indexOf(start);
  if (at < 0) return null;
  const end = shown.indexOf(0, at);
  return { at, bytes: (end < 0 ? shown.length : end) - at };
}

/** Throws where the kernel lets nobody write there, or what was written is not what it shows. */
function erase({ at, bytes }: Entry): void {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[ENV_START]);
  const memory = openSync("/proc/self/mem", "r+");
  try {
    writeSync(memory, Buffer.alloc(bytes), 0, bytes, start + at);
  } finally {
    closeSync(memory);
  }
  const shown = readFileSync("/proc/self/environ").subarray(at, at + bytes);
  if (shown.some((byte) => byte !== 0)) throw new Error("the environment is still shown");
}
