/** Stops a task from Slack. */
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { NO_RUN_DEPTH } from "../../../core/base/call-budget.ts";
import { isId } from "../../../core/base/ids.ts";
import { hasEnded } from "../../../core/task/status.ts";
import { findSpeaker } from "./speaker.ts";
import { retryLater, isTemporary, type SlackContext } from "./workspace.ts";

const NO_SUCH_TASK = "There is no such task in this workspace.";

/** A person may stop a task that they started, or if they may approve. `tell` replies to that person. */
export async function stopTask(
  context: SlackContext,
  { task, user }: { readonly task: string; readonly user: string },
  tell: (text: string) => Promise<unknown>,
): Promise<ItemOutcome> {
  const refuse = async (why: string): Promise<ItemOutcome> => {
    await tell(why);
    return { kind: "refused", why };
  };
  if (!isId("task", task)) return await refuse(NO_SUCH_TASK);
  const stub = tasksFromEnv(context.env)(context.tenant, task);
  const view = await stub.view();
  if (!view.ok) return isTemporary(view.error) ? retryLater(view.error) : await refuse(NO_SUCH_TASK);
  const by = await findSpeaker(context, user);
  if (!by.ok && isTemporary(by.error)) return retryLater(by.error);
  const began = view.value.metadata["slack_user"] === `${context.team}/${user}`;
  const mayStop = began || (by.ok && by.value.mayApprove);
  if (!mayStop) return await refuse("Only the person who started this task, or a person who may approve, can stop it.");
  if (hasEnded(view.value.status)) return await refuse("This task has already ended.");
  const cancelled = await stub.cancel(by.ok ? by.value.name : user, NO_RUN_DEPTH);
  if (!cancelled.ok)
    return isTemporary(cancelled.error) ? retryLater(cancelled.error) : await refuse(cancelled.error.message);
  await tell("The task was stopped.");
  return { kind: "done", note: `stops ${task}` };
}
