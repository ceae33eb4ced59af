/** The system as a person starts it, and what is left of it when parts of it are killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { processTree, proportionalKib } from "../../bench/processes.ts";
import { findKeyOwner } from "../../core/tenant/keys.ts";
import { isPortFree } from "../../scripts/supervisor/ports.ts";
import { startTime } from "../../scripts/supervisor/processes.ts";
import { findUnusedPort } from "../mock-servers/listen.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const START_TIMEOUT_MS = 100_000;
const WAIT_MS = 30_000;
/** Of all processes before the first task; without its measures 730 to 870. */
const MAX_START_MIB = 700;

interface Running {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

let state: string;
let port: number;
const started: Running[] = [];

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "otto-state-"));
  port = await findUnusedPort();
});

afterEach(async () => {
  for (const running of started.splice(0)) {
    running.process.kill("SIGTERM");
    await running.ended;
  }
});

afterAll(() => rm(state, { recursive: true, force: true }));

/** Starts by the script that `npm start` calls. */
function launch(extraEnv: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/start.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: String(port),
      OTTO_STATE: state,
      OTTO_INSTALL_PACKAGES: "no",
      ...extraEnv,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const running = {
    process: child,
    output: () => text,
    ended: new Promise<number | null>((resolve) => {
      child.once("exit", resolve);
    }),
  };
  started.push(running);
  return running;
}

async function start(): Promise<Running> {
  const running = launch();
  const isOver = () => running.process.exitCode !== null;
  await until(() => isOver() || running.output().includes("Otto is ready on"), START_TIMEOUT_MS, running.output);
  if (isOver()) throw new Error(`it ended:\n${running.output()}`);
  return running;
}

async function until(holds: () => boolean | Promise<boolean>, timeoutMs: number, context: () => string): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await holds()); await sleep(20)) {
    if (Date.now() > end) throw new Error(`it did not come about within ${timeoutMs} ms:\n${context()}`);
  }
}

interface SupervisorFile {
  readonly pid: number;
  readonly port: number;
  readonly children: Readonly<Record<string, { readonly pid: number; readonly started: string }>>;
}

function supervisor(): SupervisorFile {
  return JSON.parse(readFileSync(join(state, "supervisor.json"), "utf8")) as SupervisorFile;
}

function pidOf(child: string): number {
  const pid = supervisor().children[child]?.pid;
  if (pid === undefined) throw new Error(`no ${child} runs`);
  return pid;
}

/** The process that the runtime's host has started. */
function workerdPid(): number {
  const host = pidOf("runtime");
  const pid = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))
    .map(Number)
    .find((candidate) => {
      const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${candidate}/stat`, "utf8")) ?? [];
      return name === "workerd" && Number(parent) === host;
    });
  if (pid === undefined) throw new Error("no workerd runs");
  return pid;
}

/** Memory of everything that a start runs. */
function memoryMib(running: Running): number {
  return proportionalKib(processTree(running.process.pid ?? Number.NaN)) / 1024;
}

async function isHealthy(): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/health`)).ok;
  } catch {
    return false;
  }
}

function devKey(): string {
  return readFileSync(join(state, "dev-key"), "utf8").trim();
}

describe("npm start", () => {
  it("starts, prints its address, and makes its keys readable for their owner only", async () => {
    const running = await start();
    expect(running.output()).toContain(`Otto is ready on http://localhost:${port}`);
    expect(running.output()).toContain("not a language model");
    expect(running.output()).toContain(devKey());
    expect(findKeyOwner(devKey())).toMatch(/^ten_/);
    expect(findKeyOwner(readFileSync(join(state, "operator-key"), "utf8").trim())).toBe("operator");
    for (const name of ["dev-key", "operator-key", "secrets.json"]) {
      expect((await stat(join(state, name))).mode & 0o777, name).toBe(0o600);
    }
    expect(await isHealthy()).toBe(true);
    await expect.poll(() => memoryMib(running), { timeout: WAIT_MS }).toBeLessThan(MAX_START_MIB);
  });

  it("finds everything again", async () => {
    const [key, operatorKey] = [devKey(), readFileSync(join(state, "operator-key"), "utf8")];
    const running = await start();
    expect(running.output()).not.toContain("bundling");
    expect(running.output()).not.toContain("migrating");
    expect(devKey()).toBe(key);
    expect(readFileSync(join(state, "operator-key"), "utf8")).toBe(operatorKey);
    await expect.poll(() => memoryMib(running), { timeout: WAIT_MS }).toBeLessThan(MAX_START_MIB);
  });

  it("refuses to run twice on one state, and names the one that runs", async () => {
    await start();
    const second = launch({ PORT: String(await findUnusedPort()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already running on the state in ${state} (process ${supervisor().pid}`);
    expect(await isHealthy()).toBe(true);
  });

  it("says so when its port is taken", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(port, "127.0.0.1", resolve);
    });
    const running = launch();
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(`Port ${port} is taken`);
    await new Promise((resolve) => other.close(resolve));
  });

  it("says so when PORT is not a number", async () => {
    const running = launch({ PORT: "eighty" });
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain("PORT must be a number");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends everything on %s", async (signal) => {
    const running = await start();
    const pids = [...Object.values(supervisor().children).map(({ pid }) => pid), workerdPid(), supervisor().pid];
    running.process.kill(signal);
    expect(await running.ended).toBe(0);
    expect(pids.filter((pid) => startTime(pid) !== null)).toEqual([]);
    expect(await isPortFree(port)).toBe(true);
  });
});

describe("a SIGKILL", () => {
  it.each(["database", "sidecar", "demo-apps", "runtime"])("of the %s is made good", async (name) => {
    const running = await start();
    const [killed, workerd] = [pidOf(name), workerdPid()];
    process.kill(killed, "SIGKILL");
    const isBack = async () => (supervisor().children[name]?.pid ?? killed) !== killed && (await isHealthy());
    await until(isBack, WAIT_MS, running.output);
    expect(startTime(killed)).toBeNull();
    // A workerd without its host would answer as well, and keep the port from the next one.
    expect(workerdPid() === workerd).toBe(name !== "runtime");
  });

  it("of workerd itself is made good", async () => {
    const running = await start();
    const killed = workerdPid();
    process.kill(killed, "SIGKILL");
    await until(() => startTime(killed) === null, WAIT_MS, running.output);
    await until(isHealthy, WAIT_MS, running.output);
    expect(workerdPid()).not.toBe(killed);
  });

  it("of every child again and again is made good", async () => {
    const running = await start();
    for (let round = 0; round < 3; round += 1) {
      const gone = Object.values(supervisor().children).map(({ pid }) => pid);
      for (const pid of gone) process.kill(pid, "SIGKILL");
      const areBack = async () => {
        const now = Object.values(supervisor().children).map(({ pid }) => pid);
        return now.length === gone.length && now.every((pid) => !gone.includes(pid)) && (await isHealthy());
      };
      await until(areBack, WAIT_MS, running.output);
    }
    expect(running.process.exitCode).toBeNull();
  });

  it.each(["supervisor", "launching script"])("of the %s ends the rest", async (which) => {
    const running = await start();
    const pids = [...Object.values(supervisor().children).map(({ pid }) => pid), workerdPid(), supervisor().pid];
    process.kill(which === "supervisor" ? supervisor().pid : (running.process.pid ?? 0), "SIGKILL");
    await until(() => pids.every((pid) => startTime(pid) === null), WAIT_MS, running.output);
    await until(() => isPortFree(port), WAIT_MS, running.output);
    expect(pids.filter((pid) => startTime(pid) !== null)).toEqual([]);
  });

  it("of everything except workerd leaves nothing that blocks the next start", async () => {
    const running = await start();
    const key = devKey();
    const [orphan, host, head] = [workerdPid(), pidOf("runtime"), supervisor().pid];
    // Stopped, it cannot notice that its supervisor is gone, nor end workerd.
    process.kill(host, "SIGSTOP");
    process.kill(head, "SIGKILL");
    process.kill(host, "SIGKILL");
    await until(() => startTime(host) === null, WAIT_MS, running.output);
    expect(startTime(orphan)).not.toBeNull();
    const next = await start();
    expect(startTime(orphan)).toBeNull();
    expect(next.output()).toContain("Otto is ready");
    expect(devKey()).toBe(key);
  });
});
