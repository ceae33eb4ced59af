/**
 * A log file of bounded size: when it is full it becomes `<name>.1`, in the place of the one before. A line that cannot be
 * written, on a full disk for one, is dropped and counted: a log never stops the program that writes it.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const MAX_BYTES = 5 * 1024 * 1024;

export interface CappedLog {
  write(text: string): void;
  close(): void;
}

interface OpenFile {
  readonly descriptor: number;
  bytes: number;
}

/** Opens the log at `path` and appends to it. Never throws; a file that cannot be opened is opened by a later write. */
export function openLog(path: string, maxBytes: number = MAX_BYTES): CappedLog {
  let file: OpenFile | null = null;
  let dropped = 0;

  function open(): OpenFile {
    const descriptor = openSync(path, "a", 0o600);
    return { descriptor, bytes: fstatSync(descriptor).size };
  }

  /** The earlier file stays open until the next one is. */
  function rotate(full: OpenFile): OpenFile {
    renameSync(path, `${path}.1`);
    const next = open();
    closeSync(full.descriptor);
    return next;
  }

  attempt(() => {
    file = open();
  });
  return {
    write(text) {
      const written = attempt(() => {
        file ??= open();
        if (file.bytes > maxBytes) file = rotate(file);
        const note = dropped === 0 ? "" : `${dropped} lines before this one could not be written\n`;
        file.bytes += writeSync(file.descriptor, note + text);
        dropped = 0;
      });
      if (!written) dropped += 1;
    },
    close() {
      const open = file;
      if (open !== null) attempt(() => closeSync(open.descriptor));
    },
  };
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
