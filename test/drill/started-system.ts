/** The whole system, started as a user starts it, and the means to kill its parts. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unusedPort } from "../mock-servers/listen.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const OUTPUT_LINES = 200;

/** The parts that the supervisor keeps alive. */
export type Part = "runtime" | "database" | "sidecar";

/** A system that answers. */
export interface StartedSystem {
  readonly url: string;
  readonly key: string;
  readonly stateFolder: string;
  /** The last lines of its output. */
  output(): string;
  /** The pid of a part at this moment; null while it is not there. */
  pidOf(part: Part): number | null;
  /** The pid of workerd, a child of the runtime's host; null while it is not there. */
  workerdPid(): number | null;
  /** Waits until workerd is there and the API answers. */
  up(): Promise<void>;
  /**
   * Kills the supervisor and every part of it at once, or the supervisor alone, and starts again on the same state and the
   * same port. `whileDown` is called in between, with the state folder.
   */
  crash(what?: "everything" | "supervisor", whileDown?: (stateFolder: string) => void): Promise<void>;
  /** Ends it in order and leaves its state. */
  end(): Promise<void>;
  /**
   * Starts it on its state after `end`, with these variables beside its own, and gives the key of the local tenant. Throws with
   * the output when the start ends.
   */
  startAgain(more?: Readonly<Record<string, string>>): Promise<string>;
  /** Ends it in order and removes its state. */
  stop(): Promise<void>;
}

/** What `supervisor.json` in the state folder says. */
interface SupervisorRecord {
  readonly pid: number;
  readonly children: Readonly<Partial<Record<Part, { readonly pid: number }>>>;
}

/**
 * Starts the system with a state folder of its own. `env` is added to what any program needs. `from`: the state of a system
 * that has ended, a copy of which it goes on with; without one it makes everything itself, which takes some seconds longer.
 * `parent`: the folder that holds the state folder.
 */
export async function startSystem(
  env: Readonly<Record<string, string>>,
  from?: string,
  parent: string = tmpdir(),
): Promise<StartedSystem> {
  const stateFolder = mkdtempSync(join(parent, "otto-state-"));
  if (from !== undefined) cpSync(from, stateFolder, { recursive: true });
  const port = await unusedPort();
  const lines: string[] = [];
  const launch = (more: Readonly<Record<string, string>> = {}): ChildProcess => {
    const launched = spawn(process.execPath, [join(ROOT, "scripts/run.mjs"), "scripts/start.ts"], {
      cwd: ROOT,
      env: { ...plainEnv(), PORT: String(port), OTTO_STATE: stateFolder, OTTO_INSTALL_PACKAGES: "no", ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [launched.stdout, launched.stderr]) {
      stream.setEncoding("utf8");
      // A process that is killed may leave its end with something unread.
      stream.on("error", () => undefined);
      stream.on("data", (text: string) => {
        lines.push(...text.split("\n").filter((line) => line.trim() !== ""));
        lines.splice(0, Math.max(0, lines.length - OUTPUT_LINES));
      });
    }
    return launched;
  };
  let child = launch();
  const url = `http://127.0.0.1:${port}`;
  const output = (): string => lines.join("\n");
  const read = (): SupervisorRecord | null => readRecord(stateFolder);
  const pidOf = (part: Part): number | null => read()?.children[part]?.pid ?? null;

  async function end(): Promise<void> {
    const last = read();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await Promise.race([ended(child), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    }
    // Whatever a stop left behind is ours to end: the supervisor and its children, each the leader of a group.
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    for (const left of Object.values(last?.children ?? {})) if (isOurs(left.pid, stateFolder)) kill(-left.pid);
  }

  async function stop(): Promise<void> {
    await end();
    rmSync(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  try {
    const key = await untilReady(child, url, stateFolder, output);
    let workerd: number | null = null;
    const workerdPid = (): number | null => (workerd = childNamed(pidOf("runtime"), "workerd", workerd));
    const up = async (): Promise<void> => {
      await until(
        async () => workerdPid() !== null && (await isHealthy(url)),
        60_000,
        () => `the system did not come back:\n${output()}`,
      );
    };
    const crash: StartedSystem["crash"] = async (what = "everything", whileDown = () => undefined) => {
      const last = read();
      const parts = [workerdPid(), ...Object.values(last?.children ?? {}).map((part) => part.pid)];
      const wanted = [last?.pid ?? null, child.pid ?? null, ...(what === "everything" ? parts : [])];
      const pids = wanted.filter((pid) => pid !== null);
      for (const pid of pids) kill(pid);
      await until(
        () => pids.every((pid) => !isThere(pid)),
        STOP_TIMEOUT_MS,
        () => `${pids.filter(isThere).join(", ")} did not die`,
      );
      whileDown(stateFolder);
      child = launch();
      await untilReady(child, url, stateFolder, output);
      await up();
    };
    const startAgain = async (more: Readonly<Record<string, string>> = {}): Promise<string> => {
      lines.length = 0;
      child = launch(more);
      return await untilReady(child, url, stateFolder, output);
    };
    return { url, key, stateFolder, output, pidOf, workerdPid, up, crash, end, startAgain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Kills a process (negative: a group); gives false when it is gone already. */
export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Kills workerd or the process that hosts it, waits until workerd is dead, and gives the time. */
export async function killRuntime(system: StartedSystem, target: "workerd" | "host"): Promise<number> {
  const find = (): number | null => (target === "workerd" ? system.workerdPid() : system.pidOf("runtime"));
  await until(
    () => find() !== null,
    30_000,
    () => `there was no ${target} to kill:\n${system.output()}`,
    1,
  );
  const workerd = system.workerdPid();
  const pid = find();
  if (pid !== null) kill(pid);
  // A workerd whose host was killed works on until the supervisor ends it; the time runs from its death.
  await until(
    () => workerd === null || system.workerdPid() !== workerd,
    30_000,
    () => "workerd does not die",
    1,
  );
  return performance.now();
}

/** Waits for a condition; throws with `why` when it does not come true in time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  why: () => string,
  everyMs = 20,
): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await holds()); await sleep(everyMs)) {
    if (Date.now() > end) throw new Error(why());
  }
}

async function untilReady(
  child: ChildProcess,
  url: string,
  stateFolder: string,
  output: () => string,
): Promise<string> {
  let key = "";
  await until(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the start ended:\n${output()}`);
      key = readText(join(stateFolder, "dev-key"));
      return key !== "" && (await isHealthy(url));
    },
    START_TIMEOUT_MS,
    () => `the system did not start within ${START_TIMEOUT_MS / 1000} s:\n${output()}`,
    50,
  );
  return key;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function plainEnv(): Record<string, string> {
  const passed = ["PATH", "HOME", "TMPDIR", "LANG", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
  return Object.fromEntries(
    passed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

function readRecord(stateFolder: string): SupervisorRecord | null {
  try {
    return JSON.parse(readFileSync(join(stateFolder, "supervisor.json"), "utf8")) as SupervisorRecord;
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** A child of `parent` by the name of its program. Reads /proc: the drill needs Linux for this. */
function childNamed(parent: number | null, name: string, likely: number | null): number | null {
  if (parent === null) return null;
  // A look at one process takes no time; at all of them, a few milliseconds.
  if (likely !== null && isChildNamed(likely, parent, name)) return likely;
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).find((pid) => isChildNamed(pid, parent, name)) ?? null;
}

function isChildNamed(pid: number, parent: number, name: string): boolean {
  const stat = readText(`/proc/${pid}/stat`);
  const end = stat.lastIndexOf(")");
  if (end === -1 || stat.slice(stat.indexOf("(") + 1, end) !== name) return false;
  const [state, ppid] = stat.slice(end + 2).split(" ");
  return state !== "Z" && Number(ppid) === parent;
}

/** True while a process runs; one that has ended and was not waited for is a zombie. */
function isThere(pid: number): boolean {
  const stat = readText(`/proc/${pid}/stat`);
  return stat !== "" && stat.slice(stat.lastIndexOf(")") + 2).charAt(0) !== "Z";
}

/** True when a process was started with this state folder, so that a pid that was given out anew is left alone. */
function isOurs(pid: number, stateFolder: string): boolean {
  return readText(`/proc/${pid}/environ`).includes(stateFolder);
}
