/** A floor as a process, which can be started again: it writes where it listens, and ends when its input does. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Floor {
  /** Those of the present process. */
  readonly pid: number;
  readonly url: string;
  /** Resolves when it has ended and runs again. */
  restart(): Promise<void>;
  /** Resolves when it has ended and its folder is removed. */
  close(): Promise<void>;
}

interface FloorProcess {
  readonly pid: number;
  readonly url: string;
  end(): Promise<void>;
}

/** Starts a program of `bench/floors`. `folder` contains what it stores, and is removed at its end. */
export async function startFloor(script: URL, args: readonly string[], folder?: string): Promise<Floor> {
  let running = await startProcess(script, args);
  return {
    get pid() {
      return running.pid;
    },
    get url() {
      return running.url;
    },
    async restart() {
      await running.end();
      running = await startProcess(script, args);
    },
    async close() {
      await running.end();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startProcess(script: URL, args: readonly string[]): Promise<FloorProcess> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fileURLToPath(script), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    // A group of its own: a Ctrl-C at the terminal reaches the bench, which ends it in order.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const url = String(line.value);
  if (child.pid === undefined || !url.startsWith("http")) throw new Error(`${script.pathname} did not start`);
  return {
    pid: child.pid,
    url: url.replace(/\/$/, ""),
    end() {
      child.stdin.end();
      return ended;
    },
  };
}
