/**
 * The state of a task, as data. `core/task/task.ts` decides over it; `durable-objects/task/object.ts` stores it.
 * Times are milliseconds since the epoch, money is in millionths of a US dollar.
 */
import type { PinnedAgent } from "../agents/agent.ts";
import type { LabelledText } from "../model/label-parts.ts";
import type { Message } from "../model/messages.ts";
import type { ModelChoice } from "../model/table.ts";
import type { Label } from "../provenance/label.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { SkillInForce } from "../skills/skill.ts";
import type { DeliverTo, WayIn } from "./source.ts";
import type { PinnedSource } from "../tool/source.ts";
import type { EffectTerms, JsonState, Resumed, Touch } from "../tool/tool.ts";

/**
 * The version of the shapes in this file. A state that an earlier release stored is read by `core/task/state-versions.ts`; one
 * of a later release is refused, not guessed at.
 */
export const STATE_VERSION = 6;

/** Why a task ended as it did; null when there is nothing to add to the status. */
export const END_REASONS = [
  "iteration_limit",
  "output_limit",
  "budget_exceeded",
  "model_unavailable",
  "cancelled",
  "internal",
] as const;
export type EndReason = (typeof END_REASONS)[number];

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
  /** The API key that the task, or the root of its tree, was made with; null: no key is known. */
  readonly key: string | null;
  /** What asked for it, or for the root of its tree. */
  readonly via: WayIn;
  /** Where its result goes, if it is a root, and what it asks people. */
  readonly deliver: readonly DeliverTo[];
  /** The task whose sandbox this one works in: its own id, or the root of its tree. */
  readonly rootId: string;
  readonly parentId: string | null;
  /** 0 for a root; a subtask is one deeper than its parent. */
  readonly depth: number;
  /**
   * `agent`: steps of a model. `call`: the hidden task of one tool call from the API; it is in no list and makes no
   * model call.
   */
  readonly kind: "agent" | "call";
  /** What the caller gave, shown again as it came. */
  readonly input: string | readonly Message[];
  /** Where the input came from: the join over its texts. */
  readonly label: Label;
  /** What the model reads in place of `input` when its texts came from different sources; absent: `input` is one text. */
  readonly texts?: readonly LabelledText[];
  /**
   * Of a subtask: whether its input has 16 characters in a row of a record of the tenant that its parent had read. Absent
   * when an earlier release dispatched it: then nobody knows.
   */
  readonly copiesRecord?: boolean;
  readonly agent: PinnedAgent;
  /**
   * Lists of patterns that narrow the agent's tools: the request's, that of the skills which were matched, then that of each
   * dispatch on the way down. A tool has to be matched by every one of them, so a subtask never has a tool that its parent
   * has not.
   */
  readonly tools: readonly (readonly string[])[];
  /** The skills that it works under since it was made. One with `tool` is the only one, and stands in the agent's place. */
  readonly skills: readonly SkillInForce[];
  /** The tenant's own tools that it may use next to the built-in ones, as they were when its tree began. */
  readonly sources: readonly PinnedSource[];
  readonly project: string | null;
  /** The models to ask, in order: the agent's own, then its fallbacks. Never empty. */
  readonly models: readonly ModelChoice[];
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

/** Tokens (input and output together) and money. */
export interface Amount {
  readonly tokens: number;
  readonly costMicros: number;
}

/** What may be used at most; null: no limit of this kind. */
export interface AmountLimit {
  readonly tokens: number | null;
  readonly costMicros: number | null;
}

/** What the call in flight may cost at most; an interrupted call is settled at this. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** Ledger states of the API. */
export type LedgerState = "intended" | "confirmed" | "failed" | "unknown" | "refused";

/** What a call waits for. `since` is absent from a wait on a person that an earlier release opened. */
export type Wait =
  | {
      readonly kind: "question";
      readonly id: string;
      readonly query: string;
      readonly choices: readonly string[] | null;
      readonly person: string | null;
      /** The id of that person's record; absent: there is none. */
      readonly personId?: string;
      readonly expiresAt: number | null;
      readonly defaultAnswer: string | null;
      /** What the call goes on with when it is answered; absent: the answer is its result. */
      readonly state?: JsonState;
      readonly since?: number;
    }
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly reason: string;
      readonly expiresAt: number | null;
      readonly since?: number;
      /** The files that the call names, with the content that is approved; absent: it names none. */
      readonly files?: readonly BoundFile[];
    }
  /** The outcome of the call is not known, and the agent wants a person to decide it. */
  | { readonly kind: "unknown"; readonly since?: number }
  | {
      readonly kind: "subtask";
      readonly id: string;
      /** False until the subtask was made. */
      readonly opened: boolean;
      /** What was carved from this task's limits for it. */
      readonly budget: AmountLimit;
      readonly maxSteps: number;
      /** Patterns that narrow the subtask's tools beyond this task's own. */
      readonly tools: readonly string[] | null;
      /** The skill that it works by in the agent's place. */
      readonly skill?: SkillInForce;
    }
  | { readonly kind: "sleep"; readonly since: number; readonly until: number };

/** True for a call's wait on a subtask. */
export function isSubtaskWait(wait: Wait | null): wait is Extract<Wait, { kind: "subtask" }> {
  return wait?.kind === "subtask";
}

/** A call of the current step. Its arguments and result live in its ledger row. */
export interface BatchCall extends EffectTerms {
  readonly id: string;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly state: LedgerState;
  readonly attempts: number;
  /** The join over the request that the call was asked for in; absent from a call that an earlier release stored. */
  readonly label?: Label;
  /** Of a keyed call, when the first attempt began that its key stands for. Absent until then. */
  readonly sentAt?: number;
  readonly wait: Wait | null;
  /** Said to the model before the result: that a person changed the arguments. */
  readonly note: string | null;
  /** True once a person said to make it once more although an earlier attempt may have happened. */
  readonly mayRepeat: boolean;
  /** True when the result is so long that a model is to summarise it before the next step. */
  readonly toSummarise: boolean;
  /** Of a call that asked a person and is made again with the answer. */
  readonly resumed?: Resumed;
  /** True for a call that dispatches a subtask: such calls share what is left of a budget. */
  readonly dispatches?: boolean;
  /** As in `TaskFacts`, of the subtask that it dispatches. */
  readonly copiesRecord?: boolean;
  /** The text that the task ends with once the step's other calls are settled. */
  readonly finish?: string;
  /** What it reads and writes, which orders the calls of a step; absent: nothing that another call could. */
  readonly touches?: readonly Touch[];
  /** True for a call that names files, or gives a program files. */
  readonly namesFiles?: boolean;
  /** True for a call of a release that did not judge what an influenced call carries out: such a one is not made. */
  readonly isUnjudged?: boolean;
  /** Of a call that names files and that policy asks about. */
  readonly consent?: Consent;
}

/** The approval of a call that names files: a person approves their content before it is made. */
export interface Consent {
  readonly reason: string;
  readonly expiresInMs: number;
  /** How often a person was asked. */
  readonly rounds: number;
  /** The files as they were approved; null: nothing is approved yet. */
  readonly approved: readonly BoundFile[] | null;
}

/** The tenant's leave to begin hops: until when, and up to which total of this task's own use. */
export interface Permit {
  readonly until: number;
  readonly grant: AmountLimit;
  /** True until a hop began under it: then the task may ask for a larger grant. */
  readonly isNew: boolean;
}

/** Why hops may not begin although the task could go on, and when it asks again by itself. */
export interface TurnedAway {
  readonly why: "queue" | "stopped" | "budget";
  readonly askAgainAt: number;
  /** For people; null while it only stands in line. */
  readonly message: string | null;
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
      /** The place in `facts.models` of the model that is asked. */
      readonly model: number;
      readonly reserved: Reservation;
      /**
       * The output at the last checkpoint. Absent from a call that an earlier release began, which stored no checkpoint: cut
       * off, it costs its whole reservation.
       */
      readonly written?: number;
      readonly tries: ModelTries;
    }
  /** Hop two is under way; an empty `incarnation`: it ended and left calls unsettled, which the next alarm takes up. */
  | { readonly name: "acting"; readonly incarnation: string; readonly since: number }
  /** Every call that can run has ended, and subtasks are to be made. Making one twice makes it once. */
  | { readonly name: "dispatching" }
  /**
   * Long results, or the older steps (up to `history`, a step's number), are being shortened before the model is asked
   * again. `retry`: the model call that did not fit, which is made again after it.
   */
  | {
      readonly name: "condensing";
      readonly incarnation: string;
      readonly since: number;
      readonly history: number | null;
      readonly withModel: boolean;
      readonly reserved: Reservation;
      /** Of the text for older steps, as of a model call above. Absent from summaries, which end before a checkpoint. */
      readonly written?: number;
      readonly retry: ModelRetry | null;
    }
  /** The model failed; the next try is due at `until`. */
  | ({
      readonly name: "backing_off";
      readonly until: number;
      /** What the model failed with. */
      readonly why: string;
    } & ModelRetry)
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

/** A model call that has to be made again. */
export interface ModelRetry {
  readonly attempt: number;
  readonly final: boolean;
  readonly tries: ModelTries;
}

/**
 * How the model calls of one step went so far: how many failed in a row on this model, since when any failed, how often
 * all models had failed; how many were cut off by a crash, were empty, or did not fit the model's window. `refused` are
 * the places of models that will not answer this step at all.
 */
export interface ModelTries {
  readonly failures: number;
  readonly firstFailureAt: number | null;
  readonly rounds: number;
  readonly refused: readonly number[];
  readonly cutOffs: number;
  readonly empty: number;
  readonly overflows: number;
}

/** A question or approval that is over: who settled it, and how. */
export interface SettledWait {
  readonly outcome: "answered" | "expired" | "closed" | "replaced";
  readonly by: string | null;
  readonly at: number;
}

/** A file marked for delivery. The content of that moment is delivered. */
export interface Attachment {
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** SHA-256 of the content, in hex. Absent when an earlier release attached it: the content at the delivery is sent. */
  readonly hash?: string;
}

/** Everything `decide` needs. Small: arguments, results and messages are rows of their own. */
export interface TaskState {
  readonly v: typeof STATE_VERSION;
  readonly facts: TaskFacts;
  readonly phase: Phase;
  /** The number of the last step that began; 0 before the first. */
  readonly step: number;
  readonly startedAt: number | null;
  /** What the task itself used. */
  readonly usage: Usage;
  /** What its subtasks that have ended used, and theirs. */
  readonly usedBelow: { readonly inputTokens: number; readonly outputTokens: number; readonly costMicros: number };
  readonly permit: Permit | null;
  readonly turnedAway: TurnedAway | null;
  /** The model that is asked, by its place in `facts.models`, and since when it is that one. */
  readonly model: { readonly index: number; readonly since: number };
  /** The join over what the next request contains. It is never lowered. */
  readonly steeredBy: Label;
  /** Tokens that the next request will hold, at a guess: the last one's own count and what was added since. */
  readonly contextTokens: number;
  /** True once a runner measured the request or a provider counted it. Until then `contextTokens` leaves out the tools. */
  readonly isContextCounted: boolean;
  /** True once the context was counted in the encoding of another model: the estimate has the tools from then on. */
  readonly hasCountedTools?: boolean;
  /** The window that the provider turned out to have, when a request did not fit; null: as the model table says. */
  readonly windowTokens: number | null;
  /** The last step whose messages were replaced by their compaction; 0: none. */
  readonly compactedThrough: number;
  /** Time that counts against `maxDurationMs`: what has passed, and since when it runs (null: a person is asked). */
  readonly clock: { readonly activeMs: number; readonly since: number | null };
  readonly batch: readonly BatchCall[];
  /** Skills that the model loaded: in force beside those of the facts, for whatever begins after that. */
  readonly loaded: readonly SkillInForce[];
  /** Messages sent to the running task that its next step will read. */
  readonly steering: readonly LabelledText[];
  readonly attachments: readonly Attachment[];
  readonly settledWaits: Readonly<Record<string, SettledWait>>;
  /** The subtasks that were made, in order; they are erased with this task. */
  readonly subtasks: readonly string[];
  /** At the root: every subtask of the tree, which is what the limit of a tree counts. Empty elsewhere. */
  readonly tree: readonly string[];
  /** What subtasks last told, by id: at which version of theirs, whether a person is asked, and whether their time stands. */
  readonly waitsBelow: Readonly<
    Record<string, { readonly version: number; readonly forPerson: boolean; readonly stands: boolean }>
  >;
  /** Subtasks that were open when this task ended and have not told yet what they used. */
  readonly uncounted: readonly string[];
  /** Tasks below this one that still have to be cancelled because it ended. */
  readonly toCancel: readonly string[];
  /** Hidden tasks that were made for this one from outside: those that have not ended, and the last that have. */
  readonly adopted: readonly string[];
  readonly disowned: readonly string[];
  /** The last requests that were applied, so that one that is sent again is not applied again. */
  readonly requests: readonly string[];
  /** How often the same single call was asked for in a row. */
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** The limits for which the warning at 80 % was given, such as `task tokens`. */
  readonly warned: readonly string[];
}
