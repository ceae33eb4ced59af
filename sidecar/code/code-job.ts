/**
 * The job kind `code`: reads a codebase and returns its files' symbols and text. git has a cage with the network of one host; what
 * reads the files has another one without a network.
 */
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { MAX_BYTES, MAX_FILES } from "../../core/codebases/limits.ts";
import type { Cages } from "../cage/cages.ts";
import { getErrorCode, openOrRefuse } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import type { EgressDeps } from "../egress.ts";
import { defineJob, failJob, type CheckedJobKind, type Job, type JobOutcome } from "../jobs/job.ts";
import { clone } from "./clone.ts";
import { type CodeOrder, codeOrderSchema, knownFilesSchema } from "./code-order.ts";
import { ARCHIVE, KNOWN, PARTS, REPOSITORY } from "./places.ts";
import { makeWorkFolder, readCaged } from "./read-caged.ts";

/** Each takes a processor for minutes. */
const MAX_CONCURRENT = 2;
/** The known files in addition to those of the source. */
const MARGIN = { files: 1, bytes: 8 * 1024 ** 2 };

export function defineCodeJob(egress: EgressDeps, cages: () => Promise<Cages>): CheckedJobKind {
  return defineJob({
    name: "code",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: MAX_BYTES + MARGIN.bytes,
    maxFiles: MAX_FILES + MARGIN.files,
    order: codeOrderSchema,
    async run(job) {
      const tools = await openOrRefuse(cages, "Code cannot be isolated now");
      if (!tools.ok) return { ...failJob(tools.error), started: false };
      const own = await openOrRefuse(() => tools.value.folder.make(), "The codebase's folder could not be created");
      if (!own.ok) return { ...failJob(own.error), started: false };
      try {
        return await readSource(tools.value, job, own.value, egress);
      } finally {
        await removeTree(own.value);
      }
    },
  });
}

async function readSource(tools: Cages, job: Job<CodeOrder>, own: string, egress: EgressDeps): Promise<JobOutcome> {
  const { order, signal } = job;
  const { source, denied } = order;
  const endsAt = performance.now() + order.timeout_ms;
  const leftMs = (): number => Math.round(endsAt - performance.now());
  const folder = await makeWorkFolder(own);
  const known = await readKnown(job);
  if (known === null) return { ok: false, code: "invalid_input", message: "The list of known files is invalid." };
  await writeFile(join(folder, KNOWN), JSON.stringify(known));
  let fetched: Result<string | null> = ok(null);
  if (source.kind === "git")
    fetched = await clone(tools, { source, folder, egress, timeoutMs: Math.max(1, leftMs()), signal });
  else await placeSource(job, source.kind, folder);
  if (!fetched.ok) return failJob(fetched.error);
  const question = { source: source.kind, commit: fetched.value, denied };
  const read = await readCaged(tools, { folder, question, leftMs, signal });
  if (!read.ok) return failJob(read.error);
  const { facts, parts } = read.value;
  const out = join(job.folder, "out");
  await move(join(folder, PARTS), out, parts.length > 0);
  return { ok: true, body: facts, files: parts.map((name) => ({ path: `${PARTS}/${name}`, from: join(out, name) })) };
}

/** Null for a list of another form. An order without one knows nothing. */
async function readKnown({ folder }: Job<CodeOrder>): Promise<Readonly<Record<string, string>> | null> {
  const text = await readFile(join(folder, "in", KNOWN), "utf8").catch(() => "{}");
  const parsed = knownFilesSchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
}

async function placeSource({ folder }: Job<CodeOrder>, kind: "zip" | "files", into: string): Promise<void> {
  if (kind === "zip") return await move(join(folder, "in", ARCHIVE), join(into, ARCHIVE), true);
  const files = join(folder, "in", "files");
  // Its configuration could name programs for git to run.
  await rm(join(files, ".git"), { recursive: true, force: true });
  await move(files, join(into, REPOSITORY), true);
}

/** Copies where the two are on different disks. Does nothing if nothing is there. */
async function move(from: string, to: string, isExpected: boolean): Promise<void> {
  if (!isExpected) return void (await mkdir(to, { recursive: true }));
  try {
    await rename(from, to);
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return;
    if (getErrorCode(error) !== "EXDEV") throw error;
    await cp(from, to, { recursive: true });
  }
}
