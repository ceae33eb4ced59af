/**
 * The commands of a task and the values in them. `core/task/state.ts` has the state that they change, and
 * `core/task/decision.ts` the result of one.
 */
import type { Failure } from "../base/errors.ts";
import type { ModelUsage } from "../model/messages.ts";
import type { Place } from "../model/label-parts.ts";
import type { ModelFailure } from "../ports/model.ts";
import type { Label } from "../provenance/label.ts";
import type { AmountLimit, Attachment, LedgerState, TaskFacts } from "./state.ts";
import type { PendingView } from "./view.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { Control, EffectTerms, ToolResult, Touch } from "../tool/tool.ts";

/** What makes a task: its facts, and for `kind: "call"` the one call. `hold` keeps it until its start. */
export interface NewTask {
  readonly facts: TaskFacts;
  readonly hold: boolean;
  readonly call: PreparedCall | null;
}

/** Which calls of the ledger are read: after one (null: from the start). */
export interface LedgerQuery {
  readonly after: string | null;
  readonly limit: number;
  readonly withResults: boolean;
}

/** What a person says to a question. */
export interface QuestionAnswer {
  readonly text: string;
  readonly isChoice: boolean;
  readonly by: string;
}

/** What a person decides on an approval. With `arguments`, the call is made with those. */
export interface ApprovalDecision {
  readonly decision: "approve" | "refuse";
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
  readonly by: string;
}

/** What a person decides on a call whose outcome is unknown. */
export interface UnknownDecision {
  readonly decision: "done" | "retry" | "skip";
  readonly by: string;
}

/** What a subtask and those below it wait for from people, and whether its time stands. */
export interface SubtaskWaits {
  readonly pending: readonly PendingView[];
  readonly stands: boolean;
}

/** A call as hop one prepared it: resolved, checked, priced, keyed, hashed. With an outcome it is settled already. */
export interface PreparedCall extends EffectTerms {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
  /** Why a person has to approve the call first, and when that expires; null: it may run. */
  readonly approval: { readonly reason: string; readonly expiresInMs: number } | null;
  readonly outcome: CallOutcome | null;
  /** True for a call that dispatches a subtask. */
  readonly dispatches?: boolean;
  /** As in `TaskFacts`, of the subtask that it dispatches. Absent from a runner of an earlier release. */
  readonly copiesRecord?: boolean;
  /** The resources that it reads and writes. Absent from a runner of an earlier release: then nothing orders the call. */
  readonly touches?: readonly Touch[];
  /** True for a call that names files, or gives a program files: its approval is requested once their content is known. */
  readonly namesFiles?: boolean;
}

/** A call with the arguments that a person put in the place of those that were asked for: checked and hashed again. */
export interface RevisedCall extends EffectTerms {
  readonly arguments: unknown;
  readonly argumentsHash: string;
  /** As in a `PreparedCall`. */
  readonly touches?: readonly Touch[];
  /** The present content of the files that it names. Absent when it names none, and from a runner of an earlier release. */
  readonly files?: readonly BoundFile[];
}

/** How a call ended, or what it made the task wait for. `content` is what the model reads. */
export interface CallOutcome {
  readonly state: Exclude<LedgerState, "intended">;
  readonly result: ToolResult;
  readonly content: string;
  readonly control: Control | null;
  readonly durationMs: number;
  /** True when `content` is a shortened form of a result so long that a model is to summarise it. */
  readonly isLarge?: boolean;
  /** The label of `content`. Absent when the task itself settles the call, and from a runner of an earlier release. */
  readonly label?: Label;
  /** The call read uploads and nothing else that somebody wrote. Absent otherwise. */
  readonly isUpload?: true;
}

/** How a subtask ended, as reported to its parent. Tokens and money are those of its whole tree. */
export interface SubtaskEnding {
  readonly subtask: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly outcome: CallOutcome;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly estimated: boolean;
}

/** A limit of the tenant, of a key or of an agent of which at least 80 % is used. */
export interface NearLimit {
  /** `tenant`, or the id of the key or the agent. */
  readonly account: string;
  readonly kind: "tokens" | "cost";
  readonly used: number;
  readonly limit: number;
}

/** What the model said, checked and prepared. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly PreparedCall[];
  /** The calls as the model wrote them, for the conversation. */
  readonly requested: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: ModelUsage;
  readonly finish: "stop" | "calls" | "length" | "filtered";
}

/** Identifies the hop under way that sends a command. */
interface OfHop {
  readonly step: number;
  readonly incarnation: string;
}

/**
 * What can happen to a task. `incarnation` names the run of the alarm that makes the hop. `request` names a request that
 * may be sent again; null: it cannot be.
 */
export type Command =
  /** `maxParallel`: how many calls of a step may be under way at once; default 5. */
  | { readonly type: "wake"; readonly incarnation: string; readonly maxParallel?: number }
  | { readonly type: "start"; readonly request: string | null }
  /** The tenant lets the task begin hops for `forMs`, up to a total use of `grant`. */
  | {
      readonly type: "admitted";
      readonly forMs: number;
      readonly grant: AmountLimit;
      readonly near: readonly NearLimit[];
    }
  /** The tenant lets it begin none; it asks again after `askAgainAfterMs`, or when it is called. */
  | {
      readonly type: "turned_away";
      readonly why: "queue" | "stopped" | "budget";
      readonly message: string | null;
      readonly askAgainAfterMs: number;
    }
  /** A budget above the task's own is used up. */
  | { readonly type: "exhausted"; readonly message: string }
  /** The tenant has a place for it now, or was released. */
  | { readonly type: "called" }
  /** Everything of the tenant stops: the hop under way is cut off. */
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
  | ({ readonly type: "calls_starting"; readonly callIds: readonly string[] } & OfHop)
  /** The model's output so far. */
  | ({ readonly type: "model_progressed"; readonly attempt: number; readonly outputTokens: number } & OfHop)
  /** The output so far of the model that shortens older steps. */
  | ({ readonly type: "history_progressed"; readonly outputTokens: number } & OfHop)
  /** The runner measured the request, which sets its reservation. The model is being asked. */
  | {
      readonly type: "request_measured";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
    }
  /** The request holds more than the call may use. The model was not asked. */
  | ({ readonly type: "request_refused"; readonly attempt: number; readonly inputTokens: number } & OfHop)
  | ({ readonly type: "call_settled"; readonly callId: string; readonly outcome: CallOutcome } & OfHop)
  /** The files that a call names have this content, which the approval covers. Nothing was sent. */
  | ({
      readonly type: "call_bound";
      readonly callId: string;
      readonly arguments: unknown;
      readonly files: readonly BoundFile[];
    } & OfHop)
  /** A long result was summarised: what the model reads of it from now on; null: it stays as it is. */
  | {
      readonly type: "result_condensed";
      readonly step: number;
      readonly incarnation: string;
      readonly callId: string;
      readonly content: string | null;
      readonly usage: ModelUsage;
    }
  /**
   * The steps up to `through` are told by `text` from now on. `contextTokens` is what the conversation then holds;
   * `usage` is null when no model wrote the text.
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
  /** The hop ended; what has not settled by now was cut off. */
  | ({ readonly type: "hop_ended" } & OfHop)
  /** The runner is of another release and began nothing: neither a model call nor these calls, whose attempts were stored. */
  | ({ readonly type: "hop_refused"; readonly callIds: readonly string[] } & OfHop)
  /** `own`: how many UTF-16 units of `text`, from its beginning, its sender wrote; the rest is from outside. Absent: all. */
  | {
      readonly type: "message";
      readonly text: string;
      readonly own?: number;
      /** As in `TaskRpc`; replaces `own`. */
      readonly outside?: readonly Place[];
      readonly request: string | null;
    }
  | {
      readonly type: "answer";
      readonly question: string;
      readonly answer: string;
      readonly isChoice: boolean;
      readonly by: string;
      readonly request: string | null;
    }
  /** `revised` holds other arguments, made from those whose hash is `revisedFrom`. */
  | {
      readonly type: "approval_decided";
      readonly approval: string;
      readonly decision: "approve" | "refuse";
      readonly revised: (RevisedCall & { readonly revisedFrom: string; readonly note: string }) | null;
      readonly reason: string | null;
      readonly by: string;
      readonly request: string | null;
    }
  | {
      readonly type: "unknown_decided";
      readonly callId: string;
      readonly decision: "done" | "retry" | "skip";
      readonly by: string;
      readonly request: string | null;
    }
  /** A subtask was made, or was refused by the limit of the tree. */
  | { readonly type: "subtask_opened"; readonly callId: string }
  | { readonly type: "subtask_refused"; readonly callId: string; readonly failure: Failure }
  | { readonly type: "subtask_ended"; readonly ending: SubtaskEnding }
  /** A subtask tells what it, or a task below it, waits for from people, and whether its time stands. */
  | {
      readonly type: "subtask_waits";
      readonly subtask: string;
      readonly version: number;
      readonly pending: readonly PendingView[];
      readonly stands: boolean;
    }
  /** At the root: a task of the tree asks to have one more subtask. */
  | { readonly type: "enroll"; readonly subtask: string }
  /** A task below, which was to be cancelled, has been. */
  | { readonly type: "cancelled_below"; readonly task: string }
  | { readonly type: "attach"; readonly file: Attachment }
  | { readonly type: "adopt"; readonly task: string }
  | { readonly type: "disown"; readonly task: string }
  | { readonly type: "cancel"; readonly by: string };
