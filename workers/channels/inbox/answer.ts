/** Answers and decisions from a channel. The first one counts, from any source. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { tasksFromEnv, type TaskStub } from "../../../adapters/env/tasks.ts";
import { NO_RUN_DEPTH } from "../../../core/base/call-budget.ts";
import { failed, type Result, toFailure } from "../../../core/base/errors.ts";
import { findTaskOfWait } from "../../../core/base/ids.ts";
import { readResult } from "../../../core/base/read-failure.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { formatArguments, TOO_LONG_TO_SHOW } from "../../../core/people/format-call.ts";
import { findDecisionRefusal } from "../../../core/people/who-may.ts";
import type { PendingView, TaskView } from "../../../core/task/view.ts";
import { findRetry } from "../../http/retryable-failure.ts";

/** A person's reply to a question or approval. */
export type Reply =
  | { readonly text: string }
  | { readonly choice: string }
  | {
      readonly decision: "approve" | "refuse";
      /** With `approve`: replaces the arguments that were shown. */
      readonly arguments?: Readonly<Record<string, unknown>>;
      readonly reason?: string;
    };

export interface AnswerFromChannel {
  readonly tenant: string;
  /** `qst_…` or `apr_…` */
  readonly ask: string;
  readonly reply: Reply;
  /** The person who replies, identified by an address that the channel has verified. */
  readonly by: PersonRecord;
  /** Identifies the received item, so that a repeated answer counts once and gets the same reply. */
  readonly request: string;
}

/** UTF-16 units of a text and of a reason; longer ones are cut. */
const MAX_TEXT = 16_000;
const MAX_REASON = 2_000;

const UNKNOWN_ASK = failed("not_found", "There is no question or approval with this id.");

/**
 * Answers a question or decides an approval, and returns the task's new view. `not_found`: the tenant has no such
 * question; `forbidden`: this person may not decide, or not in a channel, and the message explains it; `conflict`:
 * another person was first (the cause `decided`); `gone`: it expired, or its task ended; `invalid_input`: an unknown
 * choice, or arguments that the tool refuses; `upstream_failed`: the task was restarting, so retry. Never throws.
 */
export async function answerAsk(env: Env, answer: AnswerFromChannel): Promise<Result<TaskView>> {
  const task = findTaskOfWait(answer.ask);
  if (task === null) return UNKNOWN_ASK;
  try {
    return readResult(await sendAnswer(tasksFromEnv(env)(answer.tenant, task), answer));
  } catch (thrown) {
    if (findRetry(thrown) === null) return { ok: false, error: toFailure(thrown) };
    return failed("upstream_failed", "The task was restarting. Send this again.", { retryAfterMs: 1000 });
  }
}

/**
 * Sends the answer to the task even if the question has ended: the task knows who was first, and whether this answer
 * counted before.
 */
async function sendAnswer(
  stub: TaskStub,
  { ask, reply: given, by, request }: AnswerFromChannel,
): Promise<Result<TaskView>> {
  const view = await stub.view();
  if (!view.ok) return view.error.code === "not_found" ? UNKNOWN_ASK : view;
  const isApproval = ask.startsWith("apr_");
  const pending = view.value.pending.find((entry) => isAsk(entry, ask)) ?? null;
  const refusal = findDecisionRefusal(by, isApproval ? "approval" : "question", pending);
  if (refusal !== null) return failed("forbidden", refusal);
  if ("decision" in given) {
    if (!isApproval) return failed("invalid_input", "This is a question. Answer with text or a choice.");
    const { decision, arguments: changed = null, reason = null } = given;
    if (decision === "approve" && changed === null && isTooLongToShow(pending))
      return failed("forbidden", TOO_LONG_TO_SHOW);
    const cut = reason === null ? null : reason.slice(0, MAX_REASON).toWellFormed();
    return await stub.decideApproval(
      ask,
      { decision, arguments: changed, reason: cut, by: by.name, person: by.id, mayApprove: by.mayApprove },
      request,
      NO_RUN_DEPTH,
    );
  }
  if (isApproval) return failed("invalid_input", "This is an approval. Approve or refuse it.");
  const said =
    "choice" in given
      ? { text: given.choice, isChoice: true }
      : { text: given.text.slice(0, MAX_TEXT), isChoice: false };
  if (said.text.trim() === "") return failed("invalid_input", "The answer is empty. Write some text.");
  return await stub.answer(ask, { ...said, by: by.name, person: by.id }, request, NO_RUN_DEPTH);
}

/** True for an approval whose arguments no channel could show. */
function isTooLongToShow(pending: PendingView | null): boolean {
  return pending?.kind === "approval" && formatArguments(pending.arguments) === null;
}

/** True for a question of the task itself, false for one of a subtask. */
function isAsk(entry: PendingView, ask: string): boolean {
  return entry.kind !== "unknown" && entry.task_id === undefined && entry.id === ask;
}
