/**
 * The RPC interface between a task's object and the step runner. Everything but a `LineListener` is
 * structured-cloneable.
 */
import type { Result } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";
import type { Actors } from "../connections/actors.ts";
import type { NumberedPiece } from "../knowledge/sources.ts";
import type { LineListener } from "./lines.ts";
import type { Message, ModelUsage } from "../model/messages.ts";
import type { Label } from "../provenance/label.ts";
import type { ModelFailure } from "../ports/model.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { AccountedCall, CallOutcome, ModelReply, RevisedCall } from "../task/commands.ts";
import type { RunnableCall, RequestGuess } from "../task/decision.ts";
import type { TaskFacts } from "../task/state.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";

/** The fields of every job. */
interface Versioned {
  /** Absent from an object of a release before versions. */
  readonly version?: number;
}

/** The last line of a runner that does not support the job or its version. Nothing began. */
export interface UnsupportedLine {
  readonly type: "unsupported";
}

/** The job of a model phase. */
export interface ThinkJob extends Versioned {
  readonly facts: TaskFacts;
  readonly model: string;
  readonly step: number;
  readonly attempt: number;
  readonly final: boolean;
  /** An object of an earlier release sends messages without labels. */
  readonly messages: readonly Message[];
  /** The joined label of what the task has read. Absent from an object of an earlier release. */
  readonly label?: Label;
  /** Who steered the task. Absent from an object of an earlier release: unknown. */
  readonly actors?: Actors;
  /** The sources of the task. Absent without any, and from an object of an earlier release. */
  readonly sources?: readonly NumberedPiece[];
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /**
   * Absent when the size of the request is known, and from an object of an earlier release: then nothing is measured.
   */
  readonly guess?: RequestGuess;
  /** Absent from an object of an earlier release, which knows no `progress`. */
  readonly reportsProgress?: true;
}

/**
 * A line of a model phase. `replied`, `failed` or `unaffordable` is the last one. `measured` and `unaffordable` answer
 * a job with a guess.
 */
export type ThinkLine =
  | { readonly type: "text"; readonly text: string }
  /** The estimated output so far, after each further `CHECKPOINT_TOKENS`. */
  | { readonly type: "progress"; readonly outputTokens: number }
  /** The guess was wrong: the size of the request, and its maximum output. */
  | { readonly type: "measured"; readonly inputTokens: number; readonly outputTokens: number }
  /** The request alone exceeds the limit of the call. The model was not called. */
  | { readonly type: "unaffordable"; readonly inputTokens: number }
  | { readonly type: "replied"; readonly reply: ModelReply }
  | { readonly type: "failed"; readonly failure: ModelFailure }
  | UnsupportedLine;

/** A settled result of the task itself, from its ledger. `content` is what the model read. */
export interface OwnResult {
  readonly callId: string;
  readonly content: string;
  readonly label: Label;
}

/** The job of a tool phase. Arguments are those of the ledger. */
export interface ActJob extends Versioned {
  readonly facts: TaskFacts;
  /** The object hears lines together. Absent from an object of an earlier release, which hears them one by one. */
  readonly hearsAll?: true;
  readonly step: number;
  /** Calls whose attempts are stored, so each may start. */
  readonly calls: readonly RunnableCall[];
  /**
   * Calls that start only after the object has stored a line that names them in `starts`. Absent from an object of an
   * earlier release. A runner of an earlier release skips them; a later tool phase runs them.
   */
  readonly later?: readonly RunnableCall[];
  /**
   * The results of this task that its calls read again, so that the runner need not call back the waiting object.
   * Absent from an object of an earlier release, which is called.
   */
  readonly results?: readonly OwnResult[];
  /** As in a `ThinkJob`. */
  readonly actors?: Actors;
  readonly sources?: readonly NumberedPiece[];
  /** The task's model in use, which answers the questions of tools. Absent from an object of an earlier release: none does. */
  readonly model?: string;
  readonly timeoutMs: number;
}

/**
 * A line of a tool phase. `starts`: calls of `later` that the runner starts once the object has stored this line. They
 * come with the line that frees their slot, so that both are one write.
 */
export type ActLine =
  | {
      readonly type: "settled";
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly starts?: readonly string[];
    }
  /** The content of the files that a call names. The call did not run. */
  | {
      readonly type: "bound";
      readonly callId: string;
      readonly files: readonly BoundFile[];
      readonly starts?: readonly string[];
    }
  /** The files of a call were uploaded. The call did not run. */
  | {
      readonly type: "uploaded";
      readonly callId: string;
      readonly uploads: readonly UploadedFile[];
      readonly starts?: readonly string[];
    }
  /** The account of a call was chosen again. The call did not run. */
  | {
      readonly type: "accounted";
      readonly callId: string;
      readonly ruling: AccountedCall;
      readonly starts?: readonly string[];
    }
  | { readonly type: "starting"; readonly starts: readonly string[] }
  | UnsupportedLine;

/** True for a line whose sender waits until the object has stored it. */
export function mustBeStored(line: ActLine): boolean {
  return line.type !== "unsupported" && line.starts !== undefined;
}

/**
 * The job of a shortening: long results to summarise, and older steps to compact. `previous` is the text that replaces
 * the steps before `messages`. Without a model, results stay as they are and history is compacted by rule.
 */
export interface CondenseJob extends Versioned {
  readonly facts: TaskFacts;
  readonly model: string;
  readonly withModel: boolean;
  readonly results: readonly { readonly callId: string; readonly tool: string }[];
  readonly history: {
    readonly through: number;
    readonly previous: string | null;
    /** The messages to replace. */
    readonly messages: readonly Message[];
    /** The messages that stay: the first ones and those of later steps. */
    readonly kept: readonly Message[];
  } | null;
  readonly timeoutMs: number;
  /** Absent from an object of an earlier release, which knows no `progress`. */
  readonly reportsProgress?: true;
}

/**
 * A line of a shortening, one for each result; without content the result stays as it is. A result without a line was
 * cut off, and its model call's use is unknown.
 */
export type CondenseLine =
  /** The estimated output of the compaction so far, after each further `CHECKPOINT_TOKENS`. */
  | { readonly type: "progress"; readonly outputTokens: number }
  | { readonly type: "result"; readonly callId: string; readonly content: string | null; readonly usage: ModelUsage }
  | {
      readonly type: "history";
      readonly through: number;
      readonly text: string;
      readonly contextTokens: number;
      readonly usage: ModelUsage | null;
    }
  | UnsupportedLine;

/** A call whose arguments a person replaced. */
export interface ReviseJob extends Versioned {
  readonly facts: TaskFacts;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The account of the call, which stays. */
  readonly account?: Account;
}

/**
 * The step runner. Each phase sends its lines to the listener, returns the last one if it has one, and ends when it is
 * cancelled. The method names are new with `JOB_VERSION`: a runner before versions, which would ignore unknown fields,
 * lacks them.
 */
export interface StepsRpc {
  runModelPhase(job: ThinkJob, listener: LineListener<ThinkLine>): Promise<ThinkLine | null>;
  runToolPhase(job: ActJob, listener: LineListener<ActLine>): Promise<ActLine | null>;
  shorten(job: CondenseJob, listener: LineListener<CondenseLine>): Promise<CondenseLine | null>;
  /** Checks a person's arguments: envelope, validation, policy (an `ask` counts as granted), hash. */
  reviseCall(job: ReviseJob): Promise<Result<RevisedCall>>;
}

/** The methods for objects of a release before job versions. */
export interface EarlierStepsRpc {
  think: StepsRpc["runModelPhase"];
  act: StepsRpc["runToolPhase"];
  condense: StepsRpc["shorten"];
  revise: StepsRpc["reviseCall"];
}

/** True for workerd's error of a call to a missing method. */
export function lacksMethod(thrown: unknown): boolean {
  return thrown instanceof Error && /does not implement the method/.test(thrown.message);
}
