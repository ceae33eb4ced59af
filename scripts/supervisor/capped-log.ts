/** A log file of bounded size: when it is full it becomes `<name>.1`, in the place of the one before. */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const MAX_BYTES = 5 * 1024 * 1024;

export interface CappedLog {
  write(text: string): void;
  close(): void;
}

/** Opens the log at `path` and appends to what is there. */
export function openLog(path: string, maxBytes: number = MAX_BYTES): CappedLog {
  let file = openSync(path, "a", 0o600);
  let bytes = fstatSync(file).size;
  return {
    write(text) {
      if (bytes > maxBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = openSync(path, "a", 0o600);
        bytes = 0;
      }
      bytes += writeSync(file, text);
    },
    close: () => closeSync(file),
  };
}
