/**
 * Starts the program of a converter, in a cage of its own like every program that meets a stranger's bytes: an own user, no
 * capability, no network, nothing to see but itself. Where no cage can be had, it is not started.
 */
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { failed, type Failure, ok, type Result } from "../../core/base/errors.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { type CageLimits, type Mount, USUAL_LIMITS } from "../cage/cage.ts";
import { theCages } from "../cage/cages.ts";
import { orRefuse } from "../cage/failures.ts";
import { startCaged } from "../cage/start-caged.ts";
import { type Death, judgeDeath, NOT_NEEDED } from "./death.ts";

/** What a process is started with. */
export interface ProgramStart {
  /** The program: a module of this repository that Node runs. */
  readonly script: URL;
  readonly nodeFlags: readonly string[];
  /** Bounds the private memory that it may map for writing; it may use half of that. */
  readonly dataBytes: number;
  /** What its engine has of that for a document, in 1,000,000 bytes, as the failure of a document that needs more says. */
  readonly memoryMb: number;
}

export interface Spawned {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process is gone. Never rejects. */
  readonly ended: Promise<Death>;
  kill(): void;
}

/** Of the whole life of a process that reads one document after another. */
const OPEN_FILES = 64;
const PROCESSES = 64;
const TMP_BYTES = 1024 ** 2;
const LAST_WORDS_CHARACTERS = 16 * 1024;
/** All processes that could write are gone by then. */
const LAST_WORDS_MS = 1_000;
const ROOT = new URL("../..", import.meta.url);
const CAGED_ROOT = "/otto";
/** What the programs import, of this repository and of packages. The native parts of liteparse and of Typst are packages beside them. */
const DOCUMENTS = "sidecar/documents";
const OWN = ["package.json", "core", DOCUMENTS];
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

/** Failures: `not_available` (nothing can be shut in here), `rate_limited` (every user for programs is taken). */
export async function startProgram({ script, nodeFlags, dataBytes, memoryMb }: ProgramStart): Promise<Result<Spawned>> {
  const cages = await orRefuse(theCages, "Documents are not read or made here now, because nothing can be shut in");
  if (!cages.ok) return cages;
  const tools = cages.value;
  const root = fileURLToPath(ROOT);
  const path = fileURLToPath(script).slice(root.length);
  const started = await startCaged(tools, {
    argv: ["node", NO_WARNINGS, ...nodeFlags, `${CAGED_ROOT}/${path}`],
    cwd: "/tmp",
    env: {},
    mounts: await mountsFor(root, path),
    limits: limitsOf(dataBytes),
    network: null,
  });
  if (!started.ok) return refused(started.error);
  const { value: caged } = started;
  const { stdin, stdout } = caged;
  const lastWords = tailOf(caged.stderr);
  const ended = caged.ended.then(async (end) => judgeDeath(end, await lastWords(), memoryMb));
  return ok({ stdin, stdout, ended, kill: () => void caged.kill(NOT_NEEDED) });
}

/** The end of what a stream said, once it is read. */
function tailOf(stream: Readable): () => Promise<string> {
  let kept = "";
  stream.on("data", (chunk: Buffer) => {
    kept = (kept + chunk.toString("latin1")).slice(-LAST_WORDS_CHARACTERS);
  });
  const isRead = finished(stream).catch(() => undefined);
  return async () => {
    await awaitWithin(globalThis, LAST_WORDS_MS, isRead, undefined);
    return kept;
  };
}

function refused(failure: Failure): Result<never> {
  const { code, message } = failure;
  if (code === "rate_limited") return { ok: false, error: { ...failure, message: `${message} Try again later.` } };
  return failed("not_available", `Documents are not read or made here: ${message}`);
}

function limitsOf(dataBytes: number): CageLimits {
  return {
    ...USUAL_LIMITS,
    memoryBytes: dataBytes / 2,
    processes: PROCESSES,
    openFiles: OPEN_FILES,
    fileBytes: TMP_BYTES,
    tmpBytes: TMP_BYTES,
  };
}

let mounts: Promise<readonly Mount[]> | undefined;

/** `path` is the program's, below `root`. A program of a test has its own folder beside those of the converters. */
async function mountsFor(root: string, path: string): Promise<readonly Mount[]> {
  const usual = await (mounts ??= findMounts(root, [...OWN, ...PACKAGES.map((name) => `node_modules/${name}`)]));
  return path.startsWith(`${DOCUMENTS}/`) ? usual : [...usual, ...(await findMounts(root, [dirname(path)]))];
}

async function findMounts(root: string, places: readonly string[]): Promise<readonly Mount[]> {
  const found = await Promise.all(
    places.map(async (place) => {
      // A package that is missing is missed by the program, not by the cage.
      const from = await realpath(root + place).catch(() => null);
      return from === null ? [] : [{ from, at: `${CAGED_ROOT}/${place}`, writable: false }];
    }),
  );
  return found.flat();
}
