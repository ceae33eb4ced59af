/** Runs a command-line tool of this project's node_modules. */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

export const projectRoot: string = join(import.meta.dirname, "..");

export interface CommandEnd {
  /** Null when the command was killed, by the time limit or from outside. */
  readonly exitCode: number | null;
  /** What it printed on both streams; empty when the streams were inherited. */
  readonly output: string;
}

/** Commands under way. Each leads a process group, so that its children end with it. */
const running = new Set<ChildProcess>();

/**
 * Runs `name` from node_modules/.bin, on the Node that runs this script, in the project's root.
 * `env` is added to this process's own. A command that outlives `timeoutMs` is killed with its children. Never rejects for a bad exit code.
 */
export async function runCommand(
  name: string,
  args: readonly string[],
  {
    show,
    timeoutMs,
    env = {},
  }: { readonly show: boolean; readonly timeoutMs: number; readonly env?: Readonly<Record<string, string>> },
): Promise<CommandEnd> {
  const path = [dirname(process.execPath), join(projectRoot, "node_modules/.bin"), process.env["PATH"]];
  const child = spawn(name, args, {
    cwd: projectRoot,
    detached: true,
    env: { ...process.env, ...env, PATH: path.join(delimiter) },
    stdio: show ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const timer = setTimeout(() => killGroup(child), timeoutMs);
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { exitCode, output: Buffer.concat(chunks).toString("utf8") };
  } finally {
    clearTimeout(timer);
    running.delete(child);
  }
}

/** Ends every command under way, then this process, when it is asked to stop. */
export function stopCommandsOnSignal(): void {
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const, ["SIGHUP", 129] as const]) {
    process.once(signal, () => {
      for (const child of running) killGroup(child);
      process.exit(code);
    });
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
