/** The result of a command on a task: the next state, what to store and publish with it, and the work that follows. */
import type { Failure } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";
import type { NewEvent } from "./events.ts";
import type { LabelledMessage } from "../model/messages.ts";
import type { ModelUse } from "../ports/language.ts";
import type { Label } from "../provenance/label.ts";
import type { RevisedCall } from "./commands.ts";
import type { Amount, AmountLimit, LedgerState, TaskFacts, TaskState } from "./state.ts";
import type { PendingView } from "./view.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { EffectClass, Resumed, SecurityLevel, ToolResult, Touch } from "../tool/tool.ts";

/** The result of `decide`. With `refused`, nothing changed and nothing is stored. */
export interface Decision {
  readonly state: TaskState;
  readonly events: readonly NewEvent[];
  /** To append to the conversation, without tool messages, which are read from the ledger. */
  readonly messages: readonly StepMessage[];
  readonly ledger: readonly LedgerChange[];
  readonly spent: readonly Spend[];
  readonly below: readonly BelowChange[];
  /** Replaces the messages of the steps up to `through` in the conversation, and an earlier compaction. */
  readonly compaction: { readonly through: number; readonly text: string } | null;
  readonly work: Work | null;
  readonly refused: Failure | null;
}

/**
 * A call of the tool phase. `probe`: first check whether an earlier attempt happened. `bind`: only read the hashes of
 * its files. `account`: only choose its account again. `upload`: only upload its files.
 */
export interface CallToMake {
  readonly callId: string;
  readonly mode: "run" | "probe" | "bind" | "account" | "upload";
  readonly attempt: number;
  /** True when a person retries the call although an earlier attempt may have happened. */
  readonly isRetry?: boolean;
  /**
   * For a keyed call, the start of its first attempt (ms since the epoch) and the lifetime of its key. Absent from an
   * earlier release.
   */
  readonly sentAt?: number;
  readonly keyedForMs?: number;
  readonly canProbe?: boolean;
}

/** A call with everything that it needs to run. `resumed`: it asked a person before. */
export type RunnableCall = CallToMake &
  Pick<LedgerRow, "tool" | "arguments" | "argumentsHash" | "effect" | "key"> & {
    /** When its ledger row was written, in ms since the epoch. Absent from an object of an earlier release. */
    readonly intendedAt?: number;
    /** The label of the request that asked for the call. Absent from an object of an earlier release. */
    readonly label?: Label;
    readonly touches?: readonly Touch[];
    /** As in a `PreparedCall`. */
    readonly dispatches?: boolean;
    readonly namesFiles?: boolean;
    readonly isUnjudged?: boolean;
    /** The files that were uploaded for it. Absent if it has none, and until they are. */
    readonly uploads?: readonly UploadedFile[];
    /** The files that it may send, with their approved content. Absent if no approval covers its files. */
    readonly approvedFiles?: readonly BoundFile[];
    readonly resumed?: Resumed;
    /** As in a `PreparedCall`. */
    readonly account?: Account;
    readonly askFirst?: string;
    /** True if the account's owner approved the call. */
    readonly isApprovedByOwner?: true;
    /** As in a `PreparedCall`. */
    readonly security?: SecurityLevel;
    /** As in a `PreparedCall`. Present: it is reserved. */
    readonly asks?: ModelUse;
  };

/** A subtask to create: its facts are this task's own, narrowed. Its input comes from the arguments of the call. */
export interface NewSubtask {
  readonly callId: string;
  readonly facts: Omit<TaskFacts, "input">;
}

/** The estimated size of a request in tokens, and the most that the call may use. */
export interface RequestGuess {
  readonly inputTokens: number;
  readonly ceiling: AmountLimit;
}

/** The work that the object does next. */
export type Work =
  /**
   * Request a permit from the tenant. `used` is the task's own use so far, `need` the least that its next model call
   * needs, `want` the most that it would use.
   */
  | {
      readonly kind: "enter";
      readonly used: Amount;
      readonly need: Amount;
      readonly want: Amount;
      /** False when the next call may use a model without a known price. */
      readonly isPriced: boolean;
    }
  | {
      readonly kind: "think";
      readonly step: number;
      readonly attempt: number;
      /** True for the last call, which has no tools. */
      readonly final: boolean;
      readonly model: string;
      readonly maxOutputTokens: number;
      readonly timeoutMs: number;
      /** Present while the size of the request is an estimate: the runner measures it before it calls the model. */
      readonly guess?: RequestGuess;
      readonly reportsProgress: true;
    }
  /** The attempts of `calls` are stored, so they may start; each of `later` waits for its own `calls_starting`. */
  | {
      readonly kind: "act";
      readonly step: number;
      readonly calls: readonly CallToMake[];
      readonly later: readonly CallToMake[];
      readonly timeoutMs: number;
    }
  | { readonly kind: "dispatch"; readonly step: number; readonly subtasks: readonly NewSubtask[] }
  /** `results` are calls to summarise; `history` is the last step to compact. Without a model, by rule. */
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
  /** The account through which it acts. Absent for a tool without `app`, and until one is chosen. */
  readonly account?: Account;
}

/** A change to the ledger: a new row, other arguments, another account, the settling of a row, or a shorter text of its result. */
export type LedgerChange =
  | { readonly kind: "insert"; readonly row: LedgerRow }
  | { readonly kind: "attempt"; readonly callId: string; readonly attempts: number }
  | ({ readonly kind: "revise"; readonly callId: string } & RevisedCall)
  /** The account was chosen again. `argumentsHash` covers it. */
  | { readonly kind: "account"; readonly callId: string; readonly account: Account; readonly argumentsHash: string }
  /** The outcome is unknown and a person decides, or the call runs once more. */
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

/** One row of a task's spending: a model call, or a subtask. `callId`: the tool call that caused it. */
export interface Spend {
  readonly purpose: "step" | "summary" | "history" | "subtask" | "tool";
  readonly step: number;
  readonly callId: string | null;
  /** Null for a subtask, whose own rows name its models. */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly estimated: boolean;
}

/** The open questions and approvals of a subtask, as its parent stores them. Empty when it waits for no person. */
export interface BelowChange {
  readonly subtask: string;
  readonly pending: readonly PendingView[];
}

/** A message and its step; 0 for the input. */
export interface StepMessage {
  readonly step: number;
  readonly message: LabelledMessage;
}
