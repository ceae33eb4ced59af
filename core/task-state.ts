/**
 * The state of a task, as data. `core/task.ts` decides over it; `durable-objects/task.ts` stores it.
 * Times are milliseconds since the epoch, money is in millionths of a US dollar.
 */
import type { PinnedAgent } from "./agent.ts";
import type { Failure } from "./errors.ts";
import type { NewEvent } from "./events.ts";
import type { Message, ModelUsage } from "./messages.ts";
import type { ModelFailure } from "./ports.ts";
import type { ModelPrice } from "./price-table.ts";
import type { Control, EffectClass, ToolResult } from "./tool.ts";

/** The version of the shapes in this file; a state that was stored under another is refused, not guessed at. */
export const STATE_VERSION = 1;

/** Why a task ended as it did; null when there is nothing to add to the status. */
export type EndReason =
  | "iteration_limit"
  | "output_limit"
  | "budget_exceeded"
  | "model_unavailable"
  | "cancelled"
  | "internal";

/** Limits of a task, resolved from the request, the agent and the defaults. Null: no limit of this kind. */
export interface Limits {
  readonly maxSteps: number;
  readonly maxTokens: number | null;
  readonly maxCostMicros: number | null;
  readonly maxDurationMs: number | null;
}

/** What never changes while a task lives. */
export interface TaskFacts {
  readonly id: string;
  readonly tenant: string;
  /** The task whose sandbox this one works in: its own id, or the root of its tree. */
  readonly rootId: string;
  readonly parentId: string | null;
  /**
   * `agent`: steps of a model. `call`: the hidden task of one tool call from the API; it is in no list and makes no
   * model call.
   */
  readonly kind: "agent" | "call";
  /** What the caller gave, shown again as it came. */
  readonly input: string | readonly Message[];
  readonly agent: PinnedAgent;
  /** Patterns of the request that narrow the agent's tools; null: all that the agent has. */
  readonly tools: readonly string[] | null;
  readonly project: string | null;
  readonly model: string;
  readonly price: ModelPrice | null;
  readonly limits: Limits;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** What a task used so far. A model of unknown price adds nothing to `costMicros`. */
export interface Usage {
  readonly steps: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  /** True when any figure was counted by Otto, not told by the provider. */
  readonly estimated: boolean;
}

/** What the call in flight may cost at most; an interrupted call is settled at this. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** Ledger states of the API. */
export type LedgerState = "intended" | "confirmed" | "failed" | "unknown" | "refused";

/** What a call waits for. */
export type Wait =
  | {
      readonly kind: "question";
      readonly id: string;
      readonly query: string;
      readonly choices: readonly string[] | null;
      readonly person: string | null;
      readonly expiresAt: number | null;
      readonly defaultAnswer: string | null;
    }
  | { readonly kind: "approval"; readonly id: string; readonly reason: string; readonly expiresAt: number | null }
  | { readonly kind: "subtask"; readonly id: string }
  | { readonly kind: "sleep"; readonly since: number; readonly until: number };

/** A call of the current step. Its arguments and result live in its ledger row. */
export interface BatchCall {
  readonly id: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly argumentsHash: string;
  readonly state: LedgerState;
  readonly attempts: number;
  readonly wait: Wait | null;
}

/** Where a task is in its life. */
export type Phase =
  /** Made with `hold`; waits for its start. */
  | { readonly name: "held" }
  /** The next step may begin. */
  | { readonly name: "ready" }
  /** A batch is written and nothing of it has begun. */
  | { readonly name: "prepared" }
  /** Hop one is under way, made by the run of the alarm that `incarnation` names. */
  | {
      readonly name: "thinking";
      readonly attempt: number;
      readonly incarnation: string;
      readonly since: number;
      readonly final: boolean;
      readonly reserved: Reservation;
      readonly tries: ModelTries;
    }
  /** Hop two is under way; an empty `incarnation`: it ended and left calls unsettled, which the next alarm takes up. */
  | { readonly name: "acting"; readonly incarnation: string; readonly since: number }
  /** The model failed; the next try is due at `until`. */
  | {
      readonly name: "backing_off";
      readonly attempt: number;
      readonly final: boolean;
      readonly tries: ModelTries;
      readonly until: number;
      /** What the model failed with. */
      readonly why: string;
    }
  /** Every call that can run has ended, and at least one waits. */
  | { readonly name: "parked" }
  | {
      readonly name: "ended";
      readonly status: "completed" | "failed" | "cancelled";
      readonly reason: EndReason | null;
      readonly text: string | null;
      readonly error: { readonly code: string; readonly message: string } | null;
      readonly at: number;
    };

/** How the model calls of one step went so far: how many failed and since when, were cut off by a crash, or were empty. */
export interface ModelTries {
  readonly failures: number;
  readonly firstFailureAt: number | null;
  readonly cutOffs: number;
  readonly empty: number;
}

/** A question or approval that is over: who settled it, and how. */
export interface SettledWait {
  readonly outcome: "answered" | "expired" | "closed";
  readonly by: string | null;
  readonly at: number;
}

/** A file marked for delivery. */
export interface Attachment {
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
}

/** Everything `decide` needs. Small: arguments, results and messages are rows of their own. */
export interface TaskState {
  readonly v: typeof STATE_VERSION;
  readonly facts: TaskFacts;
  readonly phase: Phase;
  /** The number of the last step that began; 0 before the first. */
  readonly step: number;
  readonly startedAt: number | null;
  readonly usage: Usage;
  /** Tokens that the next request will hold, at a guess: the last one's own count and what was added since. */
  readonly contextTokens: number;
  /** Time that counts against `maxDurationMs`: what has passed, and since when it runs (null: a person is asked). */
  readonly clock: { readonly activeMs: number; readonly since: number | null };
  readonly batch: readonly BatchCall[];
  /** Messages sent to the running task that its next step will read. */
  readonly steering: readonly string[];
  readonly attachments: readonly Attachment[];
  readonly settledWaits: Readonly<Record<string, SettledWait>>;
  /** Hidden tasks that were made for this one from outside: those that have not ended, and the last that have. */
  readonly adopted: readonly string[];
  readonly disowned: readonly string[];
  /** The last requests that were applied, so that one that is sent again is not applied again. */
  readonly requests: readonly string[];
  /** How often the same single call was asked for in a row. */
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** True once the warning at 80 % of a limit was given. */
  readonly warned: boolean;
}

/** What makes a task: its facts, and for `kind: "call"` the one call. `hold` keeps it until its start. */
export interface NewTask {
  readonly facts: TaskFacts;
  readonly hold: boolean;
  readonly call: PreparedCall | null;
}

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
}

/** A call as hop one prepared it: resolved, checked, priced, keyed, hashed. With an outcome it is settled already. */
export interface PreparedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
  readonly effect: EffectClass;
  readonly outcome: CallOutcome | null;
}

/** How a call ended, or what it made the task wait for. `content` is what the model reads. */
export interface CallOutcome {
  readonly state: Exclude<LedgerState, "intended">;
  readonly result: ToolResult;
  readonly content: string;
  readonly control: Control | null;
  readonly durationMs: number;
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

/**
 * What can happen to a task. `incarnation` names the run of the alarm that makes the hop. `request` names a request that
 * may be sent again; null: it cannot be.
 */
export type Command =
  | { readonly type: "wake"; readonly incarnation: string }
  | { readonly type: "start"; readonly request: string | null }
  | {
      readonly type: "model_replied";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly reply: ModelReply;
    }
  | {
      readonly type: "model_failed";
      readonly step: number;
      readonly attempt: number;
      readonly incarnation: string;
      readonly failure: ModelFailure;
    }
  | {
      readonly type: "call_settled";
      readonly step: number;
      readonly incarnation: string;
      readonly callId: string;
      readonly outcome: CallOutcome;
    }
  /** The hop ended; what has not settled by now was cut off. */
  | { readonly type: "hop_ended"; readonly step: number; readonly incarnation: string }
  | { readonly type: "message"; readonly text: string; readonly request: string | null }
  | {
      readonly type: "answer";
      readonly question: string;
      readonly answer: string;
      readonly isChoice: boolean;
      readonly by: string;
      readonly request: string | null;
    }
  | {
      readonly type: "approval_decided";
      readonly approval: string;
      readonly decision: "approve" | "refuse";
      readonly reason: string | null;
      readonly by: string;
    }
  | { readonly type: "subtask_ended"; readonly subtask: string; readonly outcome: CallOutcome }
  | { readonly type: "attach"; readonly file: Attachment }
  | { readonly type: "adopt"; readonly task: string }
  | { readonly type: "disown"; readonly task: string }
  | { readonly type: "cancel"; readonly by: string };

/** A call that hop two has to make. `probe`: look first whether an earlier attempt happened. */
export interface CallToMake {
  readonly callId: string;
  readonly mode: "run" | "probe";
  readonly attempt: number;
}

/** What the object must have done next. */
export type Work =
  | {
      readonly kind: "think";
      readonly step: number;
      readonly attempt: number;
      /** The last call, without tools. */
      readonly final: boolean;
      readonly maxOutputTokens: number;
      readonly timeoutMs: number;
    }
  | { readonly kind: "act"; readonly step: number; readonly calls: readonly CallToMake[]; readonly timeoutMs: number };

/** A change to the ledger: a new row, or the settling of one. */
export type LedgerChange =
  | { readonly kind: "insert"; readonly row: LedgerRow }
  | { readonly kind: "attempt"; readonly callId: string; readonly attempts: number }
  | {
      readonly kind: "settle";
      readonly callId: string;
      readonly state: Exclude<LedgerState, "intended">;
      readonly result: ToolResult;
      readonly content: string;
      readonly settledAt: number;
      readonly durationMs: number;
    };

/** What `decide` says. With `refused`, nothing changed and nothing may be stored. */
export interface Decision {
  readonly state: TaskState;
  readonly events: readonly NewEvent[];
  /** To append to the conversation. Tool messages are not among them: they are read from the ledger. */
  readonly messages: readonly Message[];
  readonly ledger: readonly LedgerChange[];
  readonly work: Work | null;
  readonly refused: Failure | null;
}
