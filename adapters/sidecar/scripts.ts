/** Runs programs in the sidecar's cage. */
import { z } from "zod";
import { asNotSent, failed, type Failure, maybeSent, ok, type Result } from "../../core/base/errors.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort, WrittenByScript } from "../../core/ports/scripts.ts";
import { resultMemory } from "./result-memory.ts";
import { type JobFile, type JobReply, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";

/** Time beyond the program's own: preparing its files and finding its changes. */
const MARGIN_MS = 30_000;
/** The sidecar's own limit. */
const MAX_CHANGED_FILES = 5_000;
const RETRY_AFTER_MS = 1_000;

const ranSchema = z.object({
  exitCode: z.number().nullable(),
  timedOut: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  durationMs: z.number(),
  removed: z.array(z.string()),
  refused: z.array(z.object({ path: z.string(), why: z.string() })),
});

/** `sidecar` is null if none is configured; every run is then refused. */
export function openScripts({
  sidecar,
  tenant,
}: {
  readonly sidecar: Sidecar | null;
  readonly tenant: string;
}): ScriptsPort {
  return {
    async run(request) {
      const reply = await runJob(sidecar, {
        kind: "script",
        tenant,
        order: buildOrder(request),
        files: [...placeIn("work/", request.files), ...placeIn("skill/", request.skill)],
        timeoutMs: request.timeoutMs + MARGIN_MS,
        limits: { files: MAX_CHANGED_FILES, bytes: request.maxChangedBytes },
        signal: request.signal,
      });
      if (!reply.ok) return markNotSent(reply);
      const release = await resultMemory.reserve(reply.value.bytes, request.signal);
      const run = await readRun(reply.value);
      if (!run.ok || request.inUse === undefined) release();
      else void request.inUse.finally(release);
      return run;
    },
  };
}

function buildOrder(request: ScriptRequest): Readonly<Record<string, unknown>> {
  return {
    argv: request.argv,
    cwd: request.cwd,
    env: request.env,
    timeout_ms: request.timeoutMs,
    max_output_bytes: request.maxOutputBytes,
    max_changed_bytes: request.maxChangedBytes,
    network: request.network,
  };
}

function placeIn(folder: string, files: readonly ScriptFile[]): readonly JobFile[] {
  return files.map((file) => ({
    path: folder + file.path,
    size: file.size,
    mode: file.mode,
    sha256: file.sha256,
    open: () => file.open(),
  }));
}

async function readRun({ body, files }: JobReply): Promise<Result<ScriptRun>> {
  const ran = ranSchema.safeParse(body);
  if (!ran.success) return failed("upstream_failed", "The sidecar's answer is not the result of a program.");
  const written: WrittenByScript[] = [];
  try {
    for await (const { path, size, mode = 0o644, bytes } of files) written.push({ path, size, mode, bytes });
  } catch {
    return maybeSent("upstream_failed", "The connection to the sidecar was lost while the results arrived.", {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
  return ok({ ...ran.data, signal: ran.data.exitCode === null ? "SIGKILL" : null, written });
}

/** Without a cage or a free slot, nothing was started. */
function markNotSent(reply: { readonly ok: false; readonly error: Failure }): Result<never> {
  const { error } = reply;
  if (error.code !== "not_available" && error.code !== "rate_limited") return reply;
  return asNotSent(error);
}
