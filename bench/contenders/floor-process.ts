/** A floor as a process: it writes where it listens, and ends when its input does. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface FloorProcess {
  readonly pid: number;
  readonly url: string;
  /** Resolves when it has ended. */
  end(): Promise<void>;
}

/** Starts a program of `bench/floors`. */
export async function startFloor(script: URL, args: readonly string[]): Promise<FloorProcess> {
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
