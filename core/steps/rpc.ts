/** What a task's object says to the step runner over RPC. Everything but a `HopListener` is structured-cloneable. */
import type { Result } from "../base/errors.ts";
import type { HopListener } from "./lines.ts";
import type { Message, ModelUsage } from "../model/messages.ts";
import type { Label } from "../provenance/label.ts";
import type { ModelFailure } from "../ports/model.ts";
import type { CallOutcome, ModelReply, RevisedCall } from "../task/commands.ts";
import type { CallOfHop, RequestGuess } from "../task/decision.ts";
import type { TaskFacts } from "../task/state.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";

/** What every job has. */
interface Versioned {
  /** Absent from an object of a release before versions. */
  readonly version?: number;
}

/** The last line of a runner that does not know the form of the job, or no such job at all. Nothing began. */
export interface Unsupported {
  readonly type: "unsupported";
}

/** What hop one needs. */
export interface ThinkJob extends Versioned {
  readonly facts: TaskFacts;
  readonly model: string;
  readonly step: number;
  readonly attempt: number;
  readonly final: boolean;
  /** An object of an earlier release sends messages without labels. */
  readonly messages: readonly Message[];
  /** The join over what the task has read; absent from an object of an earlier release. */
  readonly label?: Label;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** Absent when the size of the request is known, and from an object of an earlier release: nothing is measured. */
  readonly guess?: RequestGuess;
  /** Absent from an object of an earlier release, which knows no `progress`. */
  readonly reportsProgress?: true;
}

/**
 * A line of hop one. `replied`, `failed` or `unaffordable` is the last one. `measured` and `unaffordable` answer a job with a
 * guess.
 */
export type ThinkLine =
  | { readonly type: "text"; readonly text: string }
  /** An estimate of the output so far, after each further `CHECKPOINT_TOKENS`. */
  | { readonly type: "progress"; readonly outputTokens: number }
  /** The guess was wrong: the size of the request, and the output that it asks for. */
  | { readonly type: "measured"; readonly inputTokens: number; readonly outputTokens: number }
  /** The request alone holds more than the call may use. The model was not asked. */
  | { readonly type: "unaffordable"; readonly inputTokens: number }
  | { readonly type: "replied"; readonly reply: ModelReply }
  | { readonly type: "failed"; readonly failure: ModelFailure }
  | Unsupported;

/** A settled result of the task itself, from its ledger. `content` is what the model read of it. */
export interface OwnResult {
  readonly callId: string;
  readonly content: string;
  readonly label: Label;
}

/** What hop two needs. Arguments are those of the ledger. */
export interface ActJob extends Versioned {
  readonly facts: TaskFacts;
  readonly step: number;
  /** Their attempts are stored: each may start. */
  readonly calls: readonly CallOfHop[];
  /**
   * Calls that start only after a line has named them in `starts` and the object has stored it. Absent from an object of
   * an earlier release; a runner of an earlier release does not make them, and a later hop does.
   */
  readonly later?: readonly CallOfHop[];
  /**
   * The results of this task that its calls read again, so that the runner does not ask the object that waits for it. Absent
   * from an object of an earlier release, which is asked.
   */
  readonly results?: readonly OwnResult[];
  readonly timeoutMs: number;
}

/**
 * A line of hop two. `starts`: calls of `later` that the runner starts once the object has stored this line. They come
 * with the call whose end makes room for them, so that both are one write.
 */
export type ActLine =
  | {
      readonly type: "settled";
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly starts?: readonly string[];
    }
  /** The content of the files that a call names. The call was not made. */
  | {
      readonly type: "bound";
      readonly callId: string;
      readonly files: readonly BoundFile[];
      readonly starts?: readonly string[];
    }
  | { readonly type: "starting"; readonly starts: readonly string[] }
  | Unsupported;

/** True for a line whose sender waits until the object has stored it. */
export function mustBeStored(line: ActLine): boolean {
  return line.type !== "unsupported" && line.starts !== undefined;
}

/**
 * What shortening needs: long results to summarise, and the older steps to tell in short. `previous` is the text that
 * stands for the steps before `messages`. Without a model, results stay as they are and history is shortened by rule.
 */
export interface CondenseJob extends Versioned {
  readonly facts: TaskFacts;
  readonly model: string;
  readonly withModel: boolean;
  readonly results: readonly { readonly callId: string; readonly tool: string }[];
  readonly history: {
    readonly through: number;
    readonly previous: string | null;
    /** The messages to be replaced. */
    readonly messages: readonly Message[];
    /** The messages that stay: the first ones and those of later steps. */
    readonly kept: readonly Message[];
  } | null;
  readonly timeoutMs: number;
  /** Absent from an object of an earlier release, which knows no `progress`. */
  readonly reportsProgress?: true;
}

/**
 * A line of the shortening. Each result brings one: without content it stays as it is. One that brings none was cut
 * off, and what its model call used is not known.
 */
export type CondenseLine =
  /** An estimate of the text for the older steps so far, after each further `CHECKPOINT_TOKENS`. */
  | { readonly type: "progress"; readonly outputTokens: number }
  | { readonly type: "result"; readonly callId: string; readonly content: string | null; readonly usage: ModelUsage }
  | {
      readonly type: "history";
      readonly through: number;
      readonly text: string;
      readonly contextTokens: number;
      readonly usage: ModelUsage | null;
    }
  | Unsupported;

/** A call whose arguments a person replaced. */
export interface ReviseJob extends Versioned {
  readonly facts: TaskFacts;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The step runner. Each phase sends its lines to the listener, gives the last one, if it has one, and ends when it is given up.
 * The names of the methods are new with `JOB_VERSION`: a runner of a release before versions, which would ignore what it does
 * not know, has none of them.
 */
export interface StepsRpc {
  runModelPhase(job: ThinkJob, listener: HopListener<ThinkLine>): Promise<ThinkLine | null>;
  runToolPhase(job: ActJob, listener: HopListener<ActLine>): Promise<ActLine | null>;
  shorten(job: CondenseJob, listener: HopListener<CondenseLine>): Promise<CondenseLine | null>;
  /** Takes a person's arguments through the gateway: envelope, validation, policy (an `ask` counts as granted), hash. */
  reviseCall(job: ReviseJob): Promise<Result<RevisedCall>>;
}

/** The same for objects of a release before versions, whose jobs have none. */
export interface EarlierStepsRpc {
  think: StepsRpc["runModelPhase"];
  act: StepsRpc["runToolPhase"];
  condense: StepsRpc["shorten"];
  revise: StepsRpc["reviseCall"];
}

/** True for the error of a call to a runner that lacks the method, in the words of workerd. */
export function lacksMethod(thrown: unknown): boolean {
  return thrown instanceof Error && /does not implement the method/.test(thrown.message);
}
