/** The Debian packages of a machine: what is judged to be missing, and what is done about it with apt-get played by a mock server. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  explainApt,
  missingPackages,
  readPackageList,
  type SystemPackage,
} from "../../scripts/packages/judge-packages.ts";
import { keepPackages, type PackageOptions, packageLists } from "../../scripts/packages/keep-packages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOCK_PROGRAM = fileURLToPath(new URL("../mock-servers/apt.mjs", import.meta.url));
const LIST = `# a comment

cage-maker   all    cage        # running programs
tongue       all    speak hear  # talking
letters      all                # printing
heavy        image  lift        # lifting
`;

interface Call {
  readonly part: "update" | "fetch" | "unpack";
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
}
interface End {
  readonly exitCode?: number;
  readonly output?: string;
  readonly hangs?: boolean;
}

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-packages-"));
  mkdirSync(join(folder, "bin"));
  said = [];
  writeFileSync(join(folder, "list.txt"), LIST);
  writeFileSync(join(folder, "calls.jsonl"), "");
  installed("cage-maker");
  plan({});
  copyFileSync(MOCK_PROGRAM, join(folder, "bin/apt.mjs"));
  chmodSync(join(folder, "bin/apt.mjs"), 0o755);
  for (const name of ["apt-get", "dpkg-query"]) writeFileSync(join(folder, "bin", name), runner(name), { mode: 0o755 });
});

afterEach(() => {
  for (const { pid } of calls()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended without a kill, as nearly all do.
    }
  }
  rmSync(folder, { recursive: true });
});

/** The mock server under a name of its own, so that it knows what it plays. */
function runner(name: string): string {
  const alias = join(folder, "alias", name);
  mkdirSync(dirname(alias), { recursive: true });
  symlinkSync(join(folder, "bin/apt.mjs"), alias);
  return `#!/bin/sh\nexec ${process.execPath} --preserve-symlinks-main ${alias} "$@"\n`;
}

const plan = (ends: Partial<Record<Call["part"], readonly End[]>>): void =>
  writeFileSync(join(folder, "plan.json"), JSON.stringify(ends));
const installed = (...names: string[]): void => writeFileSync(join(folder, "installed"), names.join("\n"));
const calls = (): Call[] =>
  readFileSync(join(folder, "calls.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Call);
const listCalls = (): string[] => calls().map(({ part, names }) => [part, ...names].join(" "));

async function keep(more: Partial<PackageOptions> = {}): Promise<string[]> {
  const left = await keepPackages({
    lists: [join(folder, "list.txt")],
    env: { PATH: join(folder, "bin"), APT_MOCK_FOLDER: folder },
    isRoot: true,
    mayInstall: true,
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    limits: { fetchMs: 30_000, unpackMs: 30_000, lockSeconds: 7, sayEveryMs: 20_000 },
    ...more,
  });
  return left.map(({ name }) => name);
}

describe("a package list", () => {
  it("is a package a line, with where it belongs, its programs and what it is for", () => {
    expect(readPackageList(LIST).slice(1, 3)).toEqual([
      { name: "tongue", where: "all", programs: ["speak", "hear"], why: "talking" },
      { name: "letters", where: "all", programs: [], why: "printing" },
    ]);
  });

  it.each(["cage all cage", "cage here # why", "--force all # why", "cage; rm all # why"])("has no line %j", (line) => {
    expect(() => readPackageList(line)).toThrow("not a line of a package list");
  });

  it("is what the project's own lists are", () => {
    const packages = packageLists(ROOT).test.flatMap((path) => readPackageList(readFileSync(path, "utf8")));
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["bubblewrap", "python3-docx", "pandoc", "poppler-utils"]));
    expect(new Set(names).size).toBe(names.length);
  });
});

it("is judged by programs alone where there is no record of packages", () => {
  const some = readPackageList(LIST) as readonly SystemPackage[];
  const names = missingPackages(some, { by: "programs", programs: new Set(["cage", "speak"]) }).map(({ name }) => name);
  expect(names).toEqual(["tongue", "heavy"]);
});

it.each([
  ["E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)", "another program is installing"],
  ["Err:1 http://deb.example x\n  Temporary failure resolving 'deb.example'", "the package server does not answer"],
  ["E: You don't have enough free space in /var/cache/apt/archives/.", "the disk is full"],
  ["E: dpkg was interrupted, run dpkg\nmore", 'apt-get says "dpkg was interrupted, run dpkg"'],
  ["", "apt-get failed"],
])("apt-get's output %j is summarised", (words, expected) => {
  expect(explainApt(words)).toContain(expected);
});

describe("as root on Debian", () => {
  it("what is missing is installed, and nothing can ask a question", async () => {
    expect(await keep()).toEqual([]);
    expect(listCalls()).toEqual(["fetch tongue letters", "unpack tongue letters"]);
    for (const { words, env } of calls()) {
      expect(words).toEqual(expect.arrayContaining(["--assume-yes", "--option=DPkg::Lock::Timeout=7"]));
      expect(env).toEqual({ DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" });
    }
    expect(said).toEqual(["Installing system packages: tongue, letters …", "Installed."]);
  });

  it("nothing is printed or requested when all packages are installed", async () => {
    installed("cage-maker", "tongue", "letters");
    expect(await keep()).toEqual([]);
    expect([listCalls(), said]).toEqual([[], []]);
  });

  it("the lists of packages are fetched when they are missing", async () => {
    plan({ fetch: [{ exitCode: 100, output: "E: Unable to locate package tongue\n" }, {}] });
    expect(await keep()).toEqual([]);
    expect(listCalls().map((line) => line.split(" ")[0])).toEqual(["fetch", "update", "fetch", "unpack"]);
  });

  it("the others are installed when the machine's release has one of them not", async () => {
    const unknown = { exitCode: 100, output: "E: Unable to locate package letters\n" };
    plan({ fetch: [unknown, unknown, {}] });
    expect(await keep()).toEqual(["letters"]);
    expect(listCalls().at(-1)).toBe("unpack tongue");
    expect(said.join("\n")).toContain("package lists have no letters");
  });

  it("a server that does not answer is the reported cause, although apt-get then knows no package", async () => {
    const unknown = "E: Unable to locate package tongue\nE: Unable to locate package letters\n";
    plan({
      fetch: [{ exitCode: 100, output: unknown }],
      update: [{ output: "W: Failed to fetch http://deb.example/x  Could not connect to deb.example:80\n" }],
    });
    expect(await keep()).toEqual(["tongue", "letters"]);
    expect(said[1]).toContain("the package server does not answer");
  });

  it.each([
    ["without a network", { fetch: [{ exitCode: 100, output: "Err:1 x\n  Could not resolve 'deb.example'\n" }] }],
    ["when another program holds the lock", { unpack: [{ exitCode: 100, output: "E: Could not get lock /x\n" }] }],
    ["when dpkg fails", { unpack: [{ exitCode: 100, output: "E: Sub-process /usr/bin/dpkg returned an error\n" }] }],
  ])("what is omitted is reported, and that everything else continues, %s", async (_case, ends) => {
    plan(ends);
    expect(await keep()).toEqual(["tongue", "letters"]);
    expect(said.slice(2)).toEqual([
      "!   tongue   talking",
      "!   letters  printing",
      "! To install them on Debian or Ubuntu, as root: apt-get install --no-install-recommends tongue letters",
      "! The next start tries again. OTTO_INSTALL_PACKAGES=no keeps it from that.",
    ]);
    expect(said[1]).toMatch(/^! System packages are missing: .+\. Otto runs without these features:$/);
  });

  it("a download that hangs is ended when its time is up", async () => {
    plan({ fetch: [{ hangs: true }] });
    const limits = { fetchMs: 1_500, unpackMs: 1_500, lockSeconds: 1, sayEveryMs: 400 };
    expect(await keep({ limits })).toEqual(["tongue", "letters"]);
    expect(said.join("\n")).toContain("installing them took too long");
    expect(said.some((line) => line.startsWith("  … "))).toBe(true);
    await vi.waitFor(() => expect(isThere(calls()[0]?.pid ?? 0)).toBe(false), { timeout: 10_000 });
  });

  it("what dpkg has begun is not cut off, and not waited for without end", async () => {
    plan({ unpack: [{ hangs: true }] });
    const limits = { fetchMs: 30_000, unpackMs: 500, lockSeconds: 1, sayEveryMs: 20_000 };
    expect(await keep({ limits })).toEqual(["tongue", "letters"]);
    await vi.waitFor(() => expect(listCalls()[1]).toBe("unpack tongue letters"), { timeout: 30_000 });
    expect(isThere(calls()[1]?.pid ?? 0)).toBe(true);
  });

  it("a person who cancels does not have to wait", async () => {
    plan({ fetch: [{ hangs: true }] });
    const stop = new AbortController();
    const supervised = keep({ signal: stop.signal });
    await vi.waitFor(() => expect(listCalls()).toHaveLength(1), { timeout: 20_000 });
    stop.abort();
    expect(await supervised).toEqual(["tongue", "letters"]);
    expect(said[1]).toContain("the installation was broken off");
  });
});

describe("elsewhere", () => {
  it("without root nothing is installed, and what is missing is named", async () => {
    expect(await keep({ isRoot: false })).toEqual(["tongue", "letters"]);
    expect(listCalls()).toEqual([]);
    expect(said.join("\n")).not.toContain("tries again");
    expect(said[0]).toContain("installing them takes root");
  });

  it("nothing is installed where the person does not want it", async () => {
    expect(await keep({ mayInstall: false })).toEqual(["tongue", "letters"]);
    expect(listCalls()).toEqual([]);
  });

  it("without apt-get programs are looked for, and missing ones named", async () => {
    mkdirSync(join(folder, "other"));
    for (const name of ["cage", "hear"]) writeFileSync(join(folder, "other", name), "", { mode: 0o755 });
    expect(await keep({ env: { PATH: join(folder, "other") } })).toEqual(["tongue"]);
    expect(said[0]).toContain("this machine has no apt-get");
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== 0 && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
