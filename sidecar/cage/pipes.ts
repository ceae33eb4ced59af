/**
 * Pipes for programs' output. What Node gives a child are sockets, and a program cannot open its output a second time by its
 * name then, as `echo … > /dev/stderr` does. Node cannot make pipes either, so some are made ahead of their use.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const MADE_AT_ONCE = 16;
const FEWEST = 6;

export interface OutputPipe {
  readonly reader: Socket;
  /** For the program; to be closed here when it was started. */
  readonly writerFd: number;
}

/** Gives pipes that have no name any more. */
export type TakePipe = () => Promise<OutputPipe>;

/** `folder` is where they have their names for a moment. */
export function makePipes(folder: string): TakePipe {
  const ready: string[] = [];
  let making: Promise<void> | null = null;
  let made = 0;

  async function make(): Promise<void> {
    const paths = Array.from({ length: MADE_AT_ONCE }, () => join(folder, `pipe-${(made += 1)}`));
    // The program's user opens it again by way of /proc, where the pipe's own mode counts.
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
    // When the folder is removed meanwhile, whoever needs the next pipe hears of it.
    if (ready.length < FEWEST) makeMore().catch(() => undefined);
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writerFd = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { reader: new Socket({ fd: readerFd, readable: true, writable: false }), writerFd };
  };
}

/** For a program that did not start. */
export function closePipe({ reader, writerFd }: OutputPipe): void {
  reader.destroy();
  closeSync(writerFd);
}
