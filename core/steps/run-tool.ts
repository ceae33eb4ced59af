/** Runs a tool's functions under a time limit, counts their computing time, and turns thrown errors into failures. */
import { awaitUnlessAborted, awaitWithin, openTimeLimit, type Timer } from "../base/deadline.ts";
import type { YieldTurn } from "../base/turns.ts";
import { failed, type Failure, notSent, ok, type Result } from "../base/errors.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { CallToMake } from "../task/decision.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { Control, ProbeOutcome, Tool, ToolContext, ToolOutcome } from "../tool/tool.ts";

/** Extra time for blob writes and their bookkeeping after a call's own limit. */
const GRACE_MS = 1000;

/** Counts the computing time of one call. */
export interface WorkMeter {
  /** Begins a turn. The time before it was waiting. */
  begin(): void;
  /** Charges the computing time of this turn. */
  charge(): void;
  /** Charges, yields to other work, and waits until the pace of the tenant allows more. */
  readonly giveWay: YieldTurn;
}

/** Reports to operators what a tool threw. */
export interface DefectReporter {
  reportDefect(tool: string, thrown: unknown): void;
}

/** `limit` ends after `timeoutMs`, or sooner. */
export interface ToolRun {
  readonly limit: AbortSignal;
  readonly timeoutMs: number;
  readonly timer: Timer;
  readonly work: WorkMeter;
  readonly reporter: DefectReporter;
}

/** Looks up whether an earlier attempt happened. `cannot_tell` when the probe throws or is late. */
export async function probeTool(
  tool: Tool,
  given: never,
  context: ToolContext<keyof ToolPorts>,
  { limit, timer }: Pick<ToolRun, "limit" | "timer">,
): Promise<ProbeOutcome<unknown>> {
  const unknown = { kind: "cannot_tell" } as const;
  const probing = (async () => (await tool.probe?.(given, context)) ?? unknown)().catch(() => unknown);
  // What it has found is not lost because it ends late.
  return (await awaitUnlessAborted(limit, probing, null)) ?? (await awaitWithin(timer, GRACE_MS, probing, unknown));
}

/** How long the files of one call are uploaded. */
const UPLOAD_MS = 240_000;

/** Returns how long a visit of a call may take, in ms. */
export function getTimeoutMs({ timeoutMs }: Tool, given: never, mode: CallToMake["mode"]): number {
  if (mode === "upload") return UPLOAD_MS;
  return typeof timeoutMs === "function" ? timeoutMs(given) : timeoutMs;
}

/** Uploads the files of a call, before anything is sent. */
export async function uploadFiles(
  tool: Tool,
  given: never,
  context: ToolContext<keyof ToolPorts>,
  limit: AbortSignal,
): Promise<Result<readonly UploadedFile[]>> {
  const late = notSent(
    "timeout",
    `The files of ${tool.name} were not uploaded in time. It was not called. Try again, or with smaller files.`,
    {
      details: { timeout_ms: UPLOAD_MS },
    },
  );
  return await awaitUnlessAborted(limit, tool.upload?.(given, context) ?? Promise.resolve(ok([])), late);
}

/** How long a lost reply is looked up. */
const LOOK_UP_MS = 10_000;

/** Looks up an attempt whose reply was lost just now, within a time of its own: that of the call may be used up. */
export async function probeLost(
  tool: Tool,
  given: never,
  context: ToolContext<keyof ToolPorts>,
  { timer, signal, leftMs }: { readonly timer: Timer; readonly signal: AbortSignal; readonly leftMs: number },
): Promise<ProbeOutcome<unknown>> {
  if (tool.probe === undefined || leftMs <= 0) return { kind: "cannot_tell" };
  const limit = openTimeLimit(timer, Math.min(LOOK_UP_MS, leftMs), signal);
  try {
    return await probeTool(tool, given, { ...context, signal: limit.signal }, { limit: limit.signal, timer });
  } finally {
    limit.end();
  }
}

/** Runs a tool under its limit. A thrown error, and a tool that does not stop in time, become failures. */
export async function runTool(
  tool: Tool,
  given: never,
  context: ToolContext<keyof ToolPorts>,
  { limit, timeoutMs, timer, work, reporter }: ToolRun,
): Promise<ToolOutcome<unknown>> {
  const timedOut: ToolOutcome<unknown> = {
    kind: "failure",
    failure: failed("timeout", `${tool.name} did not end within ${Math.ceil(timeoutMs / 1000)} s.`, {
      details: { timeout_ms: timeoutMs },
    }).error,
  };
  work.begin();
  const ran = tool.run(given, context).catch((thrown: unknown): ToolOutcome<unknown> => {
    // Work in turns ends with the reason of its limit.
    if (limit.aborted && thrown === limit.reason) return timedOut;
    reporter.reportDefect(tool.name, thrown);
    return { kind: "failure", failure: toDefect(tool) };
  });
  work.charge();
  const outcome = (await awaitUnlessAborted(limit, ran, null)) ?? (await awaitWithin(timer, GRACE_MS, ran, timedOut));
  if (outcome.kind !== "control" || mayReturn(tool, given, outcome.control)) return outcome;
  reporter.reportDefect(tool.name, new Error("the tool returned a control for an app that the call does not concern"));
  return { kind: "failure", failure: toDefect(tool) };
}

/** A person is asked to connect only the app through which the call acts, or the one that it asks for. */
function mayReturn(tool: Tool, given: never, control: Control): boolean {
  return control.kind !== "connect" || control.app === (tool.app?.app ?? tool.connects?.(given));
}

/** The failure for a thrown error. Only operators see the error itself, which may contain any data. */
export function toDefect(tool: Tool): Failure {
  return { code: "internal", message: `${tool.name} failed unexpectedly.` };
}
