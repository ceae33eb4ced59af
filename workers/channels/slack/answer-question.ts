/** Answers a question with a message: its files go to the task that asks, its text is the answer. */
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import type { Actor } from "../../../core/connections/actors.ts";
import type { MessageBody } from "../../../core/channels/slack/items.ts";
import { type OpenQuestion, toAnswer } from "../../../core/channels/slack/open-questions.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { answerAsk } from "../inbox/answer.ts";
import { fetchFiles } from "./files.ts";
import { findSpeaker } from "./speaker.ts";
import { isTemporary, type SlackContext } from "./workspace.ts";

/** `not_counted`: the message answers nothing, or another one was first; `why` says so. `later`: unknown for now. */
export type AnswerResult =
  | { readonly kind: "counted" }
  | { readonly kind: "not_counted"; readonly why: Failure }
  | { readonly kind: "later"; readonly why: Failure };

/** Stores the files of a message in a task's sandbox, and returns what the task reads about them. */
export async function storeFiles(
  context: SlackContext,
  said: MessageBody,
  { id: rootId, project }: Pick<TaskView, "id" | "project">,
  folder: string | null,
): Promise<Result<string>> {
  const sandbox = filesFromEnv(context.env, { tenant: context.tenant, rootId, project });
  return await fetchFiles({ ...context, sandbox, folder }, said);
}

/**
 * Sends a task what it reads about files, next to an answer: file names are not the person's words. Returns what is still
 * to be sent, because the task reads no messages now.
 */
export async function sendFiles(
  { env, tenant, item }: SlackContext,
  task: string,
  files: string,
  by: Actor | null,
): Promise<Result<string>> {
  if (files === "") return ok("");
  const sent = await tasksFromEnv(env)(tenant, task).message(files, `${item.id}/files`, 0, undefined, by);
  if (sent.ok) return ok("");
  return isTemporary(sent.error) ? sent : ok(files);
}

/** Answers a question; null `choices` for one that has ended, whose task knows whether this message was its answer. */
export async function tryAnswer(
  context: SlackContext,
  { user }: Pick<MessageBody, "user">,
  text: string,
  { id, choices }: Pick<OpenQuestion, "id" | "choices">,
): Promise<AnswerResult> {
  const { env, tenant, item } = context;
  const by = await findSpeaker(context, user);
  if (!by.ok) return toResult(by.error);
  const reply = toAnswer(text, choices);
  const answered = await answerAsk(env, { tenant, ask: id, reply, by: by.value, request: item.id });
  return answered.ok ? { kind: "counted" } : toResult(answered.error);
}

function toResult(why: Failure): AnswerResult {
  return { kind: isTemporary(why) ? "later" : "not_counted", why };
}
