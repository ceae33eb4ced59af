/** The image, without a container: what the Dockerfile copies, laid out in a folder, and the program that it starts there. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob, posix } from "node:path";
import { afterEach, expect, it } from "vitest";
import { signEgressOrder } from "../../adapters/sidecar/token.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { readPackageList } from "../../scripts/packages/judge-packages.ts";
import { findUnusedPort } from "../mock-servers/listen.ts";
import { importsOf } from "../architecture/rules/syntax.ts";
import { copiedFiles, imageCommand, imageLines, layOutImage, readPackage, ROOT } from "./image.ts";

const SECRET = "s".repeat(32);
const folder = mkdtempSync(join(tmpdir(), "otto-image-"));
let program: ChildProcess | null = null;

afterEach(async () => {
  const running = program;
  program = null;
  if (running !== null && running.exitCode === null) {
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** What the code of the sidecar loads: its own files, others of the repository, and packages. */
function reached(): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set(copiedFiles().filter((path) => /^sidecar\/.*\.(ts|mjs)$/.test(path)));
  const packages = new Set<string>();
  // The set grows while it is walked through.
  for (const path of files) {
    const text = readFileSync(join(ROOT, path), "utf8");
    const located = Array.from(text.matchAll(/import\.meta\.resolve\("([^"]+)"\)/g), ([, name = ""]) => name);
    const loaded = importsOf({ path, text }).filter(({ typeOnly }) => !typeOnly);
    for (const specifier of [...located, ...loaded.map((one) => one.specifier)]) {
      if (specifier.startsWith("node:")) continue;
      if (specifier.startsWith(".")) files.add(posix.join(posix.dirname(path), specifier));
      // What is computed lies in a package that was located by its name.
      else if (specifier !== "" || located.length === 0) packages.add(packageOf(specifier));
    }
  }
  return { files, packages };
}

/** The name of the package that a specifier leads into; text that is no package's name when the specifier is computed. */
function packageOf(specifier: string): string {
  return /^(@[^/]+\/[^/]+|[^@/][^/]*)/.exec(specifier)?.[0] ?? "(computed)";
}

it("holds every file and every package that the code of the sidecar imports, and no further package", () => {
  const { files, packages } = reached();
  const copied = new Set(copiedFiles());
  expect([...files].filter((path) => !copied.has(path))).toEqual([]);
  const { dependencies = {} } = readPackage("sidecar/package.json");
  expect(Object.keys(dependencies).toSorted()).toEqual([...packages].toSorted());
});

it("has the versions of the packages that the tests run with", () => {
  const { dependencies = {} } = readPackage("sidecar/package.json");
  const ours = readPackage("package.json").dependencies ?? {};
  expect(Object.entries(dependencies).filter(([name, version]) => ours[name] !== version)).toEqual([]);
});

it("holds all that the sidecar needs to answer, and refuses what is not public", async () => {
  layOutImage(folder);
  const [command, ...args] = imageCommand();
  expect(command).toBe("node");
  const port = await findUnusedPort();
  program = spawn(process.execPath, ["--preserve-symlinks", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // Its own address is loopback here: the image listens where it is said to.
    env: { PATH: process.env["PATH"], SIDECAR_SECRET: SECRET, PORT: String(port), HOST: "127.0.0.1" },
  });
  let output = "";
  program.stderr?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    program?.stdout?.once("data", () => resolve());
    program?.once("exit", () => reject(new Error(output)));
  });
  const origin = `http://127.0.0.1:${port}`;
  const response = await fetch(`${origin}/health`);
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { ok: true, services: expect.arrayContaining(["egress"]) },
  ]);
  const order = {
    tenant: "ten_a",
    method: "GET",
    url: "http://127.0.0.1/",
    headers: [],
    timeoutMs: 5_000,
    maxBytes: 1_000,
    bodySha256: await sha256Hex(""),
  };
  const token = await signEgressOrder(SECRET, { ...order, portIsListed: false }, Date.now());
  const refused = await fetch(`${origin}/egress`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: "blocked_by_policy" }]);
});

it("is made of files that its context holds, may give each program a user of its own, and tells its health", () => {
  const patterns = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  const held = patterns.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const copied = copiedFiles();
  expect(copied).toContain("sidecar/server.ts");
  expect(copied.filter((path) => !held.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
  expect(patterns).toContain("*");
  expect(held.filter((pattern) => !/^(package(-lock)?\.json|(adapters|core|sidecar)\/.+)$/.test(pattern))).toEqual([]);
  expect(imageLines.filter((line) => line.startsWith("USER "))).toEqual([]);
  expect(imageLines.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
  expect(imageLines.find((line) => line.startsWith("ENV "))).toMatch(/HOST=0\.0\.0\.0 PORT=8788$/);
});

it("installs every package of the list, and what the cage and the documents need is in it", () => {
  const image = imageLines.join("\n");
  expect(image).toContain("COPY sidecar/packages.txt sidecar/packages.txt");
  expect(image).toContain('ENTRYPOINT ["tini", "--"]');
  const packages = readPackageList(readFileSync(join(ROOT, "sidecar/packages.txt"), "utf8"));
  const names = packages.map(({ name }) => name);
  const fonts = ["fonts-dejavu-core", "fonts-liberation", "fonts-noto-cjk"];
  expect(names).toEqual(expect.arrayContaining(["python3-docx", "python3-openpyxl", "ca-certificates", ...fonts]));
  const started = ["tini", "bwrap", "setpriv", "prlimit", "choom"];
  const used = ["python3", "pandoc", "rg", "git", "ssh", "curl"];
  expect(packages.flatMap(({ programs }) => programs)).toEqual(expect.arrayContaining([...started, ...used]));
  // As the shell of the build reads the list.
  const [, reading = ""] = /&& (sed .* awk '[^']*')/.exec(image) ?? [];
  const read = execFileSync("/bin/sh", ["-c", reading], { cwd: ROOT, encoding: "utf8" });
  expect(read.trim().split("\n")).toEqual(names);
});
