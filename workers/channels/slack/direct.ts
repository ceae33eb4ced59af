/**
 * Answers a question with a plain direct message. Only questions that were posted to these direct messages before the
 * message, and were open when it arrived, count: exactly one is answered, of several Otto asks which.
 */
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { findTaskOfWait } from "../../../core/base/ids.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { getOutboxName } from "../../../core/channels/outbox/delivery.ts";
import { renderWhichCard } from "../../../core/channels/slack/cards.ts";
import type { MessageBody } from "../../../core/channels/slack/items.ts";
import {
  chooseQuestion,
  isBefore,
  type OpenQuestion,
  type QuestionThen,
} from "../../../core/channels/slack/open-questions.ts";
import { findMentions } from "../../../core/channels/slack/plain-text.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { sendFiles, storeFiles, tryAnswer } from "./answer-question.ts";
import { findAuthor, findSpeaker, toActor } from "./speaker.ts";
import { isTemporary, retryLater, type SlackContext, whisper, whisperCard } from "./workspace.ts";

/** The latest questions of the direct messages that are looked at. */
const MAX_QUESTIONS = 10;

export const ANSWER_IN_WORDS = "The files are in the task. Please answer the question in words, too.";

/** A question, and its task as it is now. */
interface FoundQuestion extends QuestionThen {
  readonly task: TaskView;
}

/** Answers a question with the message. Null if it is no answer: none was open, or it is a new request. */
export async function answerDirectly(
  context: SlackContext,
  said: MessageBody,
  text: string,
): Promise<ItemOutcome | null> {
  if (said.isDirect !== true || said.thread !== null) return null;
  // A person who mentions Otto begins something new.
  if (findMentions(said.text).includes(context.install.botUser)) return null;
  const found = await findQuestions(context, said);
  if (!found.ok) return retryLater(found.error);
  if (found.value.length === 0) return null;
  const by = await findSpeaker(context, said.user);
  if (!by.ok) return isTemporary(by.error) ? retryLater(by.error) : null;
  const choice = chooseQuestion(by.value, found.value);
  if (choice.kind === "none") return null;
  if (choice.kind === "several") return await askWhich(context, said, text, choice.open, said.files.length > 0);
  const one = found.value.find(({ id }) => id === choice.question.id);
  return one === undefined ? null : await answer(context, said, text, one);
}

/** Finds the questions that were posted here before the message, except those that had ended when it arrived. */
async function findQuestions(
  { env, tenant, team, item }: SlackContext,
  { channel, ts }: MessageBody,
): Promise<Result<readonly FoundQuestion[]>> {
  const outbox = outboxesFromEnv(env)(getOutboxName({ tenant, channel: "slack", to: team }));
  const posted = await outbox.questionsIn(channel, item.receivedAt, MAX_QUESTIONS);
  const earlier = posted
    .filter((question) => isBefore(question.ts, ts))
    .map(({ id }) => ({ id, task: findTaskOfWait(id) }));
  const views = await Promise.all(
    earlier.map(async ({ id, task }) => ({
      id,
      view: task === null ? null : await tasksFromEnv(env)(tenant, task).view(),
    })),
  );
  const found: FoundQuestion[] = [];
  for (const { id, view } of views) {
    if (view === null) continue;
    if (view.ok) found.push({ id, pending: findPending(view.value, id), task: view.value });
    else if (isTemporary(view.error)) return view;
  }
  return ok(found);
}

/** Returns the task's own open question; null if it has ended. */
function findPending({ pending }: TaskView, ask: string): OpenQuestion | null {
  const found = pending.find((entry) => entry.kind === "question" && entry.id === ask && entry.task_id === undefined);
  return found?.kind === "question" ? found : null;
}

async function answer(
  context: SlackContext,
  said: MessageBody,
  text: string,
  { id, pending, task }: FoundQuestion,
): Promise<ItemOutcome> {
  const lane = { task: task.id };
  if (pending !== null && said.files.length > 0) {
    const passed = await passFiles(context, said, task.id);
    if (!passed.ok && isTemporary(passed.error)) return retryLater(passed.error);
  }
  if (text === "") {
    await whisper(context, said, ANSWER_IN_WORDS);
    return { kind: "done", note: task.id, lane };
  }
  const answered = await tryAnswer(context, said, text, { id, choices: pending?.choices ?? null });
  if (answered.kind === "counted") return { kind: "done", note: `answers ${id}`, lane };
  if (answered.kind === "later") return retryLater(answered.why);
  const why = explain(answered.why);
  await whisper(context, said, why);
  return { kind: "refused", why };
}

/** Stores the files of an answer in the sandbox of the task's tree, and names them to the task. */
async function passFiles(context: SlackContext, said: MessageBody, task: string): Promise<Result<string>> {
  const facts = await tasksFromEnv(context.env)(context.tenant, task).facts();
  if (!facts.ok) return facts;
  const { rootId, project } = facts.value;
  const named = await storeFiles(context, said, { id: rootId, project }, said.ts);
  if (!named.ok) return named;
  const author = await findAuthor(context, said.user);
  return author.ok ? await sendFiles(context, task, named.value, toActor(author.value)) : author;
}

function explain({ cause, message }: Failure): string {
  return cause?.kind === "decided" ? `This was answered already by ${cause.by}.` : message;
}

/**
 * Asks which question the message answers. It answers none until the person has chosen. `hasFiles`: its files went to no
 * task.
 */
export async function askWhich(
  context: SlackContext,
  said: MessageBody,
  text: string,
  open: readonly OpenQuestion[],
  hasFiles: boolean,
): Promise<Exclude<ItemOutcome, { kind: "later" }>> {
  if (open.length === 0) {
    const why = "The questions here were answered already.";
    await whisper(context, said, why);
    return { kind: "refused", why };
  }
  await whisperCard(context, said, renderWhichCard(text, open, hasFiles));
  return { kind: "done", note: "The message did not say which question it answers." };
}
