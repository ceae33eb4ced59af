/**
 * Starts a converter's program in a cage, like every program that processes untrusted bytes: as a separate user, without capabilities and
 * network, seeing only its own files. Without isolation it is refused.
 */
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { failed, type Failure, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { type CageLimits, type Mount, DEFAULT_LIMITS } from "../cage/cage.ts";
import { getCages } from "../cage/cages.ts";
import { openOrRefuse } from "../cage/failures.ts";
import { CAGED_ROOT, findOwnMounts } from "../cage/own-mounts.ts";
import { startCaged } from "../cage/start-caged.ts";
import { type Death, classifyDeath, NO_LONGER_NEEDED } from "./death.ts";

/** How to start a process. */
export interface ProgramStart {
  /** A module of this repository that Node runs. */
  readonly script: URL;
  readonly nodeFlags: readonly string[];
  /** The packages that it imports; absent: those of the converters. */
  readonly packages?: readonly string[];
  /** Limits its private writable mappings. It may use half of that. */
  readonly dataBytes: number;
  /** Memory of its engine for a document, in 1,000,000 bytes, for failure messages. */
  readonly memoryMb: number;
}

export interface Spawned {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<Death>;
  kill(): void;
}

/** Limits the whole life of a process, which may read many documents. */
const OPEN_FILES = 64;
const PROCESSES = 64;
const TMP_BYTES = 1024 ** 2;
const STDERR_TAIL_CHARACTERS = 16 * 1024;
/** Enough time to read the rest after all writers have ended. */
const STDERR_TAIL_MS = 1_000;
const ROOT = new URL("../../", import.meta.url);
/** What the programs import from this repository and from packages. Scopes include the native packages of liteparse and Typst. */
const DOCUMENTS = "sidecar/documents";
const OWN_PATHS = ["package.json", "core", DOCUMENTS];
const PACKAGES = [
  "@bjorn3/browser_wasi_shim",
  "@expo-google-fonts",
  "@llamaindex",
  "@mozilla",
  "@myriaddreamin",
  "@resvg",
  "@xmldom",
  "dom-serializer",
  "domelementtype",
  "domhandler",
  "domutils",
  "entities",
  "exifreader",
  "fflate",
  "htmlparser2",
  "pandoc-wasm",
  "postal-mime",
  "saxen",
  "write-excel-file",
  "zod",
];
const NO_WARNINGS = "--disable-warning=ExperimentalWarning";

/** Failures: `not_available` (programs cannot be isolated here), `rate_limited` (every program user is taken). */
export async function startProgram(start: ProgramStart): Promise<Result<Spawned>> {
  const { script, nodeFlags, dataBytes, memoryMb, packages = PACKAGES } = start;
  const cages = await openOrRefuse(
    getCages,
    "Documents cannot be processed now, because converters cannot be isolated",
  );
  if (!cages.ok) return cages;
  const tools = cages.value;
  const root = fileURLToPath(ROOT);
  const path = fileURLToPath(script).slice(root.length);
  const started = await startCaged(tools, {
    argv: ["node", NO_WARNINGS, ...nodeFlags, `${CAGED_ROOT}/${path}`],
    cwd: "/tmp",
    env: {},
    mounts: await getMounts(root, path, packages),
    limits: buildLimits(dataBytes),
    network: null,
  });
  if (!started.ok) return refuseStart(started.error);
  const { value: caged } = started;
  const { stdin, stdout } = caged;
  const stderrTail = readTail(caged.stderr);
  const ended = caged.ended.then(async (end) => classifyDeath(end, await stderrTail(), memoryMb));
  return ok({ stdin, stdout, ended, kill: () => void caged.kill(NO_LONGER_NEEDED) });
}

/** Returns the end of a stream once it is read. */
function readTail(stream: Readable): () => Promise<string> {
  let tail = "";
  stream.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString("latin1")).slice(-STDERR_TAIL_CHARACTERS);
  });
  const isRead = finished(stream).catch(() => undefined);
  return async () => {
    await awaitWithin(globalThis, STDERR_TAIL_MS, isRead, undefined);
    return tail;
  };
}

function refuseStart(failure: Failure): Result<never> {
  const { code, message } = failure;
  if (code === "rate_limited") return { ok: false, error: { ...failure, message: `${message} Try again later.` } };
  return failed("not_available", `Documents cannot be read or made here: ${message}`);
}

function buildLimits(dataBytes: number): CageLimits {
  return {
    ...DEFAULT_LIMITS,
    memoryBytes: dataBytes / 2,
    processes: PROCESSES,
    openFiles: OPEN_FILES,
    fileBytes: TMP_BYTES,
    tmpBytes: TMP_BYTES,
  };
}

const mounts = new Map<readonly string[], Promise<readonly Mount[]>>();

/** `path` is the program's path below `root`. A test's program also gets its own folder. */
async function getMounts(root: string, path: string, packages: readonly string[]): Promise<readonly Mount[]> {
  const known = mounts.get(packages);
  const found = known ?? findOwnMounts(root, [...OWN_PATHS, ...packages.map((name) => `node_modules/${name}`)]);
  mounts.set(packages, found);
  const usual = await found;
  return path.startsWith(`${DOCUMENTS}/`) ? usual : [...usual, ...(await findOwnMounts(root, [dirname(path)]))];
}
