/** Stops a task from Slack. */
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { isId } from "../../../core/base/ids.ts";
import { hasEnded } from "../../../core/task/status.ts";
import { speakerOf } from "./speaker.ts";
import { laterFor, mayPass, type SlackScene } from "./workspace.ts";

const NO_SUCH_TASK = "There is no such task in this workspace.";

/** A person may stop a task that they started, or if they may approve. `tell` replies to that person. */
export async function stopTask(
  scene: SlackScene,
  { task, user }: { readonly task: string; readonly user: string },
  tell: (text: string) => Promise<unknown>,
): Promise<ItemOutcome> {
  const refuse = async (why: string): Promise<ItemOutcome> => {
    await tell(why);
    return { kind: "refused", why };
  };
  if (!isId("task", task)) return await refuse(NO_SUCH_TASK);
  const stub = tasksFromEnv(scene.env)(scene.tenant, task);
  const view = await stub.view();
  if (!view.ok) return mayPass(view.error) ? laterFor(view.error) : await refuse(NO_SUCH_TASK);
  const by = await speakerOf(scene, user);
  if (!by.ok && mayPass(by.error)) return laterFor(by.error);
  const began = view.value.metadata["slack_user"] === `${scene.team}/${user}`;
  const mayStop = began || (by.ok && by.value.mayApprove);
  if (!mayStop) return await refuse("Only the person who started this task, or a person who may approve, can stop it.");
  if (hasEnded(view.value.status)) return await refuse("This task has already ended.");
  const cancelled = await stub.cancel(by.ok ? by.value.name : user);
  if (!cancelled.ok)
    return mayPass(cancelled.error) ? laterFor(cancelled.error) : await refuse(cancelled.error.message);
  await tell("The task was stopped.");
  return { kind: "done", note: `stops ${task}` };
}
