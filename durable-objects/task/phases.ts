/**
 * The phases of a step as runner calls: creates each job from the stored task, and turns the runner's lines into
 * commands.
 */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { stepsFromEnv } from "../../adapters/env/steps.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type LineListener, sendLines } from "../../core/steps/lines.ts";
import type { OwnPhases } from "../../core/steps/own-phases.ts";
import type { Delta } from "../../core/task/watch-frames.ts";
import {
  type ActJob,
  type ActLine,
  type CondenseJob,
  type CondenseLine,
  lacksMethod,
  mustBeStored,
  type OwnResult,
  type ThinkJob,
  type ThinkLine,
  type UnsupportedLine,
} from "../../core/steps/rpc.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import { getExpandedResult } from "../../core/steps/expanded-result.ts";
import { toJobSources } from "../../core/knowledge/sources.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import { getCurrentFacts } from "../../core/task/skills-in-force.ts";
import { canRun } from "../../core/task/advance.ts";
import type { Command } from "../../core/task/commands.ts";
import type { CallToMake, RunnableCall, Work } from "../../core/task/decision.ts";
import type { TaskState } from "../../core/task/state.ts";
import {
  createRefusal,
  getStarts,
  INTERRUPTED,
  isFinal,
  isUnsupported,
  REFUSED,
  toAccountOfCall,
  toCommands,
} from "./phase-lines.ts";
import { RunnerCall } from "./runner-call.ts";
import type { TaskStore } from "./store.ts";

type Think = Extract<Work, { kind: "think" }>;
type Act = Extract<Work, { kind: "act" }>;
type Condense = Extract<Work, { kind: "condense" }>;
/** A command, or text for watchers. Lines that arrived together are yielded together, so that one write stores them. */
type PhaseResult = Command | { readonly delta: Delta };
type PhaseResults = AsyncGenerator<readonly PhaseResult[], void, void>;

/** Reads that end within this time are stored together. The last one waits for no other. */
const JOIN_RESULTS_MS = 5;

/** The work of a phase. */
export type PhaseWork = Think | Act | Condense;

/** Runs the phases of one object, at most one at a time. */
export class TaskPhases {
  private readonly env: Env;
  private readonly store: TaskStore;
  /** The most parallel calls of a step. */
  readonly maxParallel: number;
  /** The phases that this object runs itself; null if the step runner runs all of them. */
  private readonly own: OwnPhases | null;
  private open: Pick<RunnerCall<unknown>, "abandon"> | null = null;
  private mayStartCalls = true;

  constructor(env: Env, store: TaskStore, ownPhases: OwnPhases) {
    const { maxParallelToolCalls, modelPhase } = settingsFromEnv(env);
    this.env = env;
    this.store = store;
    this.maxParallel = maxParallelToolCalls;
    this.own = modelPhase === "object" ? ownPhases : null;
  }

  /** When false, no call starts from now on, not even a later one of the running phase. Running calls continue. */
  allowStarts(isAllowed: boolean): void {
    this.mayStartCalls = isAllowed;
  }

  /** Runs a phase for this run of the alarm, and yields results as they arrive. The last one ends the phase. */
  async *run(work: PhaseWork, incarnation: string): PhaseResults {
    const state = this.store.load()?.state;
    if (state === undefined) return;
    switch (work.kind) {
      case "think":
        return yield* this.runModelPhase(work, state, incarnation);
      case "act":
        return yield* this.runToolPhase(work, state, incarnation);
      case "condense":
        return yield* this.runCondensePhase(work, state, incarnation);
    }
  }

  /** True for work that calls the step runner, or in its place perhaps the object of the sidecar's container. */
  mayCallRunner({ kind }: PhaseWork): boolean {
    return kind !== "think" || this.own === null;
  }

  /** Abandons the running phase, with its model call or tool calls. */
  cancel(): void {
    this.open?.abandon();
  }

  /** The model phase: text as it arrives, then the reply or failure. Without either, it was interrupted. */
  private async *runModelPhase(work: Think, state: TaskState, incarnation: string): PhaseResults {
    const { step, attempt } = work;
    const { repeat, steeredBy: label, actors } = state;
    const facts = getCurrentFacts(state);
    const messages = this.store.conversation.readMessages(state);
    const given = toJobSources(state.sources);
    const job: ThinkJob = { version: JOB_VERSION, ...work, facts, repeat, messages, label, actors, ...given };
    const phase = { step, attempt, incarnation };
    const { own } = this;
    const call = (listener: LineListener<ThinkLine>) =>
      own === null
        ? stepsFromEnv(this.env).runModelPhase(job, listener)
        : sendLines(listener, (signal) => own.streamModelPhase(job, signal));
    for await (const lines of this.callRunner<ThinkLine>(call, incarnation)) {
      yield lines.map((line): PhaseResult => {
        switch (line.type) {
          case "text":
            return { delta: { step, attempt, text: line.text } };
          case "progress":
            return { ...line, type: "model_progressed", ...phase };
          case "measured":
            return { ...line, type: "request_measured", ...phase };
          case "unaffordable":
            return { ...line, type: "request_refused", ...phase };
          case "failed":
            return { type: "model_failed", ...phase, failure: line.failure };
          case "unsupported":
            return { type: "model_failed", ...phase, failure: REFUSED };
          case "replied":
            return { type: "model_replied", ...phase, reply: line.reply, maxParallel: this.maxParallel };
        }
      });
      if (lines.some(isFinal)) return;
    }
    yield [{ type: "model_failed", ...phase, failure: INTERRUPTED }];
  }

  /**
   * The tool phase: each outcome as its call ends, and each attempt before it starts. A call without an outcome was
   * interrupted.
   */
  private async *runToolPhase(work: Act, state: TaskState, incarnation: string): PhaseResults {
    const { step, timeoutMs } = work;
    const batch = new Map(state.batch.map((call) => [call.id, call]));
    const callIds = [...work.calls, ...work.later].map(({ callId }) => callId);
    const rows = new Map(this.store.ledger.readCalls(callIds).map((row) => [row.callId, row]));
    const addRow = (call: CallToMake): RunnableCall[] => {
      const row = rows.get(call.callId);
      if (row === undefined) return [];
      const { tool, arguments: given, argumentsHash, effect, key, intendedAt } = row;
      const stored = batch.get(call.callId);
      const {
        resumed,
        label = OUTSIDE,
        touches = [],
        consent,
        dispatches = false,
        namesFiles = false,
        isUnjudged = false,
        security,
        asks,
      } = stored ?? {};
      const level = { ...(security === undefined ? {} : { security }), ...(asks === undefined ? {} : { asks }) };
      const approvedFiles = consent === undefined ? {} : { approvedFiles: consent.approved ?? [] };
      const resume = resumed === undefined ? {} : { resumed };
      const uploads = stored?.uploads == null ? {} : { uploads: stored.uploads };
      const through = stored?.accountRounds === undefined ? {} : toAccountOfCall(stored);
      const written = { tool, arguments: given, argumentsHash, effect, key, intendedAt, label };
      const known = { touches, dispatches, namesFiles, isUnjudged, ...level };
      return [{ ...call, ...written, ...known, ...approvedFiles, ...resume, ...uploads, ...through }];
    };
    const [calls, later] = [work.calls.flatMap(addRow), work.later.flatMap(addRow)];
    const results = this.findExpandedResults([...calls, ...later]);
    const facts = getCurrentFacts(state);
    const { actors } = state;
    const model = facts.models[state.model.index]?.name ?? "";
    const sent = { version: JOB_VERSION, facts, hearsAll: true, actors, model } as const;
    const job: ActJob = { ...sent, step, calls, later, results, timeoutMs, ...toJobSources(state.sources) };
    for await (const lines of this.callRunner<ActLine>(
      (listener) => this.startToolPhase(job, listener, incarnation),
      incarnation,
      (line) => this.confirmStarts(later.filter(({ callId }) => getStarts(line).includes(callId))),
    )) {
      if (lines.some(isUnsupported)) return yield [createRefusal(work.step, incarnation, work.calls)];
      yield lines.flatMap((line): Command[] => {
        const phase = { step, incarnation };
        const settled = toCommands(line, phase, rows);
        const callIds = getStarts(line);
        const mayStart = this.mayStartCalls && callIds.length > 0;
        return mayStart ? [...settled, { type: "calls_starting", ...phase, callIds }] : settled;
      });
    }
    yield [{ type: "runner_call_ended", step, incarnation }];
  }

  /** Makes calls that only read from the web in this object, and all others in the step runner. */
  private async startToolPhase(
    job: ActJob,
    listener: LineListener<ActLine>,
    incarnation: string,
  ): Promise<ActLine | null> {
    const { own } = this;
    const isOwn = own !== null && (await own.onlyReads(job));
    // The phase may have been cut off meanwhile.
    if (!this.isWanted(incarnation)) return null;
    if (!isOwn) return await stepsFromEnv(this.env).runToolPhase(job, listener);
    const giveTurn = async () => await scheduler.wait(JOIN_RESULTS_MS);
    return await sendLines(listener, (signal) => own.streamToolPhase(job, signal), { mustBeStored, giveTurn });
  }

  /** The condense phase: each summary as it is written, or the condensed older steps. */
  private async *runCondensePhase(work: Condense, state: TaskState, incarnation: string): PhaseResults {
    const { step, model, withModel, timeoutMs } = work;
    const facts = getCurrentFacts(state);
    const results = this.store.ledger.readCalls(work.results).map(({ callId, tool }) => ({ callId, tool }));
    const history = work.history === null ? null : this.store.conversation.readHistory(work.history, state);
    const job: CondenseJob = {
      version: JOB_VERSION,
      facts,
      model,
      withModel,
      results,
      history,
      timeoutMs,
      reportsProgress: true,
    };
    const call = (listener: LineListener<CondenseLine>) => stepsFromEnv(this.env).shorten(job, listener);
    for await (const lines of this.callRunner<CondenseLine>(call, incarnation)) {
      if (lines.some(isUnsupported)) return yield [createRefusal(step, incarnation, [])];
      yield lines.flatMap((line): Command[] => {
        if (line.type === "progress") return [{ ...line, type: "history_progressed", step, incarnation }];
        if (line.type === "result") return [{ ...line, type: "result_condensed", step, incarnation }];
        return line.type === "history" ? [{ ...line, type: "history_condensed", step, incarnation }] : [];
      });
    }
    yield [{ type: "runner_call_ended", step, incarnation }];
  }

  /**
   * Calls the runner and yields its lines. A call that fails or is abandoned ends early, and its work with it. A runner
   * of a release before job versions lacks the method: its call ends with `unsupported`.
   */
  private async *callRunner<Line extends { readonly type: string } | UnsupportedLine>(
    call: (listener: LineListener<Line>) => Promise<Line | null>,
    incarnation: string,
    isStored?: (line: Line) => Promise<boolean>,
  ): AsyncGenerator<readonly Line[], void, void> {
    const runnerCall = new RunnerCall<Line>(isStored);
    this.open = runnerCall;
    try {
      for await (const lines of runnerCall.run(call)) {
        if (!this.isWanted(incarnation)) return;
        yield lines;
      }
    } catch (thrown) {
      if (thrown instanceof Error && lacksMethod(thrown.cause)) yield [{ type: "unsupported" } as Line];
      else console.error("a runner call failed", thrown);
    } finally {
      this.open = null;
      runnerCall.abandon();
    }
  }

  /** Finds the settled results of this task that some of these calls expand. */
  private findExpandedResults(calls: readonly RunnableCall[]): OwnResult[] {
    const ids = calls.flatMap(({ tool, arguments: given }) => getExpandedResult(tool, given) ?? []);
    return this.store.ledger.readCalls([...new Set(ids)]).flatMap(({ callId, settledAt, content, label = OUTSIDE }) => {
      return settledAt === null || content === null ? [] : [{ callId, content, label }];
    });
  }

  /** True once these attempts are on disk and the calls are still to be made. */
  private async confirmStarts(starting: readonly CallToMake[]): Promise<boolean> {
    const isCounted = () => {
      const batch = this.store.load()?.state.batch ?? [];
      return starting.every(({ callId, attempt }) =>
        batch.some((call) => call.id === callId && call.attempts === attempt && canRun(call)),
      );
    };
    if (!isCounted()) return false;
    await this.store.sync();
    return isCounted();
  }

  /** True while this runner call belongs to the task's present phase. */
  private isWanted(incarnation: string): boolean {
    const phase = this.store.load()?.state.phase;
    return phase !== undefined && "incarnation" in phase && phase.incarnation === incarnation;
  }
}
