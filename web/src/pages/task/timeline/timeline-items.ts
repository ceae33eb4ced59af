/** What a timeline is made of. Every text in it was written by a model, a tool or a person: it is only ever shown as text. */
import type { AccountWords } from "../../../pending/account-words.ts";
import type { ToolData } from "../data/tool-data.ts";
import type { LedgerRow } from "../../../api/types.generated.ts";
import { FINAL_STATUSES, type TaskStatus } from "../../../api/types.ts";

export const EFFECTS = ["none", "keyed", "probe", "once"] as const satisfies readonly LedgerRow["effect"][];
export type Effect = (typeof EFFECTS)[number];

export const CALL_STATES = [
  "intended",
  "confirmed",
  "failed",
  "unknown",
  "refused",
] as const satisfies readonly LedgerRow["state"][];
export type CallState = (typeof CALL_STATES)[number];

export const TASK_STATUSES: readonly TaskStatus[] = [
  "queued",
  "running",
  "waiting_input",
  "waiting_approval",
  "waiting_subagents",
  "sleeping",
  ...FINAL_STATUSES,
];

/** `at`: when it came into the log, in ISO 8601; null when the event does not say. */
interface Entry {
  /** Unique in its timeline, and the same whenever the log is read. */
  readonly key: string;
  readonly at: string | null;
}

export interface InputItem extends Entry {
  readonly kind: "input";
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly skills: readonly string[];
  /** A part of it or all came from outside, as in a hook's fields. */
  readonly isFromOutside: boolean;
}

/** What a person told the task while it ran. */
export interface SaidItem extends Entry {
  readonly kind: "said";
  readonly text: string;
  /** A part of it or all came from outside, as names of files do. */
  readonly isFromOutside: boolean;
}

/** What the model wrote. */
export interface MessageItem extends Entry {
  readonly kind: "message";
  readonly text: string;
  readonly model: string | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

export interface CallItem extends Entry {
  readonly kind: "call";
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly effect: Effect | null;
  readonly state: CallState;
  /** Undefined until there is one; a failed call has `error`. */
  readonly result: unknown;
  /** The result by its type; null when a page shows it as it is. */
  readonly data: ToolData | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  /** Its result has text from outside. */
  readonly isFromOutside: boolean;
  /** The account through which it acts; null for a tool without one. */
  readonly account: AccountWords | null;
}

export interface QuestionItem extends Entry {
  readonly kind: "question";
  /** Null for a notification, which nobody answers. */
  readonly id: string | null;
  readonly callId: string | null;
  readonly query: string;
  readonly choices: readonly string[];
  readonly person: string | null;
  readonly expiresAt: string | null;
  readonly outcome: "open" | "answered" | "expired" | "closed";
  readonly answer: string | null;
  readonly by: string | null;
  readonly settledAt: string | null;
}

export interface ApprovalItem extends Entry {
  readonly kind: "approval";
  readonly id: string | null;
  readonly callId: string | null;
  readonly tool: string;
  readonly why: string | null;
  readonly expiresAt: string | null;
  readonly outcome: "open" | "approved" | "refused" | "expired" | "closed";
  /** Undefined when the person left them as they were. */
  readonly newArguments: unknown;
  readonly reason: string | null;
  readonly by: string | null;
  readonly settledAt: string | null;
}

/** A call that waits for an account of an app. */
export interface ConnectionItem extends Entry {
  readonly kind: "connection";
  readonly id: string | null;
  readonly callId: string | null;
  readonly app: string;
  readonly outcome: "open" | "ready" | "closed";
  /** Once it is ready. */
  readonly account: AccountWords | null;
}

export interface SubtaskItem extends Entry {
  readonly kind: "subtask";
  readonly id: string;
  readonly callId: string | null;
  /** Null while it lives. */
  readonly status: TaskStatus | null;
}

export interface SkillItem extends Entry {
  readonly kind: "skill";
  readonly name: string;
}

export interface FileItem extends Entry {
  readonly kind: "file";
  readonly path: string;
  readonly size: number | null;
}

export interface BudgetItem extends Entry {
  readonly kind: "budget";
  readonly account: string;
  readonly of: string;
  readonly used: number | null;
  readonly limit: number | null;
}

/** The task waited, and resumed at `resumedAt`. */
export interface WaitItem extends Entry {
  readonly kind: "wait";
  readonly status: TaskStatus | null;
  /** Why it has to wait, when it is for nobody's answer: the model failed, the tenant is stopped. */
  readonly why: string | null;
  readonly until: string | null;
  readonly resumedAt: string | null;
}

/** The model is asked once more in the same step. */
export interface RetryItem extends Entry {
  readonly kind: "retry";
  readonly attempt: number;
  readonly model: string | null;
}

/** The end of the task. */
export interface EndItem extends Entry {
  readonly kind: "end";
  readonly status: TaskStatus;
  readonly reason: string | null;
  readonly error: string | null;
  readonly files: readonly string[];
}

/** An event of a kind that this console does not know. */
export interface OtherItem extends Entry {
  readonly kind: "other";
  readonly type: string;
  readonly data: unknown;
}

export type Item =
  | InputItem
  | SaidItem
  | MessageItem
  | CallItem
  | QuestionItem
  | ApprovalItem
  | ConnectionItem
  | SubtaskItem
  | SkillItem
  | FileItem
  | BudgetItem
  | WaitItem
  | RetryItem
  | EndItem
  | OtherItem;

/** A step with all that came into the log from its beginning to the next one's. Step 0 is what came before the first. */
export interface Step {
  readonly step: number;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** The last call of the model, without tools: there are no more steps. */
  readonly isFinal: boolean;
  readonly attempt: number;
  readonly model: string | null;
  readonly items: readonly Item[];
}

/** The text that the model is writing. It is in no log: `message.completed` brings it whole. */
export interface Draft {
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  /** True when a part of it was written while nobody listened. */
  readonly hasGap: boolean;
}

export interface Timeline {
  /** The sequence number of the last event that is in it; 0 before the first. */
  readonly last: number;
  readonly steps: readonly Step[];
  readonly draft: Draft | null;
  /** True after the terminal event: the log never grows again. */
  readonly isOver: boolean;
}
