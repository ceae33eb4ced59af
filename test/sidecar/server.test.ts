/** The sidecar as a program: what it does and says when it starts. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { freePorts } from "../../scripts/supervisor/ports.ts";

const SERVER = fileURLToPath(new URL("../../sidecar/server.ts", import.meta.url));

let folder: string;
let program: ChildProcess | null = null;
let said = { stdout: "", stderr: "" };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-server-"));
  said = { stdout: "", stderr: "" };
});

afterEach(async () => {
  if (program !== null && program.exitCode === null) {
    const ended = new Promise((resolve) => program?.once("exit", resolve));
    program.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true });
});

/** Starts it and waits until it listens; gives its address. */
async function start(env: Record<string, string>): Promise<string> {
  const [port = 0] = await freePorts(1);
  program = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SERVER], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      SIDECAR_SECRET: "s".repeat(32),
      PORT: String(port),
      SIDECAR_FOLDER: folder,
      ...env,
    },
  });
  for (const stream of ["stdout", "stderr"] as const) {
    program[stream]?.on("data", (chunk: Buffer) => {
      said[stream] += chunk.toString();
    });
  }
  await vi.waitFor(() => expect(said.stdout, said.stderr).toContain("sidecar on"), { timeout: 15_000 });
  return `http://127.0.0.1:${port}`;
}

it("says in one line that programs are refused, and in its health", async () => {
  const url = await start({ OTTO_SCRIPT_ISOLATION: "prayer" });
  await vi.waitFor(() => expect(said.stderr).toContain("\n"), { timeout: 15_000 });
  expect(said.stderr.trim().split("\n")).toEqual([expect.stringContaining("Programs do not run here")]);
  const health = await (await fetch(`${url}/health`)).json();
  expect(health).toMatchObject({
    ok: true,
    isolation: { level: "none" },
    services: expect.arrayContaining(["egress"]),
  });
});

it("removes the folders of the jobs that its predecessor died with, and nothing beside them", async () => {
  mkdirSync(join(folder, "jobs/job-of-the-dead/in"), { recursive: true });
  writeFileSync(join(folder, "jobs/job-of-the-dead/in/letter.txt"), "a tenant's");
  writeFileSync(join(folder, "kept"), "");
  await start({});
  expect(existsSync(join(folder, "jobs/job-of-the-dead"))).toBe(false);
  expect(existsSync(join(folder, "kept"))).toBe(true);
});

it("does not start without a secret that is long enough", async () => {
  const short = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SERVER], {
    env: { SIDECAR_SECRET: "short", SIDECAR_FOLDER: folder },
    stdio: "ignore",
  });
  expect(await new Promise((resolve) => short.once("exit", resolve))).toBe(1);
});
