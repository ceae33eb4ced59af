/**
 * Otto on one machine: the database, the sidecar and the runtime as children, kept alive; the state folder locked; the
 * local tenant made. `npm start` and `npm run dev` differ only in the program that hosts the Worker.
 */
import { randomBytes } from "node:crypto";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSettings } from "../database/serve.ts";
import type { DemoSettings } from "../demo-apps/serve.ts";
import { openLog } from "./capped-log.ts";
import { CannotRun } from "./cannot-run.ts";
import { type SupervisedChild, superviseChild } from "./child.ts";
import { hasDevTenant, keepDevTenant } from "./dev-tenant.ts";
import { LockDamaged, takeLock } from "./exclusive-lock.ts";
import { freePorts, isPortFree } from "./ports.ts";
import { type RecordedProcess, endGroup, startTime, waitForEnd } from "./processes.ts";
import { makeSignInLink } from "./sign-in-link.ts";
import { type Secrets, openSecrets } from "./secrets.ts";
import { type StateFolder, keep, openStateFolder, readKept } from "./state-folder.ts";
import { childEnv, workerVars } from "./worker-vars.ts";

const LEFTOVER_TIMEOUT_MS = 5_000;
const PORT_TIMEOUT_MS = 1_000;
const SAY_WHAT_IT_WAITS_FOR_EVERY_MS = 5_000;
const RECORD_RETRY_MS = 1_000;
const HEALTH_EVERY_MS = 50;
const HEALTH_TIMEOUT_MS = 2_000;

/** The program that hosts the Worker, and its environment. */
export interface RuntimeProgram {
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface SystemOptions {
  /** The project's folder. */
  readonly root: string;
  readonly stateFolder: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Prepares the runtime, in parallel with the start of the other children. */
  readonly makeRuntime: (state: StateFolder, vars: Record<string, string>) => Promise<RuntimeProgram>;
  readonly say: (line: string) => void;
  /** Ends the system in order. */
  readonly signal: AbortSignal;
}

/** What `supervisor.json` in the state folder says: who runs, so that the next start can end what is left of it. */
interface SupervisorRecord extends RecordedProcess {
  readonly port: number;
  readonly children: Readonly<Record<string, RecordedProcess>>;
}

/** What a system that is up says of itself. */
export interface SystemAddress {
  readonly url: string;
  readonly key: string;
  /** Signs a browser in to the console, once; without a link it is the console's address. */
  readonly consoleUrl: string;
  /** The file that has the key. */
  readonly keyFile: string;
}

/** Runs the system until `signal` says stop. `onReady` is called once. Throws `CannotRun`. */
export async function runSystem(options: SystemOptions, onReady: (address: SystemAddress) => void): Promise<void> {
  const state = openStateFolder(options.stateFolder);
  const lock = lockState(state);
  const last = readRecord(state);
  if (lock === null) {
    const where = last === null ? "" : ` (process ${last.pid}, http://localhost:${last.port})`;
    throw new CannotRun(`Otto is already running on the state in ${state.root}${where}. Stop it first.`);
  }
  const children: SupervisedChild[] = [];
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  try {
    await endLeftovers(last);
    await waitForPort(options.port);
    await runChildren({ ...options, signal }, state, children, onReady);
  } finally {
    over.abort();
    // The runtime was started last and goes first, while what it calls is still there.
    for (const child of children.reverse()) await child.stop();
    lock.release();
  }
}

function lockState(state: StateFolder) {
  try {
    return takeLock(state.lockFile);
  } catch (error) {
    throw error instanceof LockDamaged ? new CannotRun(error.message) : error;
  }
}

async function runChildren(
  options: SystemOptions,
  state: StateFolder,
  children: SupervisedChild[],
  onReady: (address: SystemAddress) => void,
): Promise<void> {
  const { say, env, signal } = options;
  const { secrets, save: saveSecrets } = openSecrets(state, env);
  const [databasePort = 0, sidecarPort = 0, demoPort = 0] = await freePorts(3);
  const failed = Promise.withResolvers<never>();
  const waitingFor = new Set<string>();
  const record = makeRecorder(state, options.port);

  function startChild(name: string, script: string, extraEnv: Record<string, string>): SupervisedChild {
    waitingFor.add(name);
    const child = superviseChild(
      {
        name,
        script: join(options.root, script),
        env: childEnv(env, { NODE_COMPILE_CACHE: state.cacheFolder, ...extraEnv }),
        log: openLog(join(state.logFolder, `${name}.log`)),
      },
      {
        onProcess: (running) => record(name, running),
        onProgress: (message) => say(`  ${message}`),
        onProblem: (message) => say(`! ${message}`),
        onFatal: (message) => failed.reject(new CannotRun(message)),
      },
    );
    void child.ready.then(() => waitingFor.delete(name));
    children.push(child);
    return child;
  }

  async function start(): Promise<void> {
    const databaseVars = databaseEnv(options, state, secrets, databasePort);
    const database = startChild("database", "scripts/database/serve.ts", databaseVars);
    const ownSidecar = (env["SIDECAR_URL"] ?? "") === "";
    const demo = hasDemoApps(env) ? makeDemoSettings(state, demoPort) : null;
    const egressAllow = listEgressAllow(env, demo);
    if (ownSidecar) {
      startChild("sidecar", "sidecar/server.ts", {
        SIDECAR_SECRET: secrets.sidecarSecret,
        PORT: String(sidecarPort),
        SIDECAR_FOLDER: state.sidecarFolder,
        SIDECAR_MCP_PATHS: env["SIDECAR_MCP_PATHS"] ?? "",
        OTTO_SCRIPT_ISOLATION: env["OTTO_SCRIPT_ISOLATION"] ?? "",
        OTTO_EGRESS_ALLOW: egressAllow,
      });
    }
    if (demo !== null) startChild("demo-apps", "scripts/demo-apps/serve.ts", { OTTO_DEMO: JSON.stringify(demo) });
    const vars = workerVars(env, {
      databaseUrl: `postgres://otto_app:${secrets.databasePassword}@database.localhost/otto`,
      databaseEndpoint: `http://127.0.0.1:${databasePort}/sql`,
      sidecarUrl: ownSidecar ? `http://127.0.0.1:${sidecarPort}` : (env["SIDECAR_URL"] ?? ""),
      sidecarSecret: ownSidecar ? secrets.sidecarSecret : (env["SIDECAR_SECRET"] ?? ""),
      secretKey: secrets.secretKey,
      operatorKey: secrets.operatorKey,
      demoApps: demo === null ? null : { url: `http://127.0.0.1:${demo.port}`, apiKey: demo.apiKey, egressAllow },
    });
    const runtime = await options.makeRuntime(state, vars);
    if (saveSecrets !== null) {
      // A database that refuses a new key ends the start, and the folder stays as it was.
      await Promise.race([database.ready, stopped]);
      if (!signal.aborted) saveSecrets();
    }
    if (signal.aborted) return;
    startChild("runtime", relative(options.root, runtime.script), { ...runtime.env });
    const url = `http://localhost:${options.port}`;
    const origin = `http://127.0.0.1:${options.port}`;
    await waitForHealth(origin, waitingFor, options);
    if (signal.aborted) return;
    const key = await keepDevTenant(state, origin, secrets.operatorKey);
    const link = await makeSignInLink(origin, key);
    if (!link.made) say(`! no link that signs you in to the console could be made: ${link.problem}`);
    onReady({ url, key, consoleUrl: `${url}${link.made ? link.path : "/"}`, keyFile: state.devKeyFile });
  }

  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([stopped, failed.promise, start().then(() => stopped)]);
}

function databaseEnv(
  options: SystemOptions,
  state: StateFolder,
  secrets: Secrets,
  port: number,
): Record<string, string> {
  const settings: DatabaseSettings = {
    port,
    appPassword: secrets.databasePassword,
    migrationsFolder: join(options.root, "migrations"),
    externalUrl: options.env["DATABASE_URL"] || null,
    folder: state.databaseFolder,
    lockFile: state.databaseLockFile,
    isUsed: hasDevTenant(state),
    secretKey: secrets.secretKey,
    oldSecretKeys: secrets.oldSecretKeys,
  };
  return { OTTO_DATABASE: JSON.stringify(settings) };
}

/** True without a key of Composio, unless the person wants no demo apps. Never in production, which refuses them. */
function hasDemoApps(env: NodeJS.ProcessEnv): boolean {
  if (env["OTTO_MODE"] === "production") return false;
  return !env["COMPOSIO_API_KEY"] && env["OTTO_DEMO_APPS"] !== "no";
}

/** Files of demo apps are on this machine, so that egress has to reach them. */
function listEgressAllow(env: NodeJS.ProcessEnv, demo: DemoSettings | null): string {
  const given = env["OTTO_EGRESS_ALLOW"] ?? "";
  if (demo === null) return given;
  return [given, `127.0.0.1:${demo.port}`].filter((entry) => entry !== "").join(",");
}

/** Other programs of the machine do not know the key of this start. */
function makeDemoSettings({ demoAppsFile }: StateFolder, port: number): DemoSettings {
  return { port, apiKey: randomBytes(24).toString("base64url"), file: demoAppsFile };
}

/** Ends what a supervisor that was killed has left behind. It is dead, as its lock was free. */
async function endLeftovers(last: SupervisorRecord | null): Promise<void> {
  const left = Object.values(last?.children ?? {});
  for (const child of left) endGroup(child);
  await Promise.all(left.map((child) => waitForEnd(child, LEFTOVER_TIMEOUT_MS)));
}

async function waitForPort(port: number): Promise<void> {
  for (const end = Date.now() + PORT_TIMEOUT_MS; !(await isPortFree(port)); await sleep(100)) {
    if (Date.now() > end) {
      throw new CannotRun(`Port ${port} is taken by another program. Stop it, or choose another: PORT=8790 npm start`);
    }
  }
}

async function waitForHealth(origin: string, waitingFor: ReadonlySet<string>, options: SystemOptions): Promise<void> {
  let answer = "";
  let sayAt = Date.now() + SAY_WHAT_IT_WAITS_FOR_EVERY_MS;
  for (; !options.signal.aborted; await sleep(HEALTH_EVERY_MS)) {
    try {
      const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
      const text = await response.text();
      answer = `/health answers ${response.status} ${text.slice(0, 300)}`;
      if (response.ok && waitingFor.size === 0 && !isFromBefore(text)) return;
    } catch {
      answer = "/health does not answer";
    }
    if (Date.now() < sayAt) continue;
    sayAt += SAY_WHAT_IT_WAITS_FOR_EVERY_MS;
    options.say(`  waiting for ${waitingFor.size === 0 ? `the Worker: ${answer}` : [...waitingFor].join(", ")}`);
  }
}

/** `/health` repeats a reply for a moment: this one is from before the database was ready. */
function isFromBefore(health: string): boolean {
  return (JSON.parse(health) as { readonly database?: unknown }).database === "away";
}

function readRecord(state: StateFolder): SupervisorRecord | null {
  const text = readKept(state.supervisorFile);
  if (text === null) return null;
  try {
    return JSON.parse(text) as SupervisorRecord;
  } catch {
    return null;
  }
}

function makeRecorder(state: StateFolder, port: number): (name: string, running: RecordedProcess | null) => void {
  const children = new Map<string, RecordedProcess>();
  const self = { pid: process.pid, started: startTime(process.pid) ?? "" };
  let retry: NodeJS.Timeout | undefined;
  function store(): void {
    clearTimeout(retry);
    try {
      const record: SupervisorRecord = { ...self, port, children: Object.fromEntries(children) };
      keep(state.supervisorFile, JSON.stringify(record));
    } catch {
      // On a full disk the system works on, and the record follows when there is space again.
      retry = setTimeout(store, RECORD_RETRY_MS).unref();
    }
  }
  return (name, running) => {
    if (running === null) children.delete(name);
    else children.set(name, running);
    store();
  };
}
