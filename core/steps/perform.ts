/**
 * The gateway's second half: effect → validate → settle → shape, in the tool phase for calls of the ledger, in the
 * model phase for calls that change nothing (`perform-early.ts`). A limited number runs in parallel. A failure of one
 * does not affect the others. An exception of a tool becomes a result.
 */
import { getSandboxRules } from "../agents/agent.ts";
import { openTimeLimit, sleep, type TimeLimit, type Timer } from "../base/deadline.ts";
import type { YieldTurn } from "../base/turns.ts";
import type { AppRightsPort } from "../ports/app-rights.ts";
import type { BlobPort } from "../ports/blobs.ts";
import type { ConnectionsPort } from "../ports/connections.ts";
import type { Clock } from "../ports/clock.ts";
import type { ModelPort } from "../ports/model.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import { type Failure, failed, type Result } from "../base/errors.ts";
import type { PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import { unknownOutcome } from "../task/ledger.ts";
import { OUTSIDE, TENANT } from "../provenance/label.ts";
import { TaintTracker } from "./taint-tracker.ts";
import type { BoundCopy } from "../sandbox/bind-copy.ts";
import type { WorkingCopy } from "../sandbox/working-copy.ts";
import type { ActJob, ActLine } from "./rpc.ts";
import type { CallOutcome } from "../task/commands.ts";
import type { Control, Tool } from "../tool/tool.ts";
import { hashArguments } from "../gateway/arguments-hash.ts";
import { pickTerms } from "../task/key-lifetime.ts";
import { type AttemptedEffect, chooseRecovery, decideAfterFailure, giveUp } from "../gateway/outcome.ts";
import { bindFiles, guardApprovedFiles, namesFiles, areSameFiles } from "../gateway/bind-files.ts";
import { formatMissingPermission } from "../gateway/envelope.ts";
import { isOtherClass, refuseAction } from "./app-access.ts";
import { type AccountCheck, checkAccount, chooseAgain, isEndOf } from "./call-account.ts";
import { toFailureOutcome, toResultOutcome } from "./call-outcome.ts";
import { refusedOutcome } from "./prepare.ts";
import {
  type DefectReporter,
  getTimeoutMs,
  toDefect,
  probeLost,
  probeTool,
  runTool,
  uploadFiles,
  type WorkMeter,
} from "./run-tool.ts";
import type { ShapeLimits } from "../gateway/shape.ts";
import { createContext } from "./call-context.ts";
import { CallLanguage } from "./call-language.ts";
import { openCallSources, toReadFields, withSources } from "./call-sources.ts";
import { type CallEnd, toEndLine } from "./call-end.ts";
import { type CallEndLine, isSettling, scheduleCalls } from "./schedule-calls.ts";
import { toMissingToolFailure, type Toolset } from "./toolset.ts";
import { limitStep, createStepBudget } from "./step-patterns.ts";
import { toCanonicalArguments } from "../gateway/validate.ts";

/** Delays before a call is retried, while that is safe: it was not sent, or the provider drops repeats by its key. */
export const RETRY_DELAYS_MS: readonly number[] = [300, 1000, 2500];

/** An approval and the ledger cover exactly the hashed arguments; others are not sent. */
const OTHER_ARGUMENTS: Failure = {
  code: "internal",
  message: "The call's arguments differ from the recorded ones. It was not called.",
};

const NOT_JUDGED: Failure = {
  code: "blocked_by_policy",
  message: "This call was prepared before an upgrade and was not made. Ask for it again.",
};

/** Whether the call may carry data out (`core/provenance/carry-out.ts`), also with arguments of an earlier release. */
function mayCarryData(tool: Tool, given: unknown): boolean {
  try {
    // An earlier release of this tool's schema produced the value.
    return (tool.carries?.(given as never) ?? null) !== null;
  } catch {
    return tool.carries !== undefined;
  }
}

/** The dependencies of calls. */
export interface PerformDeps extends DefectReporter {
  readonly toolset: Pick<Toolset, "resolve" | "names" | "skills" | "admits" | "isPart">;
  readonly ports: Omit<ToolPorts, "language">;
  /** Answers the questions of tools. Null: no language model is configured. */
  readonly model: ModelPort | null;
  /** The accounts of the tenant. Absent: none. */
  readonly connections?: ConnectionsPort;
  /** What the tenant's agents may use of its apps. Absent: nothing. */
  readonly appRights?: AppRightsPort;
  readonly blobs: BlobPort;
  readonly limits: ShapeLimits;
  readonly maxParallel: number;
  /** How long a skill's script may run. */
  readonly scriptTimeoutMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly timer: Timer;
  /** Starts to count the computing time of a call until the signal aborts, and charges its tenant. */
  meterWork(signal: AbortSignal): WorkMeter;
  /** Yields to other work between two calls. */
  readonly giveTurn: YieldTurn;
  readonly clock: Clock;
}

type Call = ActJob["calls"][number];

/** The limits and the label tracker of one call. `deadline` is in milliseconds since the epoch. */
interface CallLimits {
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly taint: TaintTracker;
  /** The approved files of a program; null: every file of the sandbox. */
  readonly copy: WorkingCopy | null;
}

/** The dependencies that the calls of one step share. */
interface StepDeps extends PerformDeps {
  readonly patternBudget: PatternBudget;
}

/** The dependencies of one call, whose questions to a model are its own. */
interface CallDeps extends StepDeps {
  readonly ports: ToolPorts;
}

/** Runs the calls of a step and yields each outcome as it ends. All share the time and the pattern budget. */
export async function* performCalls(
  job: ActJob,
  deps: PerformDeps,
  signal: AbortSignal,
): AsyncGenerator<ActLine, void, boolean> {
  const deadline = deps.clock.now() + job.timeoutMs;
  const patternBudget = createStepBudget();
  const patterns = limitStep(deps.ports.patterns, patternBudget);
  const stepDeps = { ...deps, patternBudget, ports: { ...deps.ports, patterns } };
  const isDecidedByPerson = job.facts.agent.config.on_unknown === "ask";
  yield* scheduleCalls(job, deps.maxParallel, {
    giveTurn: deps.giveTurn,
    make: async (call) => await runCall(call, job, stepDeps, deadline, signal),
    onlyWaits: ({ tool }) => onlyWaits(deps.toolset.resolve(tool)),
    isSettledBy: (end) =>
      end.type === "settled" &&
      isSettling(end.outcome.control) &&
      (end.outcome.state !== "unknown" || !isDecidedByPerson),
  });
}

/** True for our own tools of the web: their requests leave together. A tenant's tool may have a large schema. */
function onlyWaits(tool: Tool | null): boolean {
  return tool !== null && tool.written === undefined && tool.needs.includes("web");
}

/**
 * Runs one call, or reports its account or the content of the files that it names. A call with approved files sends the approved
 * bytes. With other content it does not run, and the content is reported for a new decision, even after a person's
 * retry. Never throws.
 */
async function runCall(
  call: Call,
  job: ActJob,
  deps: StepDeps,
  deadline: number,
  signal: AbortSignal,
): Promise<CallEndLine> {
  const { callId, approvedFiles } = call;
  const settle = (end: CallEnd): CallEndLine => toEndLine(callId, end);
  const isVisit = call.mode === "account" && deps.toolset.resolve(call.tool)?.connects === undefined;
  if (isVisit) return settle(await visitAccount(call, job, deps));
  const perform = async (its: StepDeps, copy: WorkingCopy | null = null): Promise<CallEnd> => {
    const taint = new TaintTracker(call.label ?? OUTSIDE);
    for (const { label = TENANT } of copy?.entries.values() ?? []) taint.join(label);
    const sources = openCallSources(callId, job, deps.toolset);
    const { asks } = call;
    // An object of an earlier release names no model.
    const model = job.model === undefined ? null : deps.model;
    const language = new CallLanguage({ model, name: job.model ?? "", asks, task: job.facts });
    const own = withSources({ ...its, ports: { ...its.ports, language } }, sources);
    const outcome = await performCall(call, job, own, { deadline, signal, taint, copy });
    if (!("state" in outcome)) return outcome;
    const asked = asks === undefined ? {} : { asked: language.used };
    return { ...outcome, label: taint.label, ...toReadFields(outcome, taint, sources), ...asked };
  };
  if (approvedFiles === undefined) return settle(await perform(deps));
  const bound = await readBoundFiles(call, job, deps);
  const isFirst = call.attempt === 1 || call.effect === "none";
  const isSame = bound.ok && areSameFiles(bound.value.files, approvedFiles);
  if (call.mode === "bind" || isFirst || call.isRetry === true) {
    if (!bound.ok)
      return settle(isFirst ? toFailureOutcome(bound.error, 0) : { ...unknownOutcome(call.tool), durationMs: 0 });
    if (call.mode === "bind" || !isSame) return { type: "bound", callId, files: bound.value.files };
  }
  if (deps.toolset.resolve(call.tool)?.copies !== undefined) {
    // A program that may have run before never gets other files under the same approval.
    if (!isSame) return settle({ ...unknownOutcome(call.tool), durationMs: 0 });
    return settle(await perform(deps, bound.value.copy));
  }
  let hasChanged = false;
  const files = guardApprovedFiles(deps.ports.files, approvedFiles, () => (hasChanged = true));
  const guarded = { ...deps, ports: { ...deps.ports, files } };
  const outcome = await perform(guarded);
  if (!hasChanged || !isFirst || !("state" in outcome) || outcome.state !== "failed") return settle(outcome);
  // The file changed during the call. Nothing was sent.
  const present = await readBoundFiles(call, job, deps);
  return present.ok ? { type: "bound", callId, files: present.value.files } : settle(outcome);
}

/** Returns the current content of the files that a call names or gives to a program, or why it would fail. */
async function readBoundFiles(call: Call, { facts }: ActJob, deps: PerformDeps): Promise<Result<BoundCopy>> {
  const tool = deps.toolset.resolve(call.tool);
  if (tool === null) return { ok: false, error: toMissingToolFailure(call.tool, deps.toolset) };
  const inside = deps.toolset.admits(tool);
  if (!inside.ok) return inside;
  const { config } = facts.agent;
  if (
    tool.copies === undefined &&
    namesFiles(tool, toCanonicalArguments(tool, call.arguments)) &&
    !config.permissions.includes("read")
  )
    return failed("permission_denied", formatMissingPermission("read", config.permissions));
  try {
    return await bindFiles(tool, toCanonicalArguments(tool, call.arguments), {
      files: deps.ports.files,
      sandbox: getSandboxRules(config),
    });
  } catch (thrown) {
    deps.reportDefect(tool.name, thrown);
    return { ok: false, error: toDefect(tool) };
  }
}

/**
 * Runs one call. Never throws: an error that a tool's functions throw is a defect and becomes a result. Once any
 * attempt may have happened, even one that a crash cut off, the call ends `confirmed` or `unknown`, never `failed`.
 */
async function performCall(
  call: Call,
  job: ActJob,
  deps: CallDeps,
  { deadline, signal, taint, copy }: CallLimits,
): Promise<CallEnd> {
  const started = deps.clock.now();
  const spentMs = () => deps.clock.now() - started;
  let mayHaveHappened = call.attempt > 1 && call.effect !== "none";
  let hasResult = false;
  const end = (failure: Failure, result?: unknown): CallOutcome =>
    giveUp(mayHaveHappened) === "unknown"
      ? { ...unknownOutcome(call.tool), durationMs: spentMs() }
      : toFailureOutcome(failure, spentMs(), result);

  const tool = deps.toolset.resolve(call.tool);
  if (tool === null) return end(toMissingToolFailure(call.tool, deps.toolset));
  taint.begin(tool);
  if (call.isUnjudged === true && !mayHaveHappened && mayCarryData(tool, toCanonicalArguments(tool, call.arguments)))
    return { ...refusedOutcome(NOT_JUDGED), durationMs: spentMs() };
  if ((await hashArguments(call.tool, call.arguments, call.account)) !== call.argumentsHash) {
    reportOtherArguments(call, deps);
    return end(OTHER_ARGUMENTS);
  }
  const refuse = async () => await refuseAction(tool, call, job.facts.agent.id, deps.appRights);
  // A look-up sends nothing, so that a right which was taken away, or cannot be read, does not hide what happened.
  const refused = call.mode === "probe" ? null : await refuse();
  if (refused !== null) {
    // What counted as a read until now may have had an effect.
    mayHaveHappened ||= call.attempt > 1 && isOtherClass(refused);
    return mayHaveHappened ? end(refused) : { ...refusedOutcome(refused), durationMs: spentMs() };
  }
  if (tool.app !== undefined || tool.queries !== undefined || call.account !== undefined) {
    const checked = await checkAccount({ ...toVisit(job, deps), call, tool }, mayHaveHappened);
    // An attempt that may have happened is never repeated through another account.
    if (checked.kind !== "same")
      return mayHaveHappened ? { ...unknownOutcome(call.tool), durationMs: spentMs() } : toCallEnd(checked);
  }
  // The phase may have ended while the call waited for its turn.
  if (deadline <= started || signal.aborted) {
    return end({ code: "timeout", message: `There was no time left to call ${tool.name}. It was not called.` });
  }
  let timeLimit: TimeLimit | null = null;
  try {
    const given = toCanonicalArguments(tool, call.arguments) as never;
    const timeoutMs = Math.min(getTimeoutMs(tool, given, call.mode), deadline - started);
    timeLimit = openTimeLimit(deps.timer, timeoutMs, signal);
    const { signal: limit } = timeLimit;
    const work = deps.meterWork(limit);
    const approved = copy === null ? {} : { approvedCopy: copy };
    const known = { signal: limit, nowMs: started, giveWay: work.giveWay, ...approved };
    const context = createContext(call, job, tool, { ...deps, ports: taint.watch(deps.ports) }, known);

    const attempted = toAttempted(call, started);
    const mode = isRepeatOfKey(call) ? chooseRecovery(attempted, started) : call.mode;
    if (mode === "unknown") return { ...unknownOutcome(call.tool), durationMs: spentMs() };
    if (mode === "probe") {
      const probed = await probeTool(
        tool,
        given,
        { ...context, attempt: call.attempt - 1 },
        { limit, timer: deps.timer },
      );
      hasResult = probed.kind === "happened";
      if (probed.kind === "happened") return await toResultOutcome(tool, probed, call, job, deps, spentMs());
      if (probed.kind === "cannot_tell") return { ...unknownOutcome(call.tool), durationMs: spentMs() };
      mayHaveHappened = false;
      if (probed.failure !== undefined) return end(probed.failure);
      const isRefused = await refuse();
      if (isRefused !== null) return { ...refusedOutcome(isRefused), durationMs: spentMs() };
    }

    // The envelope may have narrowed since the call was requested.
    const inside = deps.toolset.admits(tool);
    if (!inside.ok && mayHaveHappened) return end(inside.error);
    if (!inside.ok) return { ...refusedOutcome(inside.error), durationMs: spentMs() };

    if (call.mode === "upload") {
      const uploaded = await uploadFiles(tool, given, context, limit);
      return uploaded.ok ? { uploaded: uploaded.value } : end(uploaded.error);
    }

    for (let tries = 0; ; tries += 1) {
      const outcome = await runTool(tool, given, context, {
        limit,
        timeoutMs,
        timer: deps.timer,
        work,
        reporter: deps,
      });
      hasResult = outcome.kind === "result";
      if (outcome.kind === "control") return toControlOutcome(outcome.control, spentMs());
      if (outcome.kind === "result") return await toResultOutcome(tool, outcome, call, job, deps, spentMs());
      const { failure } = outcome;
      const delayMs = Math.max(deps.retryDelaysMs[tries] ?? Infinity, failure.retryAfterMs ?? 0);
      const retryAt = deps.clock.now() + delayMs;
      const isFirstToSend = !mayHaveHappened;
      const decided = decideAfterFailure("tool_call", failure, { ...attempted, mayHaveHappened, retryAt });
      ({ mayHaveHappened } = decided);
      // The app refused the account before anything was done.
      if (!mayHaveHappened && call.account !== undefined && isEndOf(call.account, failure))
        return toControlOutcome({ kind: "connect", app: call.account.app, reason: "expired" }, spentMs());
      // No retry if the receiver's delay exceeds this call's limit.
      if (decided.next === "retry" && delayMs < timeoutMs - spentMs() && (await sleep(deps.timer, delayMs, limit)))
        continue;
      if (decided.isLost && call.effect === "probe") {
        const probed = await probeLost(tool, given, context, {
          timer: deps.timer,
          signal,
          leftMs: deadline - deps.clock.now(),
        });
        hasResult = probed.kind === "happened";
        if (probed.kind === "happened") return await toResultOutcome(tool, probed, call, job, deps, spentMs());
        const refused = probed.kind === "not_happened" && isFirstToSend ? probed.failure : undefined;
        if (refused !== undefined) return toFailureOutcome(refused, spentMs());
      }
      return end(failure, outcome.result);
    }
  } catch (thrown) {
    deps.reportDefect(tool.name, thrown);
    const defect = toDefect(tool);
    return hasResult ? { ...toFailureOutcome(defect, spentMs()), state: "confirmed" } : end(defect);
  } finally {
    timeLimit?.end();
  }
}

function toControlOutcome(control: Control, durationMs: number): CallOutcome {
  return { state: "confirmed", result: { ok: true, result: null }, content: "", control, durationMs };
}

function reportOtherArguments({ tool, callId }: Call, deps: DefectReporter): void {
  deps.reportDefect(tool, new Error(`the arguments of ${callId} are not those of its ledger row's hash`));
}

/** Chooses the account of a call again. Nothing is sent. */
async function visitAccount(call: Call, job: ActJob, deps: PerformDeps): Promise<CallEnd> {
  const tool = deps.toolset.resolve(call.tool);
  if (tool === null) return toFailureOutcome(toMissingToolFailure(call.tool, deps.toolset), 0);
  const inside = deps.toolset.admits(tool);
  if (!inside.ok) return refusedOutcome(inside.error);
  if ((await hashArguments(call.tool, call.arguments, call.account)) !== call.argumentsHash) {
    reportOtherArguments(call, deps);
    return toFailureOutcome(OTHER_ARGUMENTS, 0);
  }
  return toCallEnd(await chooseAgain({ ...toVisit(job, deps), call, tool }));
}

function toVisit({ facts, actors }: ActJob, { connections, ports: { databases } }: PerformDeps) {
  return { facts, connections, databases, ...(actors === undefined ? {} : { actors }) };
}

function toCallEnd(checked: Exclude<AccountCheck, { kind: "same" }>): CallEnd {
  return checked.kind === "refused" ? refusedOutcome(checked.failure) : { accounted: checked.ruling };
}

/** True for an attempt that repeats an earlier one under its key. */
function isRepeatOfKey({ effect, attempt, mode }: Call): boolean {
  return effect === "keyed" && attempt > 1 && mode === "run";
}

/** Returns the attempted effect. A first attempt, also after a probe that found nothing, begins the key's lifetime. */
function toAttempted(call: Call, now: number): AttemptedEffect {
  const isFirst = call.attempt === 1 || call.mode === "probe";
  const sentAt = isFirst ? now : call.sentAt;
  return { ...pickTerms(call), ...(sentAt === undefined ? {} : { sentAt }) };
}
