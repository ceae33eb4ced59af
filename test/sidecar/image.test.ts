/** The image, without a container: what the Dockerfile copies, laid out in a folder, and the program that it starts there. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { freePorts } from "../../scripts/supervisor/ports.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const dockerfile = readFileSync(join(ROOT, "sidecar/Dockerfile"), "utf8");
/** The stage that becomes the image. */
const lines = dockerfile.slice(dockerfile.lastIndexOf("\nFROM ")).split("\n");

const folder = mkdtempSync(join(tmpdir(), "otto-image-"));
let program: ChildProcess | null = null;

afterEach(async () => {
  const running = program;
  program = null;
  if (running !== null) {
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Does what the COPY lines say; a package is linked, which the files of it cannot tell. */
function layOut(): string[] {
  const copied: string[] = [];
  for (const line of lines) {
    const [, stage, from = "", to = ""] = /^COPY (?:--from=(\S+) )?(\S+) (\S+)$/.exec(line) ?? [];
    if (from === "") continue;
    if (stage !== undefined) {
      const path = from.replace("/otto/", "");
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, to));
      continue;
    }
    for (const path of globSync(from, { cwd: ROOT })) {
      cpSync(join(ROOT, path), join(folder, path));
      copied.push(path);
    }
  }
  return copied;
}

it("holds all that the sidecar needs", async () => {
  layOut();
  const [, list = ""] = /^CMD (\[.*\])$/m.exec(lines.join("\n")) ?? [];
  const [command, ...args] = JSON.parse(list) as string[];
  expect(command).toBe("node");
  const [port = 0] = await freePorts(1);
  program = spawn(process.execPath, ["--preserve-symlinks", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // Its own address is loopback here: the image listens where it is said to.
    env: { SIDECAR_SECRET: "s".repeat(32), PORT: String(port), HOST: "127.0.0.1" },
  });
  let output = "";
  program.stderr?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    program?.stdout?.once("data", () => resolve());
    program?.once("exit", () => reject(new Error(output)));
  });
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  expect([response.status, await response.json()]).toEqual([200, { ok: true, services: ["egress"] }]);
});

it("is made of files that its context holds, runs as nobody in particular, and tells its health", () => {
  const held = readFileSync(join(ROOT, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const copied = layOut();
  expect(copied).toContain("sidecar/server.ts");
  expect(copied.filter((path) => !held.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
  expect(lines).toContain("USER node");
  expect(lines.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
  expect(lines.find((line) => line.startsWith("ENV "))).toMatch(/HOST=0\.0\.0\.0 PORT=8788$/);
});
