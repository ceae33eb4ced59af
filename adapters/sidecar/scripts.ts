/** Programs in the sidecar's cage. */
import { z } from "zod";
import { asNotSent, failed, type Failure, maybeSent, ok, type Result } from "../../core/base/errors.ts";
import type { ScriptFile, ScriptRequest, ScriptRun, ScriptsPort, WrittenByScript } from "../../core/ports/scripts.ts";
import { resultRoom } from "./result-memory.ts";
import { type JobFile, type JobReply, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";

/** What a run takes beyond the program's own time: its files come, and what it changed is looked for. */
const MARGIN_MS = 30_000;
/** The sidecar gives no more back. */
const MAX_CHANGED_FILES = 5_000;
const AGAIN_AFTER_MS = 1_000;

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

/** `sidecar` null: there is none, and every run is refused. */
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
        order: orderOf(request),
        files: [...within("work/", request.files), ...within("skill/", request.skill)],
        timeoutMs: request.timeoutMs + MARGIN_MS,
        limits: { files: MAX_CHANGED_FILES, bytes: request.maxChangedBytes },
        signal: request.signal,
      });
      if (!reply.ok) return surelyNotBegun(reply);
      const leave = await resultRoom.enter(reply.value.bytes, request.signal);
      const run = await runOf(reply.value);
      if (!run.ok || request.inUse === undefined) leave();
      else void request.inUse.finally(leave);
      return run;
    },
  };
}

function orderOf(request: ScriptRequest): Readonly<Record<string, unknown>> {
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

function within(folder: string, files: readonly ScriptFile[]): readonly JobFile[] {
  return files.map((file) => ({
    path: folder + file.path,
    size: file.size,
    mode: file.mode,
    sha256: file.sha256,
    open: () => file.open(),
  }));
}

async function runOf({ body, files }: JobReply): Promise<Result<ScriptRun>> {
  const ran = ranSchema.safeParse(body);
  if (!ran.success) return failed("upstream_failed", "The sidecar answered with what is no run of a program.");
  const written: WrittenByScript[] = [];
  try {
    for await (const { path, size, mode = 0o644, bytes } of files) written.push({ path, size, mode, bytes });
  } catch {
    return maybeSent("upstream_failed", "The connection to the sidecar was lost while the results came.", {
      retryAfterMs: AGAIN_AFTER_MS,
    });
  }
  return ok({ ...ran.data, signal: ran.data.exitCode === null ? "SIGKILL" : null, written });
}

/** A cage that is not there, or whose places are all taken, has started nothing. */
function surelyNotBegun(reply: { readonly ok: false; readonly error: Failure }): Result<never> {
  const { error } = reply;
  if (error.code !== "not_available" && error.code !== "rate_limited") return reply;
  return asNotSent(error);
}
