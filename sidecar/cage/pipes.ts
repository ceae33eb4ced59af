/**
 * Pipes for programs' output. Node gives a child sockets, which a program cannot reopen by name, as `echo … > /dev/stderr` does. Node
 * cannot create pipes, so mkfifo creates some in advance.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const BATCH_SIZE = 16;
const MIN_READY = 6;

export interface OutputPipe {
  readonly reader: Socket;
  /** For the program. The caller closes it after the start. */
  readonly writerFd: number;
}

/** Returns a pipe whose name is already removed. */
export type TakePipe = () => Promise<OutputPipe>;

/** `folder` holds the names of pipes until they are taken. */
export function makePipes(folder: string): TakePipe {
  const ready: string[] = [];
  let making: Promise<void> | null = null;
  let made = 0;

  async function make(): Promise<void> {
    const paths = Array.from({ length: BATCH_SIZE }, () => join(folder, `pipe-${(made += 1)}`));
    // The program's user reopens it through /proc, where the pipe's own mode applies.
    await promisify(execFile)("/usr/bin/mkfifo", ["--mode=0666", "--", ...paths]);
    ready.push(...paths);
  }

  function makeMore(): Promise<void> {
    making ??= make().finally(() => {
      making = null;
    });
    return making;
  }

  return async function takePipe() {
    while (ready.length === 0) await makeMore();
    const path = ready.pop() ?? "";
    // A failure is reported to the next caller that needs a new pipe.
    if (ready.length < MIN_READY) makeMore().catch(() => undefined);
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writerFd = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { reader: new Socket({ fd: readerFd, readable: true, writable: false }), writerFd };
  };
}

/** Closes both ends when the program did not start. */
export function closePipe({ reader, writerFd }: OutputPipe): void {
  reader.destroy();
  closeSync(writerFd);
}
