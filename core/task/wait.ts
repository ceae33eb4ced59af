/** What a call waits for, as data. `core/task/waits.ts` opens and expires waits. */
import type { ConnectReason } from "../connections/account.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { SkillInForce } from "../skills/skill.ts";
import type { JsonState } from "../tool/tool.ts";
import type { AmountLimit } from "./state.ts";

/** The person who decides an approval, because the call uses this person's account. */
export interface ApprovalOwner {
  readonly person: string;
  readonly name: string;
  /** True if others who may approve decide too. */
  readonly mayDelegate: boolean;
}

/** What a call waits for. `since` is absent from a wait for a person that an earlier release opened. */
export type Wait =
  | {
      readonly kind: "question";
      readonly id: string;
      readonly query: string;
      readonly choices: readonly string[] | null;
      readonly person: string | null;
      /** The id of that person's record, if any. */
      readonly personId?: string;
      readonly expiresAt: number | null;
      readonly defaultAnswer: string | null;
      /** The state with which the call resumes when it is answered. Absent if the answer is its result. */
      readonly state?: JsonState;
      readonly since?: number;
    }
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly reason: string;
      readonly expiresAt: number | null;
      readonly since?: number;
      /** The files that the call names, with the content to approve. Absent if it names none. */
      readonly files?: readonly BoundFile[];
      /** Absent if everyone who may approve decides. */
      readonly owner?: ApprovalOwner;
    }
  /** The outcome of the call is unknown, and the agent's configuration asks a person to decide it. */
  | { readonly kind: "unknown"; readonly since?: number }
  | {
      readonly kind: "subtask";
      readonly id: string;
      /** False until the subtask was created. */
      readonly opened: boolean;
      /** The part of this task's limits that is reserved for it. */
      readonly budget: AmountLimit;
      readonly maxSteps: number;
      /** Patterns that narrow the subtask's tools beyond this task's own. */
      readonly tools: readonly string[] | null;
      /** The skill that replaces the agent's instructions. */
      readonly skill?: SkillInForce;
    }
  | { readonly kind: "sleep"; readonly since: number; readonly until: number }
  /** A person has to connect an account, renew it, or allow its use. No attempt was made. */
  | {
      readonly kind: "connection";
      readonly id: string;
      readonly app: string;
      readonly reason: ConnectReason;
      /** Who has to; null: shared, an administrator. */
      readonly person: string | null;
      /** What it is needed for, in the model's words. Absent for a call that acts through it. */
      readonly why?: string;
      readonly since: number;
      readonly expiresAt: number;
    };

/** How often the account of a call was chosen, and what is still to be done, for a tool with `app`. */
export interface AccountRounds {
  /** Why a person has to approve the call under any account. Absent: no reason. */
  readonly askFirst?: string;
  /** How often it was chosen again. */
  readonly rounds: number;
  /** Present once the account's owner approved the call with this account. */
  readonly isApprovedByOwner?: true;
  /** Present while it has to be chosen again before the call runs. */
  readonly isDue?: true;
  /** The wait for a connection that ended. Absent if none did, or its account is chosen. */
  readonly ended?: string;
  /** When a wait for a connection expires: a week after the first one began. Absent before that. */
  readonly connectBy?: number;
}

/** True for a call's wait on a subtask. */
export function isSubtaskWait(wait: Wait | null): wait is Extract<Wait, { kind: "subtask" }> {
  return wait?.kind === "subtask";
}

/** A settled question, approval or wait for a connection: who settled it, and how. */
export interface SettledWait {
  readonly outcome: "answered" | "expired" | "closed" | "replaced";
  readonly by: string | null;
  readonly at: number;
}
