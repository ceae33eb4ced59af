/** Runs the process that reads a codebase, in a cage without a network, and checks what it wrote. */
import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { type CodeFacts, codeFactsSchema } from "../../core/codebases/indexed-file.ts";
import { DEFAULT_LIMITS } from "../cage/cage.ts";
import { RETRY_SOON } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import { readOutput } from "../cage/output.ts";
import { CAGED_ROOT, findOwnMounts } from "../cage/own-mounts.ts";
import { type CageTools, startCaged } from "../cage/start-caged.ts";
import { WORK_BYTES, WORK_FILES } from "./clone.ts";
import { FACTS, PARTS, QUESTION, type ReadQuestion, REPOSITORY, WORK } from "./places.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CHILD = fileURLToPath(new URL("read-child.ts", import.meta.url)).slice(ROOT.length);
const OWN_PATHS = ["package.json", "core", "sidecar/code"];
const PACKAGES = ["zod", "web-tree-sitter", "@vscode/tree-sitter-wasm"];
const NODE_FLAGS = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=600"];
const MAX_OUTPUT_BYTES = 16 * 1024;
/** Of one part: the lines of a file of 1 MB, and what was in the part before. */
const MAX_PART_BYTES = 16 * 1024 ** 2;
const MAX_PARTS = 2_000;
const MAX_FACTS_BYTES = 32 * 1024 ** 2;

const refusalSchema = z.strictObject({ code: z.enum(["invalid_input", "too_large"]), message: z.string().max(1_000) });

/** `parts` are names of files in the folder, in order. */
export interface CagedReading {
  readonly facts: CodeFacts;
  readonly parts: readonly string[];
}

export interface ReadRequest {
  /** Mounted as the work folder: the source, and what the process writes. */
  readonly folder: string;
  readonly question: Omit<ReadQuestion, "withSymbols">;
  /** Milliseconds that are left. */
  readonly leftMs: () => number;
  readonly signal: AbortSignal;
}

/** A file on which the parser ends the process costs the symbols of all files, not the index: it runs again without the parser. */
export async function readCaged(tools: CageTools, request: ReadRequest): Promise<Result<CagedReading>> {
  const first = await runOnce(tools, request, true);
  if (first.kind !== "died") return first.kind === "read" ? await check(request.folder) : first.failure;
  await removeTree(join(request.folder, PARTS));
  if (request.question.source === "zip") await removeTree(join(request.folder, REPOSITORY));
  const second = await runOnce(tools, request, false);
  if (second.kind === "read") return await check(request.folder);
  if (second.kind === "refused") return second.failure;
  return failed("too_large", `The codebase cannot be read: ${second.why}`);
}

type RunEnd =
  | { readonly kind: "read" }
  | { readonly kind: "refused"; readonly failure: Extract<Result<never>, { ok: false }> }
  | { readonly kind: "died"; readonly why: string };

async function runOnce(tools: CageTools, request: ReadRequest, withSymbols: boolean): Promise<RunEnd> {
  const { folder, question, leftMs, signal } = request;
  await writeFile(join(folder, QUESTION), JSON.stringify({ ...question, withSymbols } satisfies ReadQuestion));
  const started = await startCaged(tools, {
    argv: ["node", ...NODE_FLAGS, `${CAGED_ROOT}/${CHILD}`],
    cwd: WORK,
    env: {},
    mounts: [
      { from: folder, at: WORK, writable: true },
      ...(await findOwnMounts(ROOT, [...OWN_PATHS, ...PACKAGES.map((name) => `node_modules/${name}`)])),
    ],
    limits: { ...DEFAULT_LIMITS, wallMs: Math.max(1, leftMs()), workBytes: WORK_BYTES, workFiles: WORK_FILES },
    network: null,
    stdin: "empty",
  });
  if (!started.ok) return { kind: "refused", failure: started };
  const caged = started.value;
  const cancel = (): void => void caged.kill("It was cancelled.");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const [, error, end] = await Promise.all([
    readOutput(caged.stdout, MAX_OUTPUT_BYTES),
    readOutput(caged.stderr, MAX_OUTPUT_BYTES),
    caged.ended,
  ]);
  signal.removeEventListener("abort", cancel);
  if (end.timedOut || signal.aborted)
    return { kind: "refused", failure: failed("timeout", "The codebase was not read within its time limit.") };
  if (end.exitCode === 0) return { kind: "read" };
  if (end.endedFromOutside)
    return {
      kind: "refused",
      failure: failed("upstream_failed", "Something outside ended the process that read the codebase.", RETRY_SOON),
    };
  if (end.killed === null) console.error("the reader of a codebase failed:", error.text.slice(-2_000));
  return { kind: "died", why: end.killed ?? "its reader failed." };
}

/** The process ran untrusted input through a parser, so everything that it wrote is checked. */
async function check(folder: string): Promise<Result<CagedReading>> {
  const invalid = failed("upstream_failed", "The reader of the codebase wrote an answer that cannot be used.");
  const facts = await readRegular(join(folder, FACTS), MAX_FACTS_BYTES);
  const answer = facts === null ? null : parseJson(facts.toString("utf8"));
  const refusal = refusalSchema.safeParse(answer);
  if (refusal.success) return failed(refusal.data.code, refusal.data.message);
  const parsed = codeFactsSchema.safeParse(answer);
  if (!parsed.success) return invalid;
  const found = await lstat(join(folder, PARTS)).catch(() => null);
  const parts = found?.isDirectory() === true ? (await readdir(join(folder, PARTS))).toSorted() : [];
  if (parts.length > MAX_PARTS) return invalid;
  for (const name of parts) {
    const part = await lstat(join(folder, PARTS, name)).catch(() => null);
    if (!/^\d{5}\.jsonl$/.test(name) || part?.isFile() !== true || part.size > MAX_PART_BYTES) return invalid;
  }
  return ok({ facts: parsed.data, parts });
}

async function readRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  const facts = await lstat(path).catch(() => null);
  return facts?.isFile() === true && facts.size <= maxBytes ? await readFile(path) : null;
}

/** Creates the work folder of a job. */
export async function makeWorkFolder(own: string): Promise<string> {
  const folder = join(own, "work");
  await mkdir(folder, { mode: 0o700 });
  return folder;
}
