/**
 * Finds descriptors beyond the three streams that this process inherited: files, pipes and sockets that its own programs would
 * inherit too.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Linux's flag in /proc/self/fdinfo that closes a descriptor on exec. Node sets it on all its descriptors, and on its channel to a supervisor. */
const O_CLOEXEC = 0o2000000;
const STREAMS = 3;

/** Closes inherited descriptors. Call it before any library opens files of its own. */
export function closeInherited(): void {
  for (const descriptor of listInherited()) closeSync(descriptor);
}

function listInherited(): readonly number[] {
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
    // It was the descriptor of the listing itself.
    return false;
  }
}
