/** The result of a command on a task: the next state, what to store and publish with it, and the work that follows. */
import type { Failure } from "../base/errors.ts";
import type { NewEvent } from "./events.ts";
import type { LabelledMessage } from "../model/messages.ts";
import type { Label } from "../provenance/label.ts";
import type { RevisedCall } from "./commands.ts";
import type { Amount, AmountLimit, LedgerState, TaskFacts, TaskState } from "./state.ts";
import type { PendingView } from "./view.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { EffectClass, Resumed, ToolResult, Touch } from "../tool/tool.ts";

/** The result of `decide`. With `refused`, nothing changed and nothing may be stored. */
export interface Decision {
  readonly state: TaskState;
  readonly events: readonly NewEvent[];
  /** To append to the conversation. Tool messages are not among them: they are read from the ledger. */
  readonly messages: readonly StepMessage[];
  readonly ledger: readonly LedgerChange[];
  readonly spent: readonly Spend[];
  readonly below: readonly BelowChange[];
  /** Replaces the messages of the steps up to `through` in the conversation, and an earlier compaction. */
  readonly compaction: { readonly through: number; readonly text: string } | null;
  readonly work: Work | null;
  readonly refused: Failure | null;
}

/** A call that hop two has to make. `probe`: look first whether an earlier attempt happened. `bind`: only read its files' hashes. */
export interface CallToMake {
  readonly callId: string;
  readonly mode: "run" | "probe" | "bind";
  readonly attempt: number;
  /** True when a person wants the call made again although an earlier attempt may have happened. */
  readonly isRetry?: boolean;
  /**
   * For a keyed call, the start of its first attempt (ms since the epoch) and the lifetime of its key. Absent from an
   * earlier release.
   */
  readonly sentAt?: number;
  readonly keyedForMs?: number;
  readonly canProbe?: boolean;
}

/** A call with all that making it takes. `resumed`: it asked a person before. */
export type CallOfHop = CallToMake &
  Pick<LedgerRow, "tool" | "arguments" | "argumentsHash" | "effect" | "key"> & {
    /** The join over the request that the call was asked for in; absent from an object of an earlier release. */
    readonly label?: Label;
    readonly touches?: readonly Touch[];
    /** As in a `PreparedCall`. */
    readonly dispatches?: boolean;
    readonly namesFiles?: boolean;
    readonly isUnjudged?: boolean;
    /** The files that it may send, with their approved content. Absent: no approval covers its files. */
    readonly approvedFiles?: readonly BoundFile[];
    readonly resumed?: Resumed;
  };

/** A subtask to be made: its facts are this task's own, narrowed. Its words are the arguments of the call. */
export interface SubtaskToMake {
  readonly callId: string;
  readonly facts: Omit<TaskFacts, "input">;
}

/** The guessed size of a request in tokens, and the most that the call may use. */
export interface RequestGuess {
  readonly inputTokens: number;
  readonly ceiling: AmountLimit;
}

/** The work that the object does next. */
export type Work =
  /**
   * Ask the tenant for a permit to begin hops. `used` is the task's own use so far, `need` the least that its next model
   * call needs, `want` the most that it would use.
   */
  | {
      readonly kind: "enter";
      readonly used: Amount;
      readonly need: Amount;
      readonly want: Amount;
      /** False when a model of the task has no known price, and one may be asked. */
      readonly isPriced: boolean;
    }
  | {
      readonly kind: "think";
      readonly step: number;
      readonly attempt: number;
      /** The last call, without tools. */
      readonly final: boolean;
      readonly model: string;
      readonly maxOutputTokens: number;
      readonly timeoutMs: number;
      /** Present while the size of the request is a guess: the runner measures it before it asks the model. */
      readonly guess?: RequestGuess;
      readonly reportsProgress: true;
    }
  /** `calls` have their attempts stored and may start; each of `later` waits for a `calls_starting` of its own. */
  | {
      readonly kind: "act";
      readonly step: number;
      readonly calls: readonly CallToMake[];
      readonly later: readonly CallToMake[];
      readonly timeoutMs: number;
    }
  | { readonly kind: "dispatch"; readonly step: number; readonly subtasks: readonly SubtaskToMake[] }
  /** `results` are calls to summarise; `history`: shorten the steps up to it. Without a model, by rule. */
  | {
      readonly kind: "condense";
      readonly step: number;
      readonly model: string;
      readonly withModel: boolean;
      readonly results: readonly string[];
      readonly history: number | null;
      readonly timeoutMs: number;
    }
  /** Cancel these tasks, which are below this one. */
  | { readonly kind: "cancel"; readonly tasks: readonly string[] };

/** A row of the ledger. `content` is what the model reads of the result. */
export interface LedgerRow {
  readonly callId: string;
  readonly step: number;
  readonly index: number;
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
  readonly effect: EffectClass;
  readonly key: string;
  readonly state: LedgerState;
  readonly attempts: number;
  readonly intendedAt: number;
  readonly settledAt: number | null;
  readonly result: ToolResult | null;
  readonly content: string | null;
  readonly durationMs: number | null;
  /** The label of the result. Absent until it settled; a settled row without one is `OUTSIDE`. */
  readonly label?: Label;
}

/** A change to the ledger: a new row, other arguments, the settling of a row, or a shorter text of its result. */
export type LedgerChange =
  | { readonly kind: "insert"; readonly row: LedgerRow }
  | { readonly kind: "attempt"; readonly callId: string; readonly attempts: number }
  | ({ readonly kind: "revise"; readonly callId: string } & RevisedCall)
  /** The outcome is unknown and a person decides it, or the call runs once more. */
  | { readonly kind: "mark"; readonly callId: string; readonly state: "unknown" | "intended" }
  | { readonly kind: "content"; readonly callId: string; readonly content: string }
  | {
      readonly kind: "settle";
      readonly callId: string;
      readonly state: Exclude<LedgerState, "intended">;
      readonly result: ToolResult;
      readonly content: string;
      readonly settledAt: number;
      readonly durationMs: number;
      readonly label: Label;
      readonly isUpload?: true;
    };

/** A model call that was paid for: one row of a task's spending. `callId`: the tool call that it was made for. */
export interface Spend {
  readonly purpose: "step" | "summary" | "history" | "subtask";
  readonly step: number;
  readonly callId: string | null;
  /** Null for a subtask, whose own models are in its own rows. */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly estimated: boolean;
}

/** The questions and approvals of a subtask, as the task above it stores them. Empty when it waits for no person. */
export interface BelowChange {
  readonly subtask: string;
  readonly pending: readonly PendingView[];
}

/** A message and the step that it is part of; 0: the input. */
export interface StepMessage {
  readonly step: number;
  readonly message: LabelledMessage;
}
