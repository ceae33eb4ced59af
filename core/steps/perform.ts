/**
 * The gateway's second half: effect → validate → settle → shape, in hop two for the calls that the ledger holds, in hop one
 * for those that change nothing (`perform-early.ts`). At most a few run at once; a failure of one does not touch the others; whatever a tool throws becomes a result.
 */
import { allowedDomains, sandboxRules } from "../agents/agent.ts";
import { sleep, type Timer } from "../base/deadline.ts";
import type { GiveWay } from "../base/turns.ts";
import type { BlobPort } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { WebPort } from "../ports/web.ts";
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import { keptResultKey, showResult } from "../prompt/kept-results.ts";
import { unknownOutcome } from "../task/ledger.ts";
import { OUTSIDE, TENANT } from "../provenance/label.ts";
import { TaintTracker } from "./taint-tracker.ts";
import type { Bound } from "../sandbox/bind-copy.ts";
import type { WorkingCopy } from "../sandbox/working-copy.ts";
import type { ActJob, ActLine } from "./rpc.ts";
import type { CallOutcome } from "../task/commands.ts";
import type { TaskFacts } from "../task/state.ts";
import { settingsOf } from "./tool-settings.ts";
import type { CallFacts, Control, Tool, ToolContext } from "../tool/tool.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { pickTerms } from "../task/key-lifetime.ts";
import { type AttemptedEffect, chooseRecovery, decideAfterFailure, giveUp } from "../gateway/outcome.ts";
import { bindFiles, guardApprovedFiles, namesFiles, sameFiles } from "../gateway/bind-files.ts";
import { missingPermission } from "../gateway/envelope.ts";
import { refusedOutcome, toToolError } from "./prepare.ts";
import { type DefectReporter, defectOf, probeTool, runTool, type WorkMeter } from "./run-tool.ts";
import { EXPAND_RESULT, shapeError, type ShapeLimits } from "../gateway/shape.ts";
import { type EndOfCall, scheduleCalls } from "./schedule-calls.ts";
import { noSuchToolNow, type Toolset } from "./toolset.ts";
import { limitStep, newStepBudget } from "./step-patterns.ts";
import { validateOutput } from "../gateway/validate.ts";

/** Waits before a call is tried again, while that is safe: it never left, or the provider drops repeats by its key. */
export const RETRY_DELAYS_MS: readonly number[] = [300, 1000, 2500];
/** Results longer than this as JSON are kept in the blob store, and the row holds their key (rows stay under 2 MB). */
const MAX_INLINE_RESULT = 100_000;

/** An approval, like the ledger, stands for the exact arguments that were hashed: others are not sent under its name. */
const OTHER_ARGUMENTS: Failure = {
  code: "internal",
  message: "The call's arguments are not the ones that were written down for it. It was not made.",
};

const NOT_JUDGED: Failure = {
  code: "blocked_by_policy",
  message: "This call was prepared before an upgrade and was not made. Ask for it again.",
};

/** Whether the call may carry data out (`core/provenance/carry-out.ts`), also when its arguments have the form of an earlier release. */
function carries(tool: Tool, given: unknown): boolean {
  try {
    // An earlier release of this tool's schema produced the value.
    return (tool.carries?.(given as never) ?? null) !== null;
  } catch {
    return tool.carries !== undefined;
  }
}

/** What performing needs. */
export interface PerformDeps extends DefectReporter {
  readonly toolset: Pick<Toolset, "resolve" | "names" | "skills" | "admits" | "isPart">;
  readonly ports: ToolPorts;
  readonly blobs: BlobPort;
  readonly limits: ShapeLimits;
  readonly maxParallel: number;
  /** How long a skill's script may run. */
  readonly scriptTimeoutMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly timer: Timer;
  /** Starts to count the computing time of a call, which ends with the signal, and charges its tenant. */
  meterWork(signal: AbortSignal): WorkMeter;
  /** Yields to other work between two calls. */
  readonly giveTurn: GiveWay;
  readonly clock: Clock;
}

type Call = ActJob["calls"][number];

/** The limits and the label tracker of one call. `deadline` is in milliseconds since the epoch. */
interface Watched {
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly taint: TaintTracker;
  /** The approved files of a program; null: every file of the sandbox. */
  readonly copy: WorkingCopy | null;
}

/** What the calls of one step share. */
interface StepDeps extends PerformDeps {
  readonly patternBudget: PatternBudget;
}

/**
 * Makes the calls of a step and yields each outcome as it ends. All of them share the time that the hop has, and what their
 * patterns may cost.
 */
export async function* performCalls(
  job: ActJob,
  deps: PerformDeps,
  signal: AbortSignal,
): AsyncGenerator<ActLine, void, boolean> {
  const deadline = deps.clock.now() + job.timeoutMs;
  const patternBudget = newStepBudget();
  const patterns = limitStep(deps.ports.patterns, patternBudget);
  const stepDeps = { ...deps, patternBudget, ports: { ...deps.ports, patterns } };
  const isDecidedByPerson = job.facts.agent.config.on_unknown === "ask";
  yield* scheduleCalls(job, deps.maxParallel, {
    giveTurn: deps.giveTurn,
    make: async (call) => await makeCall(call, job, stepDeps, deadline, signal),
    isSettledBy: (end) =>
      end.type === "settled" && settles(end.outcome.control) && (end.outcome.state !== "unknown" || !isDecidedByPerson),
  });
}

/**
 * Makes one call, or finds out what the files that it names contain. A call whose files are approved sends the approved
 * bytes: with other content it is not made, and the content is reported, so that a person decides again, also when a
 * person wanted it made again. Never throws.
 */
async function makeCall(
  call: Call,
  job: ActJob,
  deps: StepDeps,
  deadline: number,
  signal: AbortSignal,
): Promise<EndOfCall> {
  const { callId, approvedFiles } = call;
  const settle = (outcome: CallOutcome): EndOfCall => ({ type: "settled", callId, outcome });
  const perform = async (its: StepDeps, copy: WorkingCopy | null = null): Promise<CallOutcome> => {
    const taint = new TaintTracker(call.label ?? OUTSIDE);
    for (const { label = TENANT } of copy?.entries.values() ?? []) taint.join(label);
    const outcome = await performCall(call, job, its, { deadline, signal, taint, copy });
    return { ...outcome, label: taint.label, ...(taint.readUploadsOnly ? { isUpload: true } : {}) };
  };
  if (approvedFiles === undefined) return settle(await perform(deps));
  const bound = await readBoundFiles(call, job, deps);
  const isFirst = call.attempt === 1 || call.effect === "none";
  const isSame = bound.ok && sameFiles(bound.value.files, approvedFiles);
  if (call.mode === "bind" || isFirst || call.isRetry === true) {
    if (!bound.ok)
      return settle(isFirst ? failureOutcome(bound.error, 0) : { ...unknownOutcome(call.tool), durationMs: 0 });
    if (call.mode === "bind" || !isSame) return { type: "bound", callId, files: bound.value.files };
  }
  if (deps.toolset.resolve(call.tool)?.copies !== undefined) {
    // A program that may have run before is never given other files under its approval.
    if (!isSame) return settle({ ...unknownOutcome(call.tool), durationMs: 0 });
    return settle(await perform(deps, bound.value.copy));
  }
  let hasChanged = false;
  const files = guardApprovedFiles(deps.ports.files, approvedFiles, () => (hasChanged = true));
  const guarded = { ...deps, ports: { ...deps.ports, files } };
  const outcome = await perform(guarded);
  if (!hasChanged || !isFirst || outcome.state !== "failed") return settle(outcome);
  // The file changed during the call. Nothing was sent.
  const present = await readBoundFiles(call, job, deps);
  return present.ok ? { type: "bound", callId, files: present.value.files } : settle(outcome);
}

/** What the files that a call names, or gives a program, contain now, or why it would fail. */
async function readBoundFiles(call: Call, { facts }: ActJob, deps: PerformDeps): Promise<Result<Bound>> {
  const tool = deps.toolset.resolve(call.tool);
  if (tool === null) return { ok: false, error: noSuchToolNow(call.tool, deps.toolset) };
  const inside = deps.toolset.admits(tool);
  if (!inside.ok) return inside;
  const { config } = facts.agent;
  if (tool.copies === undefined && namesFiles(tool, call.arguments) && !config.permissions.includes("read"))
    return failed("permission_denied", missingPermission("read", config.permissions));
  try {
    return await bindFiles(tool, call.arguments, { files: deps.ports.files, sandbox: sandboxRules(config) });
  } catch (thrown) {
    deps.reportDefect(tool.name, thrown);
    return { ok: false, error: defectOf(tool) };
  }
}

/** False for a control that leaves its call waiting: calls that have to follow it are not made in this hop. */
function settles(control: Control | null): boolean {
  switch (control?.kind) {
    case "sleep":
    case "dispatch":
    case "finish":
      return false;
    case "ask":
      return !control.wait;
    case "attach":
    case "load":
    case undefined:
      return true;
  }
}

/**
 * Makes one call. Never throws: what a tool's own functions throw is a defect of the tool, and a result. Once any attempt
 * may have happened, also one that a crash cut off, the call ends `confirmed` or `unknown` and never `failed`.
 */
async function performCall(
  call: Call,
  job: ActJob,
  deps: StepDeps,
  { deadline, signal, taint, copy }: Watched,
): Promise<CallOutcome> {
  const started = deps.clock.now();
  const spentMs = () => deps.clock.now() - started;
  let mayHaveHappened = call.attempt > 1 && call.effect !== "none";
  let hasResult = false;
  const end = (failure: Failure): CallOutcome =>
    giveUp(mayHaveHappened) === "unknown"
      ? { ...unknownOutcome(call.tool), durationMs: spentMs() }
      : failureOutcome(failure, spentMs());

  const tool = deps.toolset.resolve(call.tool);
  if (tool === null) return end(noSuchToolNow(call.tool, deps.toolset));
  taint.begin(tool);
  if (call.isUnjudged === true && !mayHaveHappened && carries(tool, call.arguments))
    return { ...refusedOutcome(NOT_JUDGED), durationMs: spentMs() };
  if ((await hashArguments(call.tool, call.arguments)) !== call.argumentsHash) {
    deps.reportDefect(tool.name, new Error(`the arguments of ${call.callId} are not those of its ledger row's hash`));
    return end(OTHER_ARGUMENTS);
  }
  // The hop may have ended while the call waited for its turn.
  if (deadline <= started || signal.aborted) {
    return end({ code: "timeout", message: `There was no time left to call ${tool.name}. It was not called.` });
  }
  try {
    const given = call.arguments as never;
    const own = typeof tool.timeoutMs === "function" ? tool.timeoutMs(given) : tool.timeoutMs;
    const timeoutMs = Math.min(own, deadline - started);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const work = deps.meterWork(limit);
    const approved = copy === null ? {} : { approvedCopy: copy };
    const known = { signal: limit, nowMs: started, giveWay: work.giveWay, ...approved };
    const context = contextOf(call, job, tool, { ...deps, ports: taint.watch(deps.ports) }, known);

    const attempted = toAttempted(call, started);
    const mode = isRepeatOfKey(call) ? chooseRecovery(attempted, started) : call.mode;
    if (mode === "unknown") return { ...unknownOutcome(call.tool), durationMs: spentMs() };
    if (mode === "probe") {
      const probed = await probeTool(tool, given, context, limit);
      hasResult = probed.kind === "happened";
      if (probed.kind === "happened") return await resultOutcome(tool, probed.result, call, job, deps, spentMs());
      if (probed.kind === "cannot_tell") return { ...unknownOutcome(call.tool), durationMs: spentMs() };
      mayHaveHappened = false;
    }

    // What the task may use can have narrowed since the call was asked for.
    const inside = deps.toolset.admits(tool);
    if (!inside.ok && mayHaveHappened) return end(inside.error);
    if (!inside.ok) return { ...refusedOutcome(inside.error), durationMs: spentMs() };

    for (let tries = 0; ; tries += 1) {
      const outcome = await runTool(tool, given, context, {
        limit,
        timeoutMs,
        timer: deps.timer,
        work,
        reporter: deps,
      });
      hasResult = outcome.kind === "result";
      if (outcome.kind === "control") {
        const result = { ok: true, result: null } as const;
        return { state: "confirmed", result, content: "", control: outcome.control, durationMs: spentMs() };
      }
      if (outcome.kind === "result") return await resultOutcome(tool, outcome.result, call, job, deps, spentMs());
      const { failure } = outcome;
      const delayMs = Math.max(deps.retryDelaysMs[tries] ?? Infinity, failure.retryAfterMs ?? 0);
      const retryAt = deps.clock.now() + delayMs;
      const decided = decideAfterFailure("tool_call", failure, { ...attempted, mayHaveHappened, retryAt });
      ({ mayHaveHappened } = decided);
      // A receiver that names a time beyond this call's limit is not asked again.
      if (decided.next === "retry" && delayMs < timeoutMs - spentMs() && (await sleep(deps.timer, delayMs, limit)))
        continue;
      return end(failure);
    }
  } catch (thrown) {
    deps.reportDefect(tool.name, thrown);
    const defect = defectOf(tool);
    return hasResult ? { ...failureOutcome(defect, spentMs()), state: "confirmed" } : end(defect);
  }
}

/** True for an attempt that repeats an earlier one under its key, rather than making a first one. */
function isRepeatOfKey({ effect, attempt, mode }: Call): boolean {
  return effect === "keyed" && attempt > 1 && mode === "run";
}

/** A probe that found nothing, and a first attempt, begin the key's lifetime. */
function toAttempted(call: Call, now: number): AttemptedEffect {
  const isFirst = call.attempt === 1 || call.mode === "probe";
  const sentAt = isFirst ? now : call.sentAt;
  return { ...pickTerms(call), ...(sentAt === undefined ? {} : { sentAt }) };
}

async function resultOutcome(
  tool: Tool,
  result: unknown,
  call: Call,
  job: ActJob,
  deps: StepDeps,
  durationMs: number,
): Promise<CallOutcome> {
  // The call was made: its result is not lost because its schema does not fit the budget.
  const isChecked = tool.compileOutput?.(deps.patternBudget) !== false;
  const valid = isChecked ? validateOutput(tool, result) : ok(result);
  if (!valid.ok) return { ...failureOutcome(valid.error, durationMs), state: "confirmed" };
  const text = tool.show(valid.value as never);
  const { content, isLarge } = tool.wholeResult
    ? { content: text, isLarge: false }
    : await showResult(text, job.facts, call.callId, {
        ...deps,
        canExpand: deps.toolset.names.includes(EXPAND_RESULT),
      });
  const kept = await keepResult(valid.value, call, job, deps);
  return { state: "confirmed", result: { ok: true, result: kept }, content, control: null, durationMs, isLarge };
}

function failureOutcome(failure: Failure, durationMs: number): CallOutcome {
  const error = toToolError(failure);
  const { details: _, ...shown } = error;
  return {
    state: "failed",
    result: { ok: false, error: shown },
    content: shapeError(error),
    control: null,
    durationMs,
  };
}

/** A large result goes to the blob store. When that is away, the row keeps its head, marked as cut. */
async function keepResult(result: unknown, call: Call, job: ActJob, deps: PerformDeps): Promise<unknown> {
  const text = JSON.stringify(result);
  if (text.length <= MAX_INLINE_RESULT) return result;
  const key = keptResultKey(job.facts, call.callId);
  const put = await deps.blobs.put(key, new TextEncoder().encode(text));
  return put.ok
    ? { stored: key, characters: text.length }
    : { cut: text.slice(0, MAX_INLINE_RESULT), characters: text.length };
}

/** The hashes of the skills that a call's task works under; null: it is nobody's but the caller's, who names what is meant. */
function inForceFor({ kind, parentId, skills }: TaskFacts): readonly string[] | null {
  return kind === "call" && parentId === null ? null : skills.map(({ hash }) => hash);
}

/** The facts of the call and the ports that its tool declared, and no others. */
function contextOf(
  call: Call,
  job: ActJob,
  tool: Tool,
  { ports, toolset, scriptTimeoutMs }: Pick<PerformDeps, "ports" | "toolset" | "scriptTimeoutMs">,
  given: Pick<CallFacts, "signal" | "nowMs" | "giveWay" | "approvedCopy">,
): ToolContext<keyof ToolPorts> {
  const { facts } = job;
  const { config } = facts.agent;
  const known: CallFacts = {
    tenant: facts.tenant,
    agent: { id: facts.agent.id, version: facts.agent.version },
    task: facts.id,
    rootTask: facts.rootId,
    project: facts.project,
    step: job.step,
    callId: call.callId,
    label: call.label ?? OUTSIDE,
    key: call.key,
    correlationId: `${facts.id}/${job.step}/${call.attempt}`,
    permissions: config.permissions,
    tools: toolset.names,
    sandbox: sandboxRules(config),
    workingDirectory: "",
    allowedDomains: allowedDomains(facts.agent),
    config: settingsOf(config, tool),
    taskSkills: { pinned: toolset.skills, inForce: inForceFor(facts), scriptTimeoutMs },
    metadata: facts.metadata,
    resumed: call.resumed ?? null,
    ...given,
  };
  const open = known.label === OUTSIDE ? { ...ports, web: stayOnHost(ports.web) } : ports;
  const declared = Object.fromEntries(tool.needs.map((need) => [need, open[need]]));
  // `needs` is what the tool's own type of context was made from, so the declared ports are all that it can name.
  return { ...known, ...declared } as ToolContext<keyof ToolPorts>;
}

/**
 * Limits an influenced call to the host that was judged or approved: a redirect to another host is returned, not followed.
 * Following it is a call of its own.
 */
function stayOnHost(web: WebPort): WebPort {
  return {
    request: (request) => web.request({ ...request, staysOnHost: true }),
    open: (request) => web.open(request),
  };
}
