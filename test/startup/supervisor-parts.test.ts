import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openLog } from "../../scripts/supervisor/capped-log.ts";
import { restartDelayMs } from "../../scripts/supervisor/child.ts";
import { takeLock } from "../../scripts/supervisor/exclusive-lock.ts";
import { hashFiles } from "../../scripts/supervisor/hash-files.ts";
import { endGroup, isAlive, startTime, waitForEnd } from "../../scripts/supervisor/processes.ts";
import { childEnv, workerVars } from "../../scripts/supervisor/worker-vars.ts";

const folder = mkdtempSync(join(tmpdir(), "otto-parts-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the state of source files", () => {
  it("is the same however their root is written, and another when a file changes its path or its text", () => {
    const root = mkdtempSync(join(folder, "sources-"));
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src", "a.ts"), "1");
    const first = hashFiles(root, ["src", "gone.json"]);
    expect(hashFiles(`${root}/`, ["src", "gone.json"])).toBe(first);
    renameSync(join(root, "src", "a.ts"), join(root, "src", "b.ts"));
    const moved = hashFiles(root, ["src"]);
    writeFileSync(join(root, "src", "b.ts"), "2");
    expect(new Set([first, moved, hashFiles(root, ["src"])]).size).toBe(3);
  });
});

describe("the exclusive lock", () => {
  const path = join(folder, "lock");

  it("is held by one, until it is released", () => {
    const lock = takeLock(path);
    expect(lock).not.toBeNull();
    expect(takeLock(path)).toBeNull();
    lock?.release();
    const again = takeLock(path);
    expect(again).not.toBeNull();
    again?.release();
  });

  it("is let go when its holder is killed", async () => {
    const module = new URL("../../scripts/supervisor/exclusive-lock.ts", import.meta.url).href;
    const code = `const { takeLock } = await import(${JSON.stringify(module)}); takeLock(${JSON.stringify(path)}); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    expect(takeLock(path)).toBeNull();
    const ended = new Promise((resolve) => holder.once("exit", resolve));
    holder.kill("SIGKILL");
    await ended;
    const lock = takeLock(path);
    expect(lock).not.toBeNull();
    lock?.release();
  });
});

describe("a recorded process", () => {
  const sleeper = () => spawn("sleep", ["60"], { detached: true, stdio: "ignore" });

  it("is distinguished from another one with its id", async () => {
    const child = sleeper();
    const pid = child.pid ?? 0;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const recorded = { pid, started: startTime(pid) ?? "" };
    expect(isAlive(recorded)).toBe(true);
    endGroup({ pid, started: recorded.started.replace(/\d+$/, "1") });
    endGroup({ pid, started: `another-boot${recorded.started.slice(recorded.started.lastIndexOf(":"))}` });
    expect(isAlive(recorded)).toBe(true);
    endGroup(recorded);
    await ended;
    expect(await waitForEnd(recorded, 10_000)).toBe(true);
  });

  it("takes those of its group with it, also when it is gone itself", async () => {
    const leader = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const member = Number(
      await new Promise((resolve) => leader.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))),
    );
    const recorded = { pid: leader.pid ?? 0, started: startTime(leader.pid ?? 0) ?? "" };
    const ended = new Promise((resolve) => leader.once("exit", resolve));
    leader.kill("SIGKILL");
    await ended;
    expect(startTime(member)).not.toBeNull();
    const left = { pid: member, started: startTime(member) ?? "" };
    endGroup(recorded);
    expect(await waitForEnd(left, 10_000)).toBe(true);
  });
});

describe("the delay before a restart", () => {
  it("is short at first, grows, and stays under a second for a child that has worked", () => {
    expect([1, 2, 3, 4, 5, 6, 50].map((deaths) => restartDelayMs(deaths, true))).toEqual([
      50, 100, 200, 400, 800, 800, 800,
    ]);
    expect(restartDelayMs(50, false)).toBe(5_000);
  });
});

describe("a capped log", () => {
  it("retains the last two files' worth", () => {
    const path = join(folder, "some.log");
    const log = openLog(path, 1_000);
    for (let i = 0; i < 100; i += 1) log.write(`${String(i).padStart(99, "0")}\n`);
    log.close();
    expect(existsSync(`${path}.1`)).toBe(true);
    expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThan(2_300);
    expect(readFileSync(path, "utf8").endsWith("99\n")).toBe(true);
  });
});

describe("the Worker's variables", () => {
  const decided = {
    databaseUrl: "postgres://otto_app:x@database.localhost/otto",
    databaseEndpoint: "http://127.0.0.1:1/sql",
    sidecarUrl: "http://127.0.0.1:2",
    sidecarSecret: "s",
    secretKey: "k",
    operatorKey: "otto_operator_x",
    demoApps: null,
  };

  it("are the user's for outside services and limits, without empty ones and without anything else", () => {
    const vars = workerVars(
      {
        OPENAI_BASE_URL: "http://model",
        OPENAI_API_KEY: "",
        OTTO_MODEL: "m",
        OTTO_STATE: "/state",
        SEARCH_API_KEY: "s",
        MAX_PARALLEL_TOOL_CALLS: "3",
        AWS_SECRET_ACCESS_KEY: "no",
        HOME: "/root",
        DATABASE_URL: "postgres://owner:secret@db/otto",
      },
      decided,
    );
    expect(vars).toMatchObject({
      OPENAI_BASE_URL: "http://model",
      OTTO_MODEL: "m",
      SEARCH_API_KEY: "s",
      MAX_PARALLEL_TOOL_CALLS: "3",
    });
    expect(vars).toMatchObject({ OTTO_MODE: "local", DATABASE_URL: decided.databaseUrl });
    expect(vars["OTTO_OPERATOR_KEY_HASH"]).toMatch(/^[0-9a-f]{64}$/);
    for (const name of ["OPENAI_API_KEY", "OTTO_STATE", "AWS_SECRET_ACCESS_KEY", "HOME"])
      expect(vars).not.toHaveProperty(name);
  });

  it("name the demo apps if they run, and never call a real provider a demo", () => {
    const demoApps = { url: "http://127.0.0.1:3", apiKey: "d", egressAllow: "127.0.0.1:3" };
    expect(workerVars({ COMPOSIO_BASE_URL: "http://other" }, { ...decided, demoApps })).toMatchObject({
      OTTO_DEMO_APPS: "yes",
      COMPOSIO_BASE_URL: demoApps.url,
      COMPOSIO_API_KEY: demoApps.apiKey,
      OTTO_EGRESS_ALLOW: demoApps.egressAllow,
    });
    const own = workerVars({ OTTO_DEMO_APPS: "yes", COMPOSIO_API_KEY: "real" }, decided);
    expect(own).toMatchObject({ COMPOSIO_API_KEY: "real" });
    // Production refuses the variable.
    expect(own).not.toHaveProperty("OTTO_DEMO_APPS");
  });

  it("do not reach a child's environment by themselves", () => {
    const env = childEnv({ PATH: "/bin", OPENAI_API_KEY: "secret", DATABASE_URL: "secret" }, { PORT: "1" });
    expect(env).toEqual({ PATH: "/bin", PORT: "1" });
  });
});
