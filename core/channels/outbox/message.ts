/** A message to a person before its channel formats it. */
import type { AccountView } from "../../connections/account.ts";
import type { OutputFile } from "../../task/view.ts";

/** The content of deliveries of every kind but `event`. */
export interface OutMessage {
  /** Markdown. */
  readonly text: string;
  /** Files of the task's sandbox; `sandbox` names it. */
  readonly files: readonly OutputFile[];
  readonly sandbox: { readonly rootId: string; readonly project: string | null } | null;
  /** For a question, an approval or a reminder of one. */
  readonly ask: Ask | null;
  /** For `settled`: how the question or approval ended, and who decided it. */
  readonly outcome: { readonly text: string; readonly by: string | null } | null;
  /** For `progress`: whether the task has ended. A result replaces the progress that its `refs` name. */
  readonly isOver: boolean;
  /** A title for channels that have one, such as the subject of a mail. */
  readonly title: string;
  /** A schedule that the recipient may confirm with a button. Absent from an earlier release. */
  readonly confirm?: ScheduleToConfirm;
  /** An app whose account the recipient may connect with a button. Absent from an earlier release. */
  readonly connect?: AppToConnect;
}

export interface AppToConnect {
  readonly app: string;
}

/** `task` is null when it is too long to show; then no channel offers to confirm it. */
export interface ScheduleToConfirm {
  readonly schedule: string;
  /** The version that is shown. */
  readonly version: number;
  readonly task: unknown;
}

/** `arguments` is null when they are too long to show; then no channel offers approval. */
export interface ApprovalCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
}

/** A question or an approval. */
export interface Ask {
  readonly kind: "question" | "approval";
  /** `qst_…` or `apr_…` */
  readonly id: string;
  readonly task: string;
  /** The id of the person who has to answer; null when any permitted person may. */
  readonly person: string | null;
  readonly choices: readonly string[] | null;
  /** For an approval: the call that waits. */
  readonly call: ApprovalCall | null;
  readonly reason: string | null;
  readonly expiresAt: string | null;
  /** For an approval: the account that the call uses. Absent without one, and from an earlier release. */
  readonly account?: AccountView;
}
