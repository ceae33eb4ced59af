/**
 * What this process was started with beyond its three streams: files, pipes and sockets of whoever started it, which every
 * program that it starts would have too.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Linux's, as /proc/self/fdinfo tells it: the descriptor ends with the program. Node sets it on all of its own, and on its channel to a supervisor. */
const O_CLOEXEC = 0o2000000;
const STREAMS = 3;

/** Closes it. For the beginning of a program, before it has libraries that open files of their own. */
export function closeInherited(): void {
  for (const descriptor of inherited()) closeSync(descriptor);
}

function inherited(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number).filter(isInherited);
  } catch {
    // A machine without /proc has no cages either.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  if (descriptor < STREAMS) return false;
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // It was the one by which the list was read.
    return false;
  }
}
