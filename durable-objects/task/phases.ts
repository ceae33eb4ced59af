/** The hops of a step, as the object makes them: the job from what is stored, and what the runner's lines make happen. */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { stepsFromEnv } from "../../adapters/env/steps.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { LineListener } from "../../core/steps/lines.ts";
import type { WatchFrame } from "../../core/task/events.ts";
import {
  type ActJob,
  type ActLine,
  type CondenseJob,
  type CondenseLine,
  lacksMethod,
  type OwnResult,
  type ThinkJob,
  type ThinkLine,
  type UnsupportedLine,
} from "../../core/steps/rpc.ts";
import { JOB_VERSION, OTHER_RELEASE, REFUSED_JOB_RETRY_MS } from "../../core/steps/job-version.ts";
import { getExpandedResult } from "../../core/steps/expanded-result.ts";
import type { ModelFailure } from "../../core/ports/model.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import { getCurrentFacts } from "../../core/task/skills-in-force.ts";
import { canRun } from "../../core/task/advance.ts";
import type { Command } from "../../core/task/commands.ts";
import type { RunnableCall, CallToMake, LedgerRow, Work } from "../../core/task/decision.ts";
import type { TaskState } from "../../core/task/state.ts";
import { OpenHop } from "./open-phase.ts";
import type { TaskStore } from "./store.ts";

type Think = Extract<Work, { kind: "think" }>;
type Act = Extract<Work, { kind: "act" }>;
type Condense = Extract<Work, { kind: "condense" }>;
/** A command, or text for whoever watches. What came together is given at once, so that it is stored together. */
type Happening = Command | Extract<WatchFrame, { delta: unknown }>;
type Happenings = AsyncGenerator<readonly Happening[], void, void>;

/** The work that the step runner does. */
export type HopWork = Think | Act | Condense;

/** Makes the hops of one object. At most one is under way. */
export class TaskHops {
  private readonly env: Env;
  private readonly store: TaskStore;
  private readonly maxParallel: number;
  private open: Pick<OpenHop<unknown>, "giveUp"> | null = null;
  private mayStartCalls = true;

  constructor(env: Env, store: TaskStore) {
    this.env = env;
    this.store = store;
    this.maxParallel = settingsFromEnv(env).maxParallelToolCalls;
  }

  /** False: no call starts from now on, not even one that the hop under way has still to make. Those under way continue. */
  allowStarts(isAllowed: boolean): void {
    this.mayStartCalls = isAllowed;
  }

  /** Makes a hop for the run of the alarm with this name, and gives what happens as it happens; its end is the last. */
  async *make(work: HopWork, incarnation: string): Happenings {
    const state = this.store.load()?.state;
    if (state === undefined) return;
    switch (work.kind) {
      case "think":
        return yield* this.think(work, state, incarnation);
      case "act":
        return yield* this.act(work, state, incarnation);
      case "condense":
        return yield* this.condense(work, state, incarnation);
    }
  }

  /** Ends the hop that is under way, and with it the model call or the tool calls. */
  cancel(): void {
    this.open?.giveUp();
  }

  /** Hop one: the model's text as it comes, then its reply or its failure. Without either, it was cut off. */
  private async *think(work: Think, state: TaskState, incarnation: string): Happenings {
    const { step, attempt } = work;
    const { repeat, steeredBy: label } = state;
    const facts = getCurrentFacts(state);
    const messages = this.store.conversation.messages(state);
    const job: ThinkJob = { version: JOB_VERSION, ...work, facts, repeat, messages, label };
    const hop = { step, attempt, incarnation };
    for await (const lines of this.lines<ThinkLine>(
      (listener) => stepsFromEnv(this.env).runModelPhase(job, listener),
      incarnation,
    )) {
      yield lines.map((line): Happening => {
        switch (line.type) {
          case "text":
            return { delta: { step, attempt, text: line.text } };
          case "progress":
            return { ...line, type: "model_progressed", ...hop };
          case "measured":
            return { ...line, type: "request_measured", ...hop };
          case "unaffordable":
            return { ...line, type: "request_refused", ...hop };
          case "failed":
            return { type: "model_failed", ...hop, failure: line.failure };
          case "unsupported":
            return { type: "model_failed", ...hop, failure: REFUSED };
          case "replied":
            return { type: "model_replied", ...hop, reply: line.reply, maxParallel: this.maxParallel };
        }
      });
      if (lines.some(isLast)) return;
    }
    yield [{ type: "model_failed", ...hop, failure: CUT_OFF }];
  }

  /** Hop two: each outcome as its call ends, and each attempt before it leaves. Calls that bring none were cut off. */
  private async *act(work: Act, state: TaskState, incarnation: string): Happenings {
    const { step, timeoutMs } = work;
    const asked = new Map(state.batch.map((call) => [call.id, call]));
    const made = [...work.calls, ...work.later].map(({ callId }) => callId);
    const rows = new Map(this.store.calls(made).map((row) => [row.callId, row]));
    const withRow = (call: CallToMake): RunnableCall[] => {
      const row = rows.get(call.callId);
      if (row === undefined) return [];
      const { tool, arguments: given, argumentsHash, effect, key } = row;
      const {
        resumed,
        label = OUTSIDE,
        touches = [],
        consent,
        dispatches = false,
        namesFiles = false,
        isUnjudged = false,
      } = asked.get(call.callId) ?? {};
      const approvedFiles = consent === undefined ? {} : { approvedFiles: consent.approved ?? [] };
      const resume = resumed === undefined ? {} : { resumed };
      const written = { tool, arguments: given, argumentsHash, effect, key, label };
      return [{ ...call, ...written, touches, dispatches, namesFiles, isUnjudged, ...approvedFiles, ...resume }];
    };
    const [calls, later] = [work.calls.flatMap(withRow), work.later.flatMap(withRow)];
    const results = this.readAgain([...calls, ...later]);
    const version = JOB_VERSION;
    const job: ActJob = { version, facts: getCurrentFacts(state), step, calls, later, results, timeoutMs };
    for await (const lines of this.lines<ActLine>(
      (listener) => stepsFromEnv(this.env).runToolPhase(job, listener),
      incarnation,
      (line) => this.haveStarted(later.filter(({ callId }) => startsOf(line).includes(callId))),
    )) {
      if (lines.some(isUnsupported)) return yield [refusedHop(work.step, incarnation, work.calls)];
      yield lines.flatMap((line): Command[] => {
        const hop = { step, incarnation };
        const settled = endOfCall(line, hop, rows);
        const callIds = startsOf(line);
        const mayStart = this.mayStartCalls && callIds.length > 0;
        return mayStart ? [...settled, { type: "calls_starting", ...hop, callIds }] : settled;
      });
    }
    yield [{ type: "runner_call_ended", step, incarnation }];
  }

  /** The hop that shortens: each summary as it is written, or the older steps in short. */
  private async *condense(work: Condense, state: TaskState, incarnation: string): Happenings {
    const { step, model, withModel, timeoutMs } = work;
    const facts = getCurrentFacts(state);
    const results = this.store.calls(work.results).map(({ callId, tool }) => ({ callId, tool }));
    const history = work.history === null ? null : this.store.conversation.history(work.history, state);
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
    for await (const lines of this.lines<CondenseLine>(call, incarnation)) {
      if (lines.some(isUnsupported)) return yield [refusedHop(step, incarnation, [])];
      yield lines.flatMap((line): Command[] => {
        if (line.type === "progress") return [{ ...line, type: "history_progressed", step, incarnation }];
        if (line.type === "result") return [{ ...line, type: "result_condensed", step, incarnation }];
        return line.type === "history" ? [{ ...line, type: "history_condensed", step, incarnation }] : [];
      });
    }
    yield [{ type: "runner_call_ended", step, incarnation }];
  }

  /**
   * A hop that breaks, and one that is not wanted any more, ends early; giving it up ends its work. A runner of a release before
   * versions lacks the method: its hop ends with `unsupported`.
   */
  private async *lines<Line extends { readonly type: string } | UnsupportedLine>(
    call: (listener: LineListener<Line>) => Promise<Line | null>,
    incarnation: string,
    isStored?: (line: Line) => Promise<boolean>,
  ): AsyncGenerator<readonly Line[], void, void> {
    const hop = new OpenHop<Line>(isStored);
    this.open = hop;
    try {
      for await (const lines of hop.make(call)) {
        if (!this.isWanted(incarnation)) return;
        yield lines;
      }
    } catch (thrown) {
      if (thrown instanceof Error && lacksMethod(thrown.cause)) yield [{ type: "unsupported" } as Line];
      else console.error("a hop broke", thrown);
    } finally {
      this.open = null;
      hop.giveUp();
    }
  }

  /** The settled results of this task that some of these calls read again. */
  private readAgain(calls: readonly RunnableCall[]): OwnResult[] {
    const ids = calls.flatMap(({ tool, arguments: given }) => getExpandedResult(tool, given) ?? []);
    return this.store.calls([...new Set(ids)]).flatMap(({ callId, settledAt, content, label = OUTSIDE }) => {
      return settledAt === null || content === null ? [] : [{ callId, content, label }];
    });
  }

  /** True once these attempts are on disk and the task still wants the calls made. */
  private async haveStarted(starting: readonly CallToMake[]): Promise<boolean> {
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

  /** True while the hop that this run of the alarm makes is still the task's. */
  private isWanted(incarnation: string): boolean {
    const phase = this.store.load()?.state.phase;
    return phase !== undefined && "incarnation" in phase && phase.incarnation === incarnation;
  }
}

/** True for the line that ends hop one. */
function isLast({ type }: ThinkLine): boolean {
  return type === "replied" || type === "failed" || type === "unaffordable" || type === "unsupported";
}

function isUnsupported({ type }: { readonly type: string }): boolean {
  return type === "unsupported";
}

function startsOf(line: ActLine): readonly string[] {
  return line.type === "unsupported" ? [] : (line.starts ?? []);
}

/** The runner is of another release and began nothing of these calls. */
function refusedHop(step: number, incarnation: string, calls: readonly CallToMake[]): Command {
  return { type: "runner_call_refused", step, incarnation, callIds: calls.map(({ callId }) => callId) };
}

/** What a line says of one call; empty: only that others start. */
function endOfCall(
  line: ActLine,
  hop: { readonly step: number; readonly incarnation: string },
  rows: ReadonlyMap<string, LedgerRow>,
): Command[] {
  switch (line.type) {
    case "settled":
      return [{ type: "call_settled", ...hop, callId: line.callId, outcome: line.outcome }];
    case "bound": {
      const { callId, files } = line;
      return [{ type: "call_bound", ...hop, callId, files, arguments: rows.get(callId)?.arguments ?? null }];
    }
    case "starting":
    case "unsupported":
      return [];
  }
}

/** No model was asked. */
const REFUSED: ModelFailure = {
  kind: "unavailable",
  retryable: true,
  retryAfterMs: REFUSED_JOB_RETRY_MS,
  message: OTHER_RELEASE,
};

const CUT_OFF: ModelFailure = {
  kind: "cut_off",
  retryable: true,
  retryAfterMs: null,
  message: "The step was cut off before the model had answered.",
};
