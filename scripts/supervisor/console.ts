/** The part of `npm start` and `npm run dev` that a person sees: settings in, lines out, Ctrl-C. */
import { join, resolve } from "node:path";
import { keepPackages, packageLists } from "../packages/keep-packages.ts";
import { openLog } from "./capped-log.ts";
import { CannotRun } from "./cannot-run.ts";
import { formatGreeting } from "./greeting.ts";
import { type SystemOptions, runSystem } from "./system.ts";

const DEFAULT_PORT = 8787;
/** A Ctrl-C reaches this process from the terminal and again from the script that started it. */
const SAME_SIGNAL_MS = 1_000;

export interface ConsoleOptions {
  readonly root: string;
  readonly defaultState: string;
  readonly makeRuntime: SystemOptions["makeRuntime"];
}

/** Runs the system until Ctrl-C or SIGTERM, and ends this process: with status 1 when it could not run. */
export async function runInConsole(options: ConsoleOptions): Promise<void> {
  const { env } = process;
  // A line that cannot be shown, on a full disk or a closed pipe, is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const stop = new AbortController();
  const stateFolder = resolve(options.root, env["OTTO_STATE"] || options.defaultState);
  let askedAtMs = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!stop.signal.aborted) {
        askedAtMs = Date.now();
        console.log("\nStopping…");
        stop.abort();
      } else if (Date.now() - askedAtMs > SAME_SIGNAL_MS) process.exit(130);
    });
  }
  try {
    const port = readPort(env["PORT"]);
    if (!env["SIDECAR_URL"]) await installForSidecar(options.root, stop.signal);
    await runSystem(
      {
        root: options.root,
        stateFolder,
        port,
        env,
        makeRuntime: options.makeRuntime,
        say: (line) => console.log(line),
        signal: stop.signal,
      },
      (address) => console.log(formatGreeting(address, env, process.cwd())),
    );
    console.log("Stopped.");
    process.exit(0);
  } catch (error) {
    console.error(`Otto cannot run: ${error instanceof Error ? error.message : String(error)}`);
    if (!(error instanceof CannotRun)) recordFailure(stateFolder, error);
    process.exit(1);
  }
}

/** A failure that nobody foresaw: the person reads its message, and the log has where it came from. */
function recordFailure(stateFolder: string, error: unknown): void {
  const log = openLog(join(stateFolder, "logs", "supervisor.log"));
  log.write(`${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  log.close();
}

/** What the sidecar of this machine needs. A start without some of it is a start all the same. */
async function installForSidecar(root: string, signal: AbortSignal): Promise<void> {
  const { env } = process;
  await keepPackages({
    lists: packageLists(root).start,
    env,
    isRoot: process.getuid?.() === 0,
    mayInstall: env["OTTO_INSTALL_PACKAGES"] !== "no",
    say: (line) => console.log(line),
    signal,
  });
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new CannotRun(`PORT must be a number from 1 to 65535, not ${JSON.stringify(text)}.`);
}
