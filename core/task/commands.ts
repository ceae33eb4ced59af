/**
 * The commands of a task and the values in them. `core/task/state.ts` has the state that they change, and
 * `core/task/decision.ts` the result of one.
 */
import type { Failure } from "../base/errors.ts";
import type { Account, ConnectNeed } from "../connections/account.ts";
import type { Actor, Actors } from "../connections/actors.ts";
import type { GivenSource } from "../knowledge/sources.ts";
import type { ModelUsage } from "../model/messages.ts";
import type { TextRange } from "../model/label-parts.ts";
import type { ModelUse } from "../ports/language.ts";
import type { ModelFailure } from "../ports/model.ts";
import type { Label } from "../provenance/label.ts";
import type { PageData } from "../results/for-page.ts";
import type { AmountLimit, Attachment, LedgerState, TaskFacts } from "./state.ts";
import type { PendingView } from "./view.ts";
import type { ApprovalOwner } from "./wait.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { Control, EffectTerms, SecurityLevel, ToolResult, Touch } from "../tool/tool.ts";

/** The input of `createTask`: the facts, and the one call of a task of `kind: "call"`. `hold` creates a draft task. */
export interface NewTask {
  readonly facts: TaskFacts;
  readonly hold: boolean;
  readonly call: PreparedCall | null;
}

/** A page of the ledger: the calls after one (null: from the start). */
export interface LedgerQuery {
  readonly after: string | null;
  readonly limit: number;
  readonly withResults: boolean;
}

/** The id of an author's record; null without one. Absent from a Worker of an earlier release: unknown. */
type AuthorId = string | null;

/** A person's answer to a question. */
export interface QuestionAnswer {
  readonly text: string;
  readonly isChoice: boolean;
  readonly by: string;
  readonly person?: AuthorId;
}

/** A person's decision on an approval. With `arguments`, the call runs with those. */
export interface ApprovalDecision {
  readonly decision: "approve" | "refuse";
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
  readonly by: string;
  readonly person?: AuthorId;
  /** True if the channel knows that the person may approve. Only then does a person decide for an owner who delegates. */
  readonly mayApprove?: boolean;
}

/** A person's decision on a call of unknown outcome. */
export interface UnknownDecision {
  readonly decision: "done" | "retry" | "skip";
  readonly by: string;
}

/** A person's decision to continue without a connection. */
export interface ConnectionSkip {
  readonly by: string;
}

/** What a subtask's tree waits for from people, and whether its clock is stopped (`stands`). */
export interface SubtaskWaits {
  readonly pending: readonly PendingView[];
  readonly stands: boolean;
}

/**
 * A call as the model phase prepared it: resolved, validated, priced, keyed and hashed. With an outcome it is already
 * settled.
 */
export interface PreparedCall extends EffectTerms {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
  /** Why a person has to approve the call, when the approval expires, and who alone decides it; null if it may run. */
  readonly approval: { readonly reason: string; readonly expiresInMs: number; readonly owner?: ApprovalOwner } | null;
  readonly outcome: CallOutcome | null;
  /** True for a call that dispatches a subtask. */
  readonly dispatches?: boolean;
  /** As in `TaskFacts`, of the subtask that it dispatches. Absent from a runner of an earlier release. */
  readonly copiesRecord?: boolean;
  /** The resources that it reads and writes. Absent from a runner of an earlier release: then nothing orders the call. */
  readonly touches?: readonly Touch[];
  /** True for a call that names files, or gives a program files: its approval is requested once their content is known. */
  readonly namesFiles?: boolean;
  /** True for a call whose files are uploaded before it is sent. */
  readonly hasUploads?: boolean;
  /** The account through which it acts, which the hash covers. Absent for a tool without `app`. */
  readonly account?: Account;
  /** The connection that it waits for, before its account is chosen. */
  readonly connect?: ConnectNeed;
  /** For a tool with `app`: why a person has to approve the call under any account. Absent: no reason. */
  readonly askFirst?: string;
  /** What the model reads before the result: an argument was corrected. */
  readonly note?: string;
  /** For an action of an app: the level under which policy ruled. Absent from a runner of an earlier release. */
  readonly security?: SecurityLevel;
  /** What it may ask a model, which is reserved before it starts. Absent: nothing. */
  readonly asks?: ModelUse;
}

/** The account of a call, as it was chosen again. `argumentsHash` covers it. Nothing was sent. */
export type AccountedCall =
  | {
      readonly kind: "account";
      readonly account: Account;
      readonly argumentsHash: string;
      readonly touches: readonly Touch[];
      readonly approval: PreparedCall["approval"];
    }
  | { readonly kind: "needed"; readonly need: ConnectNeed };

/** A call with the arguments that a person put in the place of those that were asked for: checked and hashed again. */
export interface RevisedCall extends EffectTerms {
  readonly arguments: unknown;
  readonly argumentsHash: string;
  /** As in a `PreparedCall`. */
  readonly touches?: readonly Touch[];
  /** As in a `PreparedCall`. */
  readonly hasUploads?: boolean;
  /** The present content of the files that it names. Absent when it names none, and from a runner of an earlier release. */
  readonly files?: readonly BoundFile[];
  /** As in a `PreparedCall`. */
  readonly security?: SecurityLevel;
  /** As in a `PreparedCall`. */
  readonly asks?: ModelUse;
}

/** The outcome of a call, or the wait that it opened. `content` is what the model reads. */
export interface CallOutcome {
  readonly state: Exclude<LedgerState, "intended">;
  readonly result: ToolResult;
  readonly content: string;
  readonly control: Control | null;
  readonly durationMs: number;
  /** True when `content` is shortened and a model has to summarise the whole result. */
  readonly isLarge?: boolean;
  /** The label of `content`. Absent when the task itself settles the call, and from a runner of an earlier release. */
  readonly label?: Label;
  /** The pieces of documents that the call read, which the model may cite. Absent: none. */
  readonly sources?: readonly GivenSource[];
  /** True if the call read uploads and no other text of outside authors. */
  readonly isUpload?: true;
  /**
   * Present if a page shows the result by its type, so that a `tool-data` event follows: null when the row has the
   * result, from which readers make the data; the data when the row has only a reference.
   */
  readonly pageData?: PageData | null;
  /** What its questions to a model used. Absent from a call without any; one that had a reservation is then charged all of it. */
  readonly asked?: ModelUsage;
}

/** The end of a subtask, as reported to its parent. Tokens and money are those of its whole tree. */
export interface SubtaskEnding {
  readonly subtask: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly outcome: CallOutcome;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly estimated: boolean;
  /** Who steered the subtask. Absent from an object of an earlier release: unknown. */
  readonly actors?: Actors;
}

/** A limit of the tenant, of a key or of an agent of which at least 80 % is used. */
export interface NearLimit {
  /** `tenant`, or the id of the key or the agent. */
  readonly account: string;
  readonly kind: "tokens" | "cost";
  readonly used: number;
  readonly limit: number;
}

/** The model's reply, with its calls checked and prepared. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly PreparedCall[];
  /** The calls as the model wrote them, for the conversation. */
  readonly requested: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: ModelUsage;
  readonly finish: "stop" | "calls" | "length" | "filtered";
}

/** Identifies the runner call that sends a command. */
interface RunnerCallRef {
  readonly step: number;
  readonly incarnation: string;
}

/**
 * What can happen to a task. `incarnation` names the alarm run that started the runner call. `request` names a request
 * that may be repeated; null if it cannot be.
 */
export type Command =
  /** `maxParallel`: how many calls of a step may be under way at once; default 5. */
  | { readonly type: "wake"; readonly incarnation: string; readonly maxParallel?: number }
  | { readonly type: "start"; readonly request: string | null }
  /** The tenant permits runner calls for `forMs`, up to a total use of `grant`. */
  | {
      readonly type: "admitted";
      readonly forMs: number;
      readonly grant: AmountLimit;
      readonly near: readonly NearLimit[];
      /** As in a `Permit`. */
      readonly isTransferable?: boolean;
    }
  /** The tenant refuses a permit. The task retries after `askAgainAfterMs`, or when the tenant calls it. */
  | {
      readonly type: "turned_away";
      readonly why: "queue" | "stopped" | "budget";
      readonly message: string | null;
      readonly askAgainAfterMs: number;
    }
  /** A budget above the task's own limits is used up. */
  | { readonly type: "exhausted"; readonly message: string }
  /** The tenant offers a slot, or was released. */
  | { readonly type: "called" }
  /** The tenant stopped: the current runner call is cut off. */
  | { readonly type: "halt"; readonly message: string }
  | {
      readonly type: "model_replied";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly reply: ModelReply;
      /** As for `wake`. */
      readonly maxParallel?: number;
    }
  | {
      readonly type: "model_failed";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly failure: ModelFailure;
    }
  /** The runner is about to start these calls: their attempts are stored before a call leaves. */
  | ({ readonly type: "calls_starting"; readonly callIds: readonly string[] } & RunnerCallRef)
  /** The model's output so far. */
  | ({ readonly type: "model_progressed"; readonly attempt: number; readonly outputTokens: number } & RunnerCallRef)
  /** The output so far of the model that compacts older steps. */
  | ({ readonly type: "history_progressed"; readonly outputTokens: number } & RunnerCallRef)
  /** The runner measured the request, which sets its reservation, and is now calling the model. */
  | {
      readonly type: "request_measured";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
    }
  /** The request is larger than the call may use. The model was not called. */
  | ({ readonly type: "request_refused"; readonly attempt: number; readonly inputTokens: number } & RunnerCallRef)
  | ({ readonly type: "call_settled"; readonly callId: string; readonly outcome: CallOutcome } & RunnerCallRef)
  /** The content of the files that a call names, which the approval covers. Nothing was sent. */
  | ({
      readonly type: "call_bound";
      readonly callId: string;
      readonly arguments: unknown;
      readonly files: readonly BoundFile[];
    } & RunnerCallRef)
  /** The files of a call were uploaded. The call was not sent. */
  | ({
      readonly type: "call_uploaded";
      readonly callId: string;
      readonly uploads: readonly UploadedFile[];
    } & RunnerCallRef)
  /** The account of a call was chosen again. */
  | ({
      readonly type: "call_accounted";
      readonly callId: string;
      readonly arguments: unknown;
      readonly ruling: AccountedCall;
    } & RunnerCallRef)
  /** A long result was summarised: the model reads `content` from now on; null keeps the shortened form. */
  | {
      readonly type: "result_condensed";
      readonly step: number;
      readonly incarnation: string;
      readonly callId: string;
      readonly content: string | null;
      readonly usage: ModelUsage;
    }
  /**
   * `text` replaces the steps up to `through`. `contextTokens` is the size of the conversation after that; `usage` is
   * null when no model wrote the text.
   */
  | {
      readonly type: "history_condensed";
      readonly step: number;
      readonly incarnation: string;
      readonly through: number;
      readonly text: string;
      readonly contextTokens: number;
      readonly usage: ModelUsage | null;
    }
  /** The runner call ended; what has not settled was cut off. */
  | ({ readonly type: "runner_call_ended" } & RunnerCallRef)
  /**
   * The runner is of another release and began nothing: no model call, and none of these calls, whose attempts were
   * stored.
   */
  | ({ readonly type: "runner_call_refused"; readonly callIds: readonly string[] } & RunnerCallRef)
  /**
   * `own`: how many UTF-16 units at the start of `text` the sender wrote; the rest is from outside. Absent: all of it.
   */
  | {
      readonly type: "message";
      readonly text: string;
      readonly own?: number;
      /** As in `TaskRpc`; replaces `own`. */
      readonly outside?: readonly TextRange[];
      /** As in `TaskRpc`. */
      readonly by?: Actor | null;
      /** As in `TaskRpc`. */
      readonly hint?: string;
      readonly request: string | null;
    }
  | {
      readonly type: "answer";
      readonly question: string;
      readonly answer: string;
      readonly isChoice: boolean;
      readonly by: string;
      readonly person?: AuthorId;
      readonly request: string | null;
    }
  /** `revised` has changed arguments, made from those whose hash is `revisedFrom`. */
  | {
      readonly type: "approval_decided";
      readonly approval: string;
      readonly decision: "approve" | "refuse";
      readonly revised: (RevisedCall & { readonly revisedFrom: string; readonly note: string }) | null;
      readonly reason: string | null;
      readonly by: string;
      readonly person?: AuthorId;
      /** As in an `ApprovalDecision`. */
      readonly mayApprove?: boolean;
      readonly request: string | null;
    }
  | {
      readonly type: "unknown_decided";
      readonly callId: string;
      readonly decision: "done" | "retry" | "skip";
      readonly by: string;
      readonly request: string | null;
    }
  /** The connection that a call waits for may be usable. An unknown wait changes nothing. */
  | { readonly type: "connect"; readonly wait: string }
  /** A person decided to continue without the connection. */
  | { readonly type: "skip_connection"; readonly wait: string; readonly by: string; readonly request: string | null }
  /** A subtask was created, or the limit of the tree refused it. */
  | { readonly type: "subtask_opened"; readonly callId: string }
  | { readonly type: "subtask_refused"; readonly callId: string; readonly failure: Failure }
  | { readonly type: "subtask_ended"; readonly ending: SubtaskEnding }
  /** A subtask reports what its tree waits for from people, and whether its clock is stopped (`stands`). */
  | {
      readonly type: "subtask_waits";
      readonly subtask: string;
      readonly version: number;
      readonly pending: readonly PendingView[];
      readonly stands: boolean;
    }
  /** At the root: a task of the tree requests one more subtask. */
  | { readonly type: "enroll"; readonly subtask: string }
  /** A task below this one was cancelled. */
  | { readonly type: "cancelled_below"; readonly task: string }
  | { readonly type: "attach"; readonly file: Attachment }
  | { readonly type: "adopt"; readonly task: string }
  | { readonly type: "disown"; readonly task: string }
  | { readonly type: "cancel"; readonly by: string };
