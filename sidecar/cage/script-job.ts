/** The job kind `script`: runs a program that may change the files below `work/` and read those below `skill/`. */
import { join } from "node:path";
import { z } from "zod";
import type { PacketFile } from "../../adapters/sidecar/packet.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import type { EgressDeps } from "../egress.ts";
import { defineJob, failJob, type CheckedJobKind } from "../jobs/job.ts";
import { type CageLimits, DEFAULT_LIMITS } from "./cage.ts";
import type { Cages } from "./cages.ts";
import { openOrRefuse } from "./failures.ts";
import { type PlacedFile, runCaged } from "./run-caged.ts";

const MAX_ARGUMENTS = 1_000;
/** The kernel accepts no longer argument (MAX_ARG_STRLEN). */
const MAX_ARGUMENT_CHARACTERS = 32 * 1024;
const MAX_VARIABLES = 200;
const MAX_HOSTS = 200;
const MAX_TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const MAX_CHANGED_BYTES = 64 * 1024 ** 2;
const MAX_CHANGED_FILES = 5_000;
const [MAX_CONCURRENT, MAX_BYTES, MAX_FILES] = [4, 256 * 1024 ** 2, 10_000];

const argument = z
  .string()
  .max(MAX_ARGUMENT_CHARACTERS)
  .refine((text) => !text.includes("\0"), "contains a NUL");

const scriptOrderSchema = z.strictObject({
  argv: z.tuple([argument.min(1)], argument).refine((argv) => argv.length <= MAX_ARGUMENTS, "has too many arguments"),
  cwd: z.string().refine((path) => path === "" || judgeForm(path).ok, "is not a folder in the work folder"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), argument)
    .refine((env) => Object.keys(env).length <= MAX_VARIABLES, "has too many variables"),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS),
  max_output_bytes: z.int().min(0).max(MAX_OUTPUT_BYTES),
  max_changed_bytes: z.int().min(0).max(MAX_CHANGED_BYTES),
  network: z.array(z.string().max(300)).max(MAX_HOSTS).nullable(),
});

/** The order's time limit replaces that of `limits`. */
export function defineScriptJob(
  egress: EgressDeps,
  cages: () => Promise<Cages>,
  limits: CageLimits = DEFAULT_LIMITS,
): CheckedJobKind {
  return defineJob({
    name: "script",
    maxConcurrent: MAX_CONCURRENT,
    maxBytes: MAX_BYTES,
    maxFiles: MAX_FILES,
    order: scriptOrderSchema,
    async run({ order, files, folder, signal }) {
      const tools = await openOrRefuse(cages, "Programs cannot be isolated now");
      if (!tools.ok) return { ...failJob(tools.error), started: false };
      const done = await runCaged(tools.value, {
        argv: order.argv,
        cwd: order.cwd,
        env: order.env,
        folder: join(folder, "in"),
        work: selectBelow("work/", files),
        skill: selectBelow("skill/", files),
        limits: { ...limits, wallMs: order.timeout_ms },
        network: order.network === null ? null : { hosts: order.network, egress },
        maxOutputBytes: order.max_output_bytes,
        maxChangedBytes: order.max_changed_bytes,
        maxChangedFiles: MAX_CHANGED_FILES,
        signal,
      });
      if (!done.ok) return failJob(done.error);
      const { changes, ...run } = done.value;
      const { written, removed, refused } = changes;
      const body = { ...run, removed, refused };
      return { ok: true, body, files: written.map(({ path, mode, from }) => ({ path, mode, from })) };
    },
  });
}

function selectBelow(folder: string, files: readonly PacketFile[]): readonly PlacedFile[] {
  return files
    .filter(({ path }) => path.startsWith(folder))
    .map(({ path, mode }) => ({ path: path.slice(folder.length), mode }));
}
