/**
 * Calls an app's action through its provider, and looks one up whose reply was lost.
 *
 * 1. One attempt of the gateway is one request, or several that the provider refused: only the last may have been carried out.
 * 2. Each attempt has a request id of its own, derived from the call, so that a later attempt can look for it.
 * 3. Files are uploaded before the first attempt and sent by their keys, the same in each attempt.
 * 4. An action that only reads, or that a repeat does not change further, is repeated after a lost reply; others are looked up.
 */
import { openTimeLimit, sleep, type Timer } from "../../base/deadline.ts";
import type { Failure } from "../../base/errors.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { OutsideCaller } from "../../gateway/outside-tool.ts";
import type { AppOrigin, OutsideTool } from "../../tool/source.ts";
import type { ProbeOutcome, ToolContext, ToolOutcome } from "../../tool/tool.ts";
import { saveFiles } from "./saved-files.ts";
import { uploadFiles } from "./upload-files.ts";
import { fillUploads, listFiles, MAX_APP_FILE_BYTES, MAX_UPLOADS, replaceFiles, toPathSchema } from "./uploads.ts";

/** The request times out this much before the gateway's limit, so that its own error is reported. */
const MARGIN_MS = 1_000;
/** The log of the provider may be written after the effect: pauses before it is read again. */
const LOG_DELAYS_MS: readonly number[] = [500, 1_500, 4_000];
/** Attempts that are looked for, the latest ones. */
const MAX_LOOKED_UP = 8;

type Target = OutsideTool & { readonly origin: AppOrigin };
type Given = Readonly<Record<string, unknown>>;
type Context = ToolContext<"apps" | "files">;

/** How long the files of a result are fetched, after the reply and after a look-up. */
const FETCH_MS = 30_000;
const FETCH_AFTER_PROBE_MS = 3_000;

/** Creates what calls the actions of apps. `timer` is for their limits, and the pauses before the provider's log is read again. */
export function createAppCaller(timer: Timer): OutsideCaller<"app", "apps" | "files"> {
  return {
    needs: ["apps", "files"],
    extraMs: FETCH_MS,
    call: (target, given, context) => call(target, given, context, timer),
    check,
    probe: (target, _, context) => probe(target, context, timer),
    files: { maxBytes: MAX_APP_FILE_BYTES, toPathSchema, replace: replaceFiles, upload: uploadFiles },
  };
}

async function call(target: Target, given: Given, context: Context, timer: Timer): Promise<ToolOutcome<unknown>> {
  const { app, action, version } = target.origin;
  const { apps, account = null, key, attempt, uploads = [], signal } = context;
  const filled = fillUploads(target.input, given, uploads);
  if (!filled.ok) return { kind: "failure", failure: filled.error };
  const requestId = await deriveRequestId(context, attempt);
  const timeoutMs = getTimeoutMs(target);
  const request = {
    app,
    action,
    version,
    arguments: filled.value as Given,
    account,
    key,
    requestId,
    timeoutMs,
    signal,
  };
  const replied = await apps.execute(request);
  if (!replied.ok) return { kind: "failure", failure: toFailure(target, replied.error) };
  return { kind: "result", result: await save(replied.value.data, app, context, { timer, timeMs: FETCH_MS }) };
}

interface FetchLimit {
  readonly timer: Timer;
  readonly timeMs: number;
}

async function save(data: unknown, app: string, context: Context, { timer, timeMs }: FetchLimit): Promise<unknown> {
  const limit = openTimeLimit(timer, timeMs, context.signal);
  try {
    return await saveFiles(data, { app, context: { ...context, signal: limit.signal }, timeoutMs: timeMs });
  } finally {
    limit.end();
  }
}

/** A call that may be repeated leaves time for one repeat. */
function getTimeoutMs({ timeoutMs, effect }: Target): number {
  const left = Math.max(1, timeoutMs - MARGIN_MS);
  return effect === "none" || effect === "keyed" ? Math.ceil(left / 2) : left;
}

/** A lost reply of an action that only reads is no reason to wait before it is read again. */
function toFailure({ effect }: Target, failure: Failure): Failure {
  const isRepeated = effect === "none" && failure.happened === "unknown" && failure.retryAfterMs === undefined;
  return isRepeated ? { ...failure, retryAfterMs: 0 } : failure;
}

function check({ name, input }: Target, given: Given): Failure | null {
  const files = listFiles(input, given);
  const field = files[MAX_UPLOADS]?.field;
  if (field === undefined) return null;
  return { code: "invalid_input", message: `${field}: a call of ${name} takes at most ${MAX_UPLOADS} files.`, field };
}

async function probe({ origin }: Target, context: Context, timer: Timer): Promise<ProbeOutcome<unknown>> {
  const { app, action } = origin;
  const { apps, account = null, attempt, intendedAt: since, signal } = context;
  const attempts = Array.from({ length: Math.min(attempt, MAX_LOOKED_UP) }, (_, before) => attempt - before);
  const requestIds = await Promise.all(attempts.map((one) => deriveRequestId(context, one)));
  for (let looks = 0; ; looks += 1) {
    const probed = await apps.probe({ app, action, account, requestIds, since, signal });
    const found = probed.ok ? probed.value : null;
    if (found?.kind === "happened")
      return {
        kind: "happened",
        result: await save(found.reply.data, app, context, { timer, timeMs: FETCH_AFTER_PROBE_MS }),
      };
    if (found?.kind === "not_happened") return found;
    const delayMs = found?.isEarly === false ? undefined : LOG_DELAYS_MS[looks];
    if (delayMs === undefined || !(await sleep(timer, delayMs, signal))) return { kind: "cannot_tell" };
  }
}

/** Derives the request id of an attempt: a UUID of version 8 (RFC 9562, section 5.8). Another consent has others. */
async function deriveRequestId({ key, account }: Pick<Context, "key" | "account">, attempt: number): Promise<string> {
  const through = account === undefined ? "" : `${account.connection} ${account.consent}`;
  const hex = await sha256Hex(`app call ${key} ${through} ${attempt}`);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
