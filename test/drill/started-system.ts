/** Starts the complete system as a user does, and kills its parts. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findUnusedPort } from "../mock-servers/listen.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const OUTPUT_LINES = 200;

/** The supervised parts. */
export type Part = "runtime" | "database" | "sidecar";

/** A running system. */
export interface StartedSystem {
  readonly url: string;
  readonly key: string;
  readonly stateFolder: string;
  /** The last lines of its output. */
  output(): string;
  /** The current pid of a part. Null while it does not run. */
  pidOf(part: Part): number | null;
  /** The pid of workerd, a child of the runtime's host. Null while it does not run. */
  workerdPid(): number | null;
  /** Waits until workerd runs and the API answers. */
  up(): Promise<void>;
  /**
   * Kills the supervisor and all its parts at once, or only the supervisor, and restarts on the same state and port. Calls `whileDown` in
   * between with the state folder.
   */
  crash(what?: "everything" | "supervisor", whileDown?: (stateFolder: string) => void): Promise<void>;
  /** Stops it cleanly and leaves its state. */
  end(): Promise<void>;
  /**
   * Restarts it on its state after `end` with additional variables, and returns the key of the local tenant. Throws with the output if the
   * start fails.
   */
  startAgain(more?: Readonly<Record<string, string>>): Promise<string>;
  /** Stops it cleanly and removes its state. */
  stop(): Promise<void>;
}

/** The content of `supervisor.json` in the state folder. */
interface SupervisorRecord {
  readonly pid: number;
  readonly children: Readonly<Partial<Record<Part, { readonly pid: number }>>>;
}

/** Environment variables, or those of a system at an address that is known only when it starts. */
export type SystemEnv = Readonly<Record<string, string>> | ((url: string) => Readonly<Record<string, string>>);

/**
 * Starts the system with its own state folder below `parent`. `given` is added to the basic environment. With `from`, it starts with a copy
 * of a stopped system's state, which saves some seconds.
 */
export async function startSystem(given: SystemEnv, from?: string, parent: string = tmpdir()): Promise<StartedSystem> {
  const stateFolder = mkdtempSync(join(parent, "otto-state-"));
  if (from !== undefined) cpSync(from, stateFolder, { recursive: true });
  const port = await findUnusedPort();
  const url = `http://127.0.0.1:${port}`;
  const env = typeof given === "function" ? given(url) : given;
  const lines: string[] = [];
  const launch = (more: Readonly<Record<string, string>> = {}): ChildProcess => {
    const launched = spawn(process.execPath, [join(ROOT, "scripts/run.mjs"), "scripts/start.ts"], {
      cwd: ROOT,
      env: {
        ...plainEnv(),
        PORT: String(port),
        OTTO_STATE: stateFolder,
        OTTO_INSTALL_PACKAGES: "no",
        OTTO_DEMO_APPS: "no",
        ...env,
        ...more,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [launched.stdout, launched.stderr]) {
      stream.setEncoding("utf8");
      // A killed process may leave unread output.
      stream.on("error", () => undefined);
      stream.on("data", (text: string) => {
        lines.push(...text.split("\n").filter((line) => line.trim() !== ""));
        lines.splice(0, Math.max(0, lines.length - OUTPUT_LINES));
      });
    }
    return launched;
  };
  let child = launch();
  const output = (): string => lines.join("\n");
  const read = (): SupervisorRecord | null => readRecord(stateFolder);
  const pidOf = (part: Part): number | null => read()?.children[part]?.pid ?? null;

  async function end(): Promise<void> {
    const last = read();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await Promise.race([waitForExit(child), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    }
    // Kill what a stop left behind: the supervisor and its children, each of which leads a process group.
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

/** Kills a process, or a group by a negative pid. False if it has ended already. */
export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Kills workerd or its host, waits until workerd is dead, and returns the time. */
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
  // Without its host, workerd runs until the supervisor kills it, so measure from its death.
  await until(
    () => workerd === null || system.workerdPid() !== workerd,
    30_000,
    () => "workerd does not die",
    1,
  );
  return performance.now();
}

/** Waits for a condition. Throws with `why` on timeout. */
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

function waitForExit(child: ChildProcess): Promise<void> {
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

/** Finds a child of `parent` by its program's name in /proc, which requires Linux. */
function childNamed(parent: number | null, name: string, likely: number | null): number | null {
  if (parent === null) return null;
  // Reading one process is fast; reading all takes a few milliseconds.
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

/** Whether a process runs. False for a zombie. */
function isThere(pid: number): boolean {
  const stat = readText(`/proc/${pid}/stat`);
  return stat !== "" && stat.slice(stat.lastIndexOf(")") + 2).charAt(0) !== "Z";
}

/** Whether a process was started with this state folder, which excludes a reused pid. */
function isOurs(pid: number, stateFolder: string): boolean {
  return readText(`/proc/${pid}/environ`).includes(stateFolder);
}
