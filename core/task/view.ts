/** A task as the API returns it. */
import { type Account, type ConnectReason, formatAccount, type AccountView } from "../connections/account.ts";
import { getStatus, type TaskStatus } from "./status.ts";
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { getTreeUse } from "./budget.ts";
import { hashApproved } from "../gateway/bind-files.ts";
import { formatSkill, type SkillView, getCurrentFacts } from "./skills-in-force.ts";
import { toTaskBudget, type TaskBudget } from "./budget-view.ts";
import { type Citation, resolveCitations } from "../knowledge/citations.ts";
import type { EndReason, TaskState } from "./state.ts";
import type { Message } from "../model/messages.ts";
import { iso, isoOrNull } from "../base/iso.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { EffectClass } from "../tool/tool.ts";
import type { ApprovalOwner } from "./wait.ts";

/** What a task waits for, as the API returns it. */
export type PendingView =
  | {
      readonly kind: "question";
      readonly id: string;
      readonly query: string;
      readonly choices: readonly string[] | null;
      readonly person: string | null;
      /** Absent without a record of the person. */
      readonly person_id?: string;
      readonly expires_at: string | null;
      /** The subtask that asks; absent for the task's own. */
      readonly task_id?: string;
    }
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly call_id: string;
      readonly tool: string;
      /** Absent in events, where `approval.requested` has them. */
      readonly arguments?: unknown;
      readonly arguments_hash: string;
      /** Hash of the arguments with the content of their files. Absent from a task of an earlier release. */
      readonly approved_hash?: string;
      readonly reason: string;
      /** What a repeat of the call would do. Absent from a view of an earlier release. */
      readonly effect?: EffectClass;
      readonly expires_at: string | null;
      /** Who decides; null for everyone who may approve. Absent from a view of an earlier release. */
      readonly decides?: DecidesView | null;
      /** The files that the call names, whose content is approved with it. Absent if it names none. */
      readonly files?: readonly ApprovedFile[];
      /** The account through which the call acts. Absent for a tool without `app`. */
      readonly account?: AccountView;
      readonly task_id?: string;
    }
  | {
      readonly kind: "connection";
      readonly id: string;
      readonly call_id: string;
      readonly tool: string;
      readonly app: string;
      readonly reason: ConnectReason;
      /** Who has to connect; null: shared, an administrator. */
      readonly person_id: string | null;
      /** What it is needed for, in the model's words. Absent for a call that acts through it. */
      readonly why?: string;
      /** Created for each reader who may connect; null for others, and in what is stored. */
      readonly connect_url: string | null;
      readonly expires_at: string;
      readonly task_id?: string;
    }
  | {
      readonly kind: "unknown";
      readonly call_id: string;
      readonly tool: string;
      readonly arguments?: unknown;
      readonly task_id?: string;
    };

/** The owner of the account that a call uses, who decides its approval. */
export interface DecidesView {
  readonly person_id: string;
  readonly name: string;
  /** True if others who may approve decide too. */
  readonly delegates: boolean;
}

const NO_ACCOUNT = {};

/** Returns the field for the account of a call, as the API shows it. */
export function toAccountField({ account }: { readonly account?: Account }): { readonly account?: AccountView } {
  return account === undefined ? NO_ACCOUNT : { account: formatAccount(account) };
}

export function formatOwner({ person, name, mayDelegate }: ApprovalOwner): DecidesView {
  return { person_id: person, name, delegates: mayDelegate };
}

/** A file that a call names, as the API returns it. */
export interface ApprovedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Present for a directory. */
  readonly file_count?: number;
}

export function formatFile({ path, size, hash, fileCount }: BoundFile): ApprovedFile {
  return { path, size, sha256: hash, ...(fileCount === undefined ? {} : { file_count: fileCount }) };
}

/** A file of the output; the API adds its URL. */
export interface OutputFile {
  readonly path: string;
  readonly size: number;
  readonly content_type: string;
  /** SHA-256 of the attached content, which deliveries send. Absent when an earlier release attached it. */
  readonly sha256?: string;
}

/** The output of a task. `citations`: what its `[Source n]` name. Absent without any. */
export interface TaskOutput {
  readonly text: string;
  readonly files: readonly OutputFile[];
  readonly citations?: readonly Citation[];
}

/** The task of `GET /v1/tasks/{id}`. The route adds `output.files[].url`. */
export interface TaskView {
  readonly id: string;
  readonly status: TaskStatus;
  readonly reason: EndReason | null;
  readonly agent: { readonly id: string; readonly version: number };
  readonly project: string | null;
  readonly parent_id: string | null;
  /** For whom it acts. Absent: nobody; the API shows null. */
  readonly acts_for?: { readonly person_id: string; readonly name: string } | null;
  readonly input: string | readonly Pick<Message, "role" | "content">[];
  readonly output: TaskOutput | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly pending: readonly PendingView[];
  readonly usage: {
    readonly steps: number;
    readonly tool_calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number;
    readonly estimated: boolean;
  };
  /** Null for a task of an earlier release, read from the index. */
  readonly budget: TaskBudget | null;
  /** The skills in force. Their tool lists explain a missing tool. */
  readonly skills: readonly SkillView[];
  /** What a reader of the output should know. Absent: nothing. */
  readonly warnings?: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

/** The rows that a view needs besides the state. */
export interface ViewRows {
  /** Returns the arguments of a call from its ledger row. */
  readonly getArguments: (callId: string) => unknown;
  /** What subtasks wait for from people. */
  readonly below: readonly PendingView[];
}

/**
 * Converts a state to its view. Tokens and money are those of the task and its subtasks; steps and calls are its own.
 */
export function toTaskView(state: TaskState, rows: ViewRows): TaskView {
  const { facts, phase, usage, usedBelow } = state;
  const ended = phase.name === "ended" ? phase : null;
  const { output, warnings } = toOutput(state, ended?.text ?? null);
  return {
    id: facts.id,
    status: getStatus(state),
    reason: ended?.reason ?? null,
    agent: { id: facts.agent.id, version: facts.agent.version },
    project: facts.project,
    parent_id: facts.parentId,
    ...toActsFor(facts),
    input: facts.input,
    output,
    error: ended?.error ?? null,
    pending: [...getPending(state).map((entry) => addArguments(entry, rows)), ...(ended === null ? rows.below : [])],
    usage: {
      steps: usage.steps,
      tool_calls: usage.toolCalls,
      input_tokens: usage.inputTokens + usedBelow.inputTokens,
      output_tokens: usage.outputTokens + usedBelow.outputTokens,
      cost_usd: getTreeUse(state).costMicros / MICROS_PER_DOLLAR,
      estimated: usage.estimated,
    },
    budget: toTaskBudget(state),
    skills: getCurrentFacts(state).skills.map(formatSkill),
    ...(warnings.length === 0 ? {} : { warnings }),
    metadata: facts.metadata,
    created_at: iso(facts.createdAt),
    started_at: isoOrNull(state.startedAt),
    ended_at: isoOrNull(ended?.at ?? null),
  };
}

/** The name comes with the person, from the same record. */
function toActsFor({ actsFor, caller }: TaskState["facts"]): Pick<TaskView, "acts_for"> {
  return actsFor == null ? {} : { acts_for: { person_id: actsFor.person, name: caller?.name ?? "" } };
}

function addArguments(entry: PendingView, { getArguments: argumentsOf }: ViewRows): PendingView {
  if (entry.kind === "question" || entry.kind === "connection") return entry;
  return { ...entry, arguments: argumentsOf(entry.call_id) };
}

/** Returns what the task itself waits for from people, oldest first, without arguments; empty once it ended. */
export function getPending(state: TaskState): PendingView[] {
  if (state.phase.name === "ended") return [];
  const pending: PendingView[] = [];
  for (const call of state.batch) {
    const wait = call.wait;
    if (wait?.kind === "question") {
      pending.push({
        kind: "question",
        id: wait.id,
        query: wait.query,
        choices: wait.choices,
        person: wait.person,
        ...(wait.personId === undefined ? {} : { person_id: wait.personId }),
        expires_at: isoOrNull(wait.expiresAt),
      });
    } else if (wait?.kind === "approval") {
      pending.push({
        kind: "approval",
        id: wait.id,
        call_id: call.id,
        tool: call.tool,
        arguments_hash: call.argumentsHash,
        approved_hash: hashApproved(call.argumentsHash, wait.files),
        reason: wait.reason,
        effect: call.effect,
        expires_at: isoOrNull(wait.expiresAt),
        decides: wait.owner === undefined ? null : formatOwner(wait.owner),
        ...(wait.files === undefined ? {} : { files: wait.files.map(formatFile) }),
        ...toAccountField(call),
      });
    } else if (wait?.kind === "connection") {
      const { id, app, reason, person: person_id, why, expiresAt } = wait;
      const needed = { app, reason, person_id, ...(why === undefined ? {} : { why }) };
      const names = { id, call_id: call.id, tool: call.tool, ...needed };
      pending.push({ kind: "connection", ...names, connect_url: null, expires_at: iso(expiresAt) });
    } else if (wait?.kind === "unknown") {
      pending.push({ kind: "unknown", call_id: call.id, tool: call.tool });
    }
  }
  return pending;
}

/** Returns the output of a task that ended with this text, and the warnings about it. */
export function toOutput(
  state: TaskState,
  text: string | null,
): { readonly output: TaskOutput | null; readonly warnings: readonly string[] } {
  if (text === null) return { output: null, warnings: [] };
  const { citations, warnings } = resolveCitations(text, state.sources ?? []);
  const cited = citations.length === 0 ? {} : { citations };
  return { output: { text, files: toOutputFiles(state), ...cited }, warnings };
}

/** Returns the files marked for delivery. */
function toOutputFiles(state: TaskState): OutputFile[] {
  return state.attachments.map(({ path, size, contentType, hash }) => {
    return { path, size, content_type: contentType, ...(hash === undefined ? {} : { sha256: hash }) };
  });
}
