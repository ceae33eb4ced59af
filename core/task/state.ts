/**
 * The state of a task, as data. `core/task/task.ts` decides over it; `durable-objects/task/object.ts` stores it.
 * Times are milliseconds since the epoch, money is in millionths of a US dollar.
 */
import type { PinnedAgent } from "../agents/agent.ts";
import type { StoredIntent, TaskApps } from "../apps/intent/task-apps.ts";
import type { Account } from "../connections/account.ts";
import type { Actors } from "../connections/actors.ts";
import type { GivenSource } from "../knowledge/sources.ts";
import type { LabelledText } from "../model/label-parts.ts";
import type { Message } from "../model/messages.ts";
import type { ModelChoice } from "../model/table.ts";
import type { ModelUse } from "../ports/language.ts";
import type { Label } from "../provenance/label.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { SkillInForce } from "../skills/skill.ts";
import type { DeliverTo, TaskSource } from "./source.ts";
import type { PinnedSource } from "../tool/source.ts";
import type { UploadedFile } from "../tool/file-arguments.ts";
import type { EffectTerms, Resumed, SecurityLevel, Touch } from "../tool/tool.ts";
import type { AccountRounds, ApprovalOwner, SettledWait, Wait } from "./wait.ts";

/**
 * The version of the shapes in this file. `core/task/state-versions.ts` upgrades a state of an earlier release. A state
 * of a later release is refused.
 */
export const STATE_VERSION = 8;

/** Why a task ended; null when the status says everything. */
export const END_REASONS = [
  "iteration_limit",
  "output_limit",
  "budget_exceeded",
  "model_unavailable",
  "cancelled",
  "internal",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Limits of a task, resolved from the request, the agent and the defaults. Null: unlimited. */
export interface Limits {
  readonly maxSteps: number;
  readonly maxTokens: number | null;
  readonly maxCostMicros: number | null;
  readonly maxDurationMs: number | null;
}

/** The person who asks, for the line of facts. `timeZone` is an IANA name. */
export interface Caller {
  readonly name: string;
  readonly timeZone: string;
}

/** The facts of a task, which never change. */
export interface TaskFacts {
  readonly id: string;
  readonly tenant: string;
  /** The API key that created the root of the task's tree; null if unknown. */
  readonly key: string | null;
  /** The source of the root of its tree. */
  readonly via: TaskSource;
  /** The person of a channel who created the root of its tree. Absent when unknown, and from an earlier release. */
  readonly caller?: Caller;
  /** The person through whose accounts it may act. Set by code at admission, never by a model. Null for nobody. */
  readonly actsFor: { readonly person: string } | null;
  /** Who had steered the task before it began. Absent if that is the person of `actsFor`, or unknown without one. */
  readonly actors?: Actors;
  /** The destinations of its questions and, for a root, of its result. */
  readonly deliver: readonly DeliverTo[];
  /** The root of its tree, whose sandbox it works in; its own id for a root. */
  readonly rootId: string;
  readonly parentId: string | null;
  /** 0 for a root; a subtask is one deeper than its parent. */
  readonly depth: number;
  /** `agent`: steps of a model. `call`: the hidden task of one tool call from the API, without a model call. */
  readonly kind: "agent" | "call";
  /** The caller's input, unchanged. */
  readonly input: string | readonly Message[];
  /** The joined label of the input's texts. */
  readonly label: Label;
  /** What the model reads instead of `input` when its texts have different sources. Absent if `input` is one text. */
  readonly texts?: readonly LabelledText[];
  /** For a subtask: whether its input repeats 16 characters of a record that its parent read. Absent: unknown. */
  readonly copiesRecord?: boolean;
  readonly agent: PinnedAgent;
  /**
   * Lists of patterns that narrow the agent's tools: the request's, that of the matched skills, then that of each
   * dispatch on the way down. A tool has to match every list, so a subtask never has a tool that its parent lacks.
   */
  readonly tools: readonly (readonly string[])[];
  /** The skills in force from its creation. One with `tool` is the only one and replaces the agent's instructions. */
  readonly skills: readonly SkillInForce[];
  /** The tenant's own tools that it may use besides the built-in ones, as they were when its tree began. */
  readonly sources: readonly PinnedSource[];
  /** Its apps. Absent from a task without any, and from an earlier release. */
  readonly apps?: TaskApps;
  readonly project: string | null;
  /** The models in order of use: the agent's own, then its fallbacks. Never empty. */
  readonly models: readonly ModelChoice[];
  readonly limits: Limits;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/** What a task used so far. A model without a known price adds nothing to `costMicros`. */
export interface Usage {
  readonly steps: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  /** True when Otto counted any figure because the provider did not report it. */
  readonly estimated: boolean;
}

/** Tokens (input and output together) and money. */
export interface Amount {
  readonly tokens: number;
  readonly costMicros: number;
}

/** The most that may be used; null: unlimited. */
export interface AmountLimit {
  readonly tokens: number | null;
  readonly costMicros: number | null;
}

/** The most that the current call may cost. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** Ledger states of the API. */
export type LedgerState = "intended" | "confirmed" | "failed" | "unknown" | "refused";

/** A call of the current step. Its arguments and result live in its ledger row. */
export interface BatchCall extends EffectTerms {
  readonly id: string;
  readonly tool: string;
  readonly argumentsHash: string;
  readonly state: LedgerState;
  readonly attempts: number;
  /** The label of the request that asked for the call. Absent from a call that an earlier release stored. */
  readonly label?: Label;
  /** For a keyed call, the start of the first attempt with its key. Absent until the first attempt. */
  readonly sentAt?: number;
  readonly wait: Wait | null;
  /** The note that the model reads before the result: a person changed the arguments, or a rule corrected one. */
  readonly note: string | null;
  /** True once a person retries it although an earlier attempt may have happened. */
  readonly mayRepeat: boolean;
  /** True when a model has to summarise the long result before the next step. */
  readonly toSummarise: boolean;
  /** Present for a call that asked a person and runs again with the answer. */
  readonly resumed?: Resumed;
  /** True for a call that dispatches a subtask; these share what is left of a budget. */
  readonly dispatches?: boolean;
  /** As in `TaskFacts`, of the subtask that it dispatches. */
  readonly copiesRecord?: boolean;
  /** The text that the task ends with once the step's other calls are settled. */
  readonly finish?: string;
  /** The resources that it reads and writes, which order the calls of a step. Absent if it shares none. */
  readonly touches?: readonly Touch[];
  /** True for a call that names files, or gives a program files. */
  readonly namesFiles?: boolean;
  /** True for a call of an earlier release that was not judged by what it sends out. It does not run. */
  readonly isUnjudged?: boolean;
  /** Present for a call whose files are uploaded before it is sent; null until they are. */
  readonly uploads?: readonly UploadedFile[] | null;
  /** Present for a call that names files and needs an approval. */
  readonly consent?: Consent;
  /** The account through which it acts. Absent for a tool without `app`, and until one is chosen. */
  readonly account?: Account;
  /** As in a `PreparedCall`. */
  readonly security?: SecurityLevel;
  /** Present for a call of a tool with `app`. */
  readonly accountRounds?: AccountRounds;
  /** What it may ask a model. Absent if it asks none. */
  readonly asks?: ModelUse;
  /** What is reserved for it: `model` is an index in `facts.models`. Present from the write of its attempt until it ends. */
  readonly reserved?: Reservation & { readonly model: number };
}

/** The approval of a call that names files. It covers their content. */
export interface Consent {
  readonly reason: string;
  readonly expiresInMs: number;
  /** How often the approval was requested. */
  readonly rounds: number;
  /** The files as approved; null until then. */
  readonly approved: readonly BoundFile[] | null;
  /** As in the approval's wait. */
  readonly owner?: ApprovalOwner;
}

/** The tenant's permit for runner calls: until when, and up to which total of this task's own use. */
export interface Permit {
  readonly until: number;
  readonly grant: AmountLimit;
  /** True until a runner call began under it. After that the task may request a larger grant. */
  readonly isNew: boolean;
  /** True when no budget of the tenant limits anything and slots are free: a subtask's permit may pass to its parent. */
  readonly isTransferable?: boolean;
}

/** Why the tenant refused a permit, and when the task retries. */
export interface TurnedAway {
  readonly why: "queue" | "stopped" | "budget";
  readonly askAgainAt: number;
  /** For people; null while the task only waits in the queue. */
  readonly message: string | null;
}

export type Phase =
  /** A draft task (`hold`), which waits for its start. */
  | { readonly name: "held" }
  /** The next step may begin. */
  | { readonly name: "ready" }
  /** The batch is stored, and none of its calls has begun. */
  | { readonly name: "prepared" }
  /** The model phase is running, started by the alarm run that `incarnation` names. */
  | {
      readonly name: "thinking";
      readonly attempt: number;
      readonly incarnation: string;
      readonly since: number;
      readonly final: boolean;
      /** The index in `facts.models` of the model that is called. */
      readonly model: number;
      readonly reserved: Reservation;
      /** The output at the last checkpoint. Absent from an earlier release's call, which stored none. */
      readonly written?: number;
      readonly tries: ModelTries;
    }
  /** The tool phase is running. With an empty `incarnation` it ended, and the next alarm recovers unsettled calls. */
  | { readonly name: "acting"; readonly incarnation: string; readonly since: number }
  /** Every call that can run has ended, and subtasks are being created. Creation is idempotent. */
  | { readonly name: "dispatching" }
  /**
   * Long results, or the older steps up to number `history`, are being shortened. `retry` is the model call that did
   * not fit and runs again after it.
   */
  | {
      readonly name: "condensing";
      readonly incarnation: string;
      readonly since: number;
      readonly history: number | null;
      readonly withModel: boolean;
      readonly reserved: Reservation;
      /** The output of the compaction so far. Absent from summaries, which end before a checkpoint. */
      readonly written?: number;
      readonly retry: ModelRetry | null;
    }
  /** The model failed; the next try is due at `until`. */
  | ({
      readonly name: "backing_off";
      readonly until: number;
      /** The error of the model. */
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

/** A model call to repeat. */
export interface ModelRetry {
  readonly attempt: number;
  readonly final: boolean;
  readonly tries: ModelTries;
}

/**
 * Counts of one step's model calls: failures in a row on this model, the time of the first failure, rounds in which all
 * models failed, calls that a crash cut off, empty replies, and requests that did not fit the window. `refused` has the
 * indexes of models that refuse this step.
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

/** A file marked for delivery, with the content that it had then. */
export interface Attachment {
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  /** SHA-256 of the content, in hex. Absent from an earlier release: then the content at delivery is sent. */
  readonly hash?: string;
}

/** Everything that `decide` needs. Arguments, results and messages are separate rows. */
export interface TaskState {
  readonly v: typeof STATE_VERSION;
  readonly facts: TaskFacts;
  readonly phase: Phase;
  /** The number of the last step that began; 0 before the first. */
  readonly step: number;
  readonly startedAt: number | null;
  /** What the task used without its subtasks. */
  readonly usage: Usage;
  /** What its ended subtasks and their trees used. */
  readonly usedBelow: { readonly inputTokens: number; readonly outputTokens: number; readonly costMicros: number };
  readonly permit: Permit | null;
  readonly turnedAway: TurnedAway | null;
  /** The model in use, by its index in `facts.models`, and since when. */
  readonly model: { readonly index: number; readonly since: number };
  /** The joined label of what the next request contains. It is never lowered. */
  readonly steeredBy: Label;
  /** Estimated tokens of the next request: the last request's count and what was added since. */
  readonly contextTokens: number;
  /** True once the request was measured or counted. Until then `contextTokens` excludes the tools. */
  readonly isContextCounted: boolean;
  /** True once the context was counted in another model's encoding. From then on the estimate includes the tools. */
  readonly hasCountedTools?: boolean;
  /** The window as a request that did not fit revealed it; null to use the model table's. */
  readonly windowTokens: number | null;
  /** The last compacted step; 0 if none. */
  readonly compactedThrough: number;
  /** Time that counts against `maxDurationMs`: the time so far, and since when it counts (null while it is stopped). */
  readonly clock: { readonly activeMs: number; readonly since: number | null };
  readonly batch: readonly BatchCall[];
  /** Skills that the model loaded. In force, with those of the facts, for work that begins after the load. */
  readonly loaded: readonly SkillInForce[];
  /** Who steered the task so far. */
  readonly actors: Actors;
  /** What people asked for so far, instead of the intent of `facts.apps`. Absent until a message adds something. */
  readonly intent?: StoredIntent;
  /** Messages sent to the running task that its next step will read. */
  readonly steering: readonly LabelledText[];
  readonly attachments: readonly Attachment[];
  /** The pieces of documents that its calls read; after the end, those that the answer cites. Absent: none. */
  readonly sources?: readonly GivenSource[];
  readonly settledWaits: Readonly<Record<string, SettledWait>>;
  /** The created subtasks, in order. They are deleted with this task. */
  readonly subtasks: readonly string[];
  /** At the root: every subtask of the tree, which its limit counts. Empty elsewhere. */
  readonly tree: readonly string[];
  /**
   * The last report of each subtask, by id: its version, whether it waits for a person, and whether its clock is
   * stopped (`stands`).
   */
  readonly waitsBelow: Readonly<
    Record<string, { readonly version: number; readonly forPerson: boolean; readonly stands: boolean }>
  >;
  /** Subtasks that were open when this task ended and have not reported their use. */
  readonly uncounted: readonly string[];
  /** Tasks below this one that still have to be cancelled after it ended. */
  readonly toCancel: readonly string[];
  /** Hidden tasks of API calls for this task: the open ones (`adopted`), and the last ended ones (`disowned`). */
  readonly adopted: readonly string[];
  readonly disowned: readonly string[];
  /** The last applied requests. A repeated one is not applied again. */
  readonly requests: readonly string[];
  /** How often the model requested the same single call in a row. */
  readonly repeat: { readonly hash: string; readonly count: number } | null;
  /** The limits whose warning at 80 % was emitted, such as `task tokens`. */
  readonly warned: readonly string[];
}
