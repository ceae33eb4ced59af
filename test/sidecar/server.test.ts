/** The sidecar as a program: what it does and says when it starts. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { signMcpEnd } from "../../adapters/sidecar/token.ts";
import { findUnusedPort } from "../mock-servers/listen.ts";

const SERVER = fileURLToPath(new URL("../../sidecar/server.ts", import.meta.url));

let folder: string;
let program: ChildProcess | null = null;
let said = { stdout: "", stderr: "" };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-server-"));
  said = { stdout: "", stderr: "" };
});

afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

async function stop(): Promise<void> {
  if (program !== null && program.exitCode === null) {
    const ended = new Promise((resolve) => program?.once("exit", resolve));
    program.kill("SIGTERM");
    await ended;
  }
  said = { stdout: "", stderr: "" };
}

/** Starts it and waits until it listens; gives its address. */
async function start(env: Record<string, string>): Promise<string> {
  const port = await findUnusedPort();
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
  expect(said.stderr.trim().split("\n")).toEqual([expect.stringContaining("Programs are refused")]);
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

it("shows its secret in no environment once it listens, whether it came in a variable or in a file", async () => {
  const environment = () => readFileSync(`/proc/${program?.pid ?? 0}/environ`, "latin1");
  const secret = "s".repeat(32);
  await start({ LAST: "kept" });
  expect(environment()).toContain("LAST=kept");
  expect(environment()).not.toMatch(new RegExp(`${secret}|SIDECAR_SECRET`));
  await stop();
  const file = join(folder, "secret");
  writeFileSync(file, `${"f".repeat(32)}\n`);
  const url = await start({ SIDECAR_SECRET: "", SIDECAR_SECRET_FILE: file });
  const token = await signMcpEnd("f".repeat(32), { tenant: "t1", server: null }, Date.now());
  const ended = await fetch(`${url}/mcp`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
  expect(ended.status).toBe(200);
});

it.each([
  ["SIDECAR_SECRET_FILE", { SIDECAR_SECRET_FILE: "/nonexistent/secret" }],
  ["SIDECAR_SECRET", { SIDECAR_SECRET: "short" }],
  ["SIDECAR_MCP_PATHS", { SIDECAR_MCP_PATHS: "no/folder" }],
  ["OTTO_EGRESS_ALLOW", { OTTO_EGRESS_ALLOW: "no pair" }],
])("does not start with a wrong %s, and says so to its supervisor or in one line", async (name, env) => {
  for (const stdio of [["ignore", "pipe", "pipe", "ipc"] as const, ["ignore", "pipe", "pipe"] as const]) {
    let [words, told]: [string, unknown] = ["", null];
    const wrong = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SERVER], {
      env: { SIDECAR_SECRET: "s".repeat(32), SIDECAR_FOLDER: folder, ...env },
      stdio: [...stdio],
    });
    wrong.stderr?.on("data", (chunk: Buffer) => (words += chunk.toString()));
    wrong.on("message", (message) => (told = message));
    expect(await new Promise((resolve) => wrong.once("close", resolve))).toBe(1);
    const line = expect.stringMatching(new RegExp(`^${name}[^\n]+\\n?$`)) as string;
    expect([words, told]).toEqual(stdio.length === 4 ? ["", { type: "fatal", message: line }] : [line, null]);
  }
});
