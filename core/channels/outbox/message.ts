/** What a delivery to a person says, before its channel gives it a form: each sender makes its own of it. */
import type { OutputFile } from "../../task/view.ts";

/** The content of deliveries of every kind but `event`. */
export interface OutMessage {
  /** Markdown. */
  readonly text: string;
  /** Files of the task's sandbox; `sandbox` says which. */
  readonly files: readonly OutputFile[];
  readonly sandbox: { readonly rootId: string; readonly project: string | null } | null;
  /** Of a question, an approval or a reminder of one. */
  readonly ask: Ask | null;
  /** Of `settled`: how what was asked ended, and who decided it. */
  readonly outcome: { readonly text: string; readonly by: string | null } | null;
  /** Of `progress`: what the task does now. A result takes the place of the progress that its `refs` name. */
  readonly isOver: boolean;
  /** A title for channels that have one, such as the subject of a mail. */
  readonly title: string;
}

/** `arguments` null: they are too long to be shown whole, so the call is approved in no channel. */
export interface AskedCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly argumentsHash: string;
}

/** What a person is asked. */
export interface Ask {
  readonly kind: "question" | "approval";
  /** `qst_…` or `apr_…` */
  readonly id: string;
  readonly task: string;
  /** The person's id whom it is for; null: whoever may answer. */
  readonly person: string | null;
  readonly choices: readonly string[] | null;
  /** Of an approval: the call that waits. */
  readonly call: AskedCall | null;
  readonly reason: string | null;
  readonly expiresAt: string | null;
}
