/**
 * Starts the program of a converter: in a cage without network and with nothing to see but itself where this machine can
 * build one, else as a plain process with an empty environment. Reading documents works either way: the programs are ours,
 * and only what they read is a stranger's.
 */
import { spawn } from "node:child_process";
import { access, readFile, realpath } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type CageLimits, type Mount, USUAL_LIMITS } from "../cage/cage.ts";
import { theCages } from "../cage/cages.ts";
import { startCaged } from "../cage/start-caged.ts";

/** What a process is started with. `dataBytes` bounds the private memory that it may map for writing. */
export interface ProgramStart {
  /** The program: a module of this repository that Node runs. */
  readonly script: URL;
  readonly nodeFlags: readonly string[];
  readonly dataBytes: number;
}

export interface Spawned {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process is gone. Never rejects. */
  readonly ended: Promise<unknown>;
  kill(): void;
}

/** Of the whole life of a process that reads one document after another. */
const OPEN_FILES = 64;
const CAGED_PROCESSES = 64;
const TMP_BYTES = 1024 ** 2;
const RESIDENT_BYTES = 512 * 1024 ** 2;
const LOOK_MS = 100;
const PAGE_BYTES = 4_096;
const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"];
const ROOT = new URL("../../", import.meta.url);
const CAGED_ROOT = "/otto";
/** What the programs import, of this repository and of packages. The native parts of liteparse and of Typst are packages beside them. */
const OWN = ["package.json", "core", "sidecar/documents"];
const PACKAGES = [
  "@bjorn3/browser_wasi_shim",
  "@llamaindex",
  "@myriaddreamin",
  "@resvg",
  "fflate",
  "pandoc-wasm",
  "saxen",
  "write-excel-file",
  "zod",
];
const NO_WARNINGS = "--disable-warning=ExperimentalWarning";

export async function startProgram(start: ProgramStart): Promise<Spawned> {
  return (await startInCage(start)) ?? (await startPlain(start));
}

/** Null: there are no cages here, or none is free. */
async function startInCage({ script, nodeFlags, dataBytes }: ProgramStart): Promise<Spawned | null> {
  const tools = await theCages().catch(() => null);
  const path = fileURLToPath(script);
  const root = fileURLToPath(ROOT);
  if (tools?.isolation.level !== "bubblewrap" || !path.startsWith(`${root}sidecar/documents/`)) return null;
  const limits: CageLimits = {
    ...USUAL_LIMITS,
    memoryBytes: dataBytes / 2,
    processes: CAGED_PROCESSES,
    openFiles: OPEN_FILES,
    fileBytes: TMP_BYTES,
    tmpBytes: TMP_BYTES,
  };
  const started = await startCaged(tools, {
    argv: ["node", NO_WARNINGS, ...nodeFlags, `${CAGED_ROOT}/${path.slice(root.length)}`],
    cwd: "/tmp",
    env: {},
    mounts: await (mounts ??= findMounts(root)),
    limits,
    network: null,
  });
  if (!started.ok) return null;
  const { value: caged } = started;
  const { stdin, stdout, stderr, ended } = caged;
  stderr.resume();
  return { stdin, stdout, ended, kill: () => void caged.kill("It is not needed any more.") };
}

let mounts: Promise<readonly Mount[]> | undefined;

async function findMounts(root: string): Promise<readonly Mount[]> {
  const places = [...OWN, ...PACKAGES.map((name) => `node_modules/${name}`)];
  const found = await Promise.all(
    places.map(async (place) => {
      // A package that is missing is missed by the program, not by the cage.
      const from = await realpath(root + place).catch(() => null);
      return from === null ? [] : [{ from, at: `${CAGED_ROOT}/${place}`, writable: false }];
    }),
  );
  return found.flat();
}

let prlimit: Promise<string | null> | undefined;

/** Where util-linux's `prlimit` stands; null: the process gets no limits of the system, only those of Node and of the clock. */
async function findPrlimit(): Promise<string | null> {
  for (const path of PRLIMIT) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

async function startPlain({ script, nodeFlags, dataBytes }: ProgramStart): Promise<Spawned> {
  const limiter = await (prlimit ??= findPrlimit());
  const node = [process.execPath, NO_WARNINGS, ...nodeFlags, fileURLToPath(script)];
  const limits = ["--core=0", "--fsize=0", `--nofile=${OPEN_FILES}`, `--data=${dataBytes}`];
  const [program = "", ...args] = limiter === null ? node : [limiter, ...limits, ...node];
  const child = spawn(program, args, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"], detached: true });
  // What waits in a pool must not keep the sidecar alive.
  child.unref();
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
    child.once("error", resolve);
  });
  const watch = setInterval(() => void endIfTooLarge(child.pid), LOOK_MS).unref();
  void ended.then(() => clearInterval(watch));
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: () => killGroup(child.pid) };
}

/** The system bounds what a process reserves; what it has in use is looked at, as the cage does for those that are in one. */
async function endIfTooLarge(pid: number | undefined): Promise<void> {
  const sizes = await readFile(`/proc/${pid}/statm`, "latin1").catch(() => "");
  if (Number(sizes.split(" ")[1] ?? 0) * PAGE_BYTES > RESIDENT_BYTES) killGroup(pid);
}

/** It leads a group of its own, so whatever it started ends with it. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
