/** Handles messages to Otto: creates a task, or adds to one that is in progress. */
import { outboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv, type TaskStub } from "../../../adapters/env/tasks.ts";
import { getOutboxName } from "../../../core/channels/outbox/delivery.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { appendToThread, continueConversation, toInput } from "../../../core/channels/slack/exchange.ts";
import type { MessageBody } from "../../../core/channels/slack/items.ts";
import { isOpenTo, type OpenQuestion } from "../../../core/channels/slack/open-questions.ts";
import { toMarkdown, stripMention } from "../../../core/channels/slack/plain-text.ts";
import { findQuotes } from "../../../core/channels/slack/quotes.ts";
import { NO_RUN_DEPTH } from "../../../core/base/call-budget.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { type Actor, type Actors, UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import type { TextRange, LabelledText } from "../../../core/model/label-parts.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { mayInstruct } from "../../../core/provenance/label.ts";
import { lacksMethod } from "../../../core/steps/rpc.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { hasEnded } from "../../../core/task/status.ts";
import type { TaskView } from "../../../core/task/view.ts";
import type { JsonState } from "../../../core/tool/tool.ts";
import { writeMessageHint } from "../../apps/hint-message.ts";
import { createTaskFromOrder } from "../../tasks/create.ts";
import { sendFiles, storeFiles, tryAnswer } from "./answer-question.ts";
import { ANSWER_IN_WORDS, answerDirectly, askWhich } from "./direct.ts";
import { findAuthor, findMentionedNames, findSpeaker, toActor } from "./speaker.ts";
import { readThread } from "./thread.ts";
import { FOR_MEMBERS, isOutsider, retryLater, isTemporary, type SlackContext, whisper } from "./workspace.ts";

/** The stored state of a conversation. */
export interface Conversation {
  /** The task of the conversation. */
  readonly task: string;
  /** The question that started it; absent or null for any. */
  readonly ask?: string | null;
}

/** What a message says, and the record of its author; null without one. */
interface Words {
  readonly text: string;
  readonly author: PersonRecord | null;
}

/** Who asks for a task in Slack, and where. */
interface SlackRequester extends Pick<Words, "author"> {
  readonly user: string;
  readonly channel: string;
  readonly place: string;
}

/** `actors`: who steered the conversation that the task continues; null if it continues none. */
interface SlackRequest {
  readonly texts: readonly LabelledText[];
  readonly hold: boolean;
  readonly actors: Actors | null;
}

/** Handles a message in a thread. A thread in which nobody addressed Otto is ignored. */
export async function handleMessage(
  context: SlackContext,
  said: MessageBody,
  lane: JsonState | null,
): Promise<ItemOutcome> {
  const about = findConversation(lane) ?? (await findConversationOfDelivery(context, said));
  if (about !== null && "code" in about) return retryLater(about);
  const known = about?.task ?? null;
  if (!said.isAddressed && known === null) return { kind: "done", note: "Nobody addressed Otto in this thread." };
  if (isOutsider(context, said.userTeam)) {
    await whisper(context, said, FOR_MEMBERS);
    return { kind: "refused", why: "The author belongs to another workspace." };
  }
  const text = await getText(context, said);
  if (text === "" && said.files.length === 0) {
    await whisper(context, said, "What can I do? Write it in the message in which you mention me.");
    return { kind: "done", note: "The message had only the mention." };
  }
  const direct = known === null ? await answerDirectly(context, said, text) : null;
  if (direct !== null) return direct;
  const author = await findAuthor(context, said.user);
  if (!author.ok) return retryLater(author.error);
  const words = { text, author: author.value };
  const task = known === null ? null : await tasksFromEnv(context.env)(context.tenant, known).view();
  if (task === null || (!task.ok && task.error.code === "not_found"))
    return await startTask(context, said, { ...words, before: null });
  if (!task.ok) return retryLater(task.error);
  return await continueTask(context, said, { ...words, ask: about?.ask ?? null }, task.value);
}

function findConversation(lane: JsonState | null): Conversation | null {
  const task = lane?.["task"];
  return typeof task === "string" ? { task } : null;
}

/**
 * Finds the subject of a thread that Otto started with a delivery: the result of a scheduled task, or a question in
 * direct messages. Returns null if Otto did not start it, or the delivery was deleted. A failure is temporary.
 */
async function findConversationOfDelivery(
  context: SlackContext,
  said: MessageBody,
): Promise<Conversation | Failure | null> {
  const { env, tenant, team, slack, install } = context;
  const { channel, thread, parent } = said;
  if (thread === null || parent !== install.botUser) return null;
  const own = await slack.listOwnMessages({ channel, thread, since: Math.floor(Number(thread) * 1000) });
  if (!own.ok) return isTemporary(own.error) ? own.error : null;
  const key = own.value.find(({ ts }) => ts === thread)?.key ?? null;
  if (key === null || !isId("delivery", key)) return null;
  // Postgres may not have the row yet.
  const outbox = outboxesFromEnv(env)(getOutboxName({ tenant, channel: "slack", to: team }));
  const { task = null, about: ask = null } = (await outbox.look(key))?.report ?? {};
  return task === null ? null : { task, ask };
}

async function getText(context: SlackContext, { text }: MessageBody): Promise<string> {
  const words = stripMention(text, context.install.botUser);
  return toMarkdown(words, await findMentionedNames(context, words));
}

/** Creates a task; `before` is the conversation's previous one. */
async function startTask(
  context: SlackContext,
  said: MessageBody,
  { text, author, before }: Words & { readonly before: TaskView | null },
): Promise<ItemOutcome> {
  const root = said.thread ?? said.ts;
  const hasFiles = said.files.length > 0;
  const place = `${context.team}/${said.channel}/${root}`;
  const words = text === "" ? "Look at the files." : text;
  const above = before === null ? await readThread(context, said) : ok(null);
  if (!above.ok) return retryLater(above.error);
  const own = before === null ? ok(null) : await findOwnFacts(context, said, before);
  if (!own.ok) return retryLater(own.error);
  const texts =
    before === null ? appendToThread(above.value, words) : continueConversation({ ...before, own: own.value }, words);
  const actors = before === null ? ok(null) : await findEarlierActors(context, before.id);
  if (!actors.ok) return retryLater(actors.error);
  const from = { user: said.user, author, channel: said.channel, place };
  const made = await createSlackTask(context, from, { texts, hold: hasFiles, actors: actors.value });
  if (!made.ok) return await handleFailure(context, said, made.error);
  if (hasFiles) {
    const stub = tasksFromEnv(context.env)(context.tenant, made.value.id);
    const named = await storeFiles(context, said, made.value, null);
    if (!named.ok) return retryLater(named.error);
    const sent = await stub.message(named.value, `${context.item.id}/files`, 0, undefined, toActor(author));
    if (!sent.ok && isTemporary(sent.error)) return retryLater(sent.error);
    const started = await stub.start(context.item.id, NO_RUN_DEPTH);
    if (!started.ok && isTemporary(started.error)) return retryLater(started.error);
  }
  return { kind: "done", note: made.value.id, lane: { task: made.value.id } satisfies Conversation };
}

/**
 * Returns the facts of the ended task if this message's sender requested it; null for another person's task. Returns
 * a failure that may pass.
 */
async function findOwnFacts(
  context: SlackContext,
  said: MessageBody,
  { id }: TaskView,
): Promise<Result<TaskFacts | null>> {
  const facts = await tasksFromEnv(context.env)(context.tenant, id).facts();
  if (!facts.ok) return isTemporary(facts.error) ? facts : ok(null);
  const { via, metadata } = facts.value;
  const isOwn = via.channel === "slack" && metadata["slack_user"] === `${context.team}/${said.user}`;
  return ok(isOwn ? facts.value : null);
}

/**
 * Returns who steered the conversation so far; unknown once its task was erased, and from an object of an earlier
 * release. A failure is temporary.
 */
async function findEarlierActors({ env, tenant }: SlackContext, task: string): Promise<Result<Actors>> {
  try {
    const actors = await tasksFromEnv(env)(tenant, task).actors();
    return actors.ok || isTemporary(actors.error) ? actors : ok(UNKNOWN_ACTORS);
  } catch (thrown) {
    if (lacksMethod(thrown)) return ok(UNKNOWN_ACTORS);
    throw thrown;
  }
}

/** Creates a task for a person in Slack, with the reply in a thread. The same item creates the same task. */
export async function createSlackTask(
  { env, tenant, team, item }: SlackContext,
  { user, author, channel, place }: SlackRequester,
  { texts, hold, actors }: SlackRequest,
): Promise<Result<TaskView>> {
  const isOwn = texts.length === 1 && texts.every(({ label }) => mayInstruct(label));
  const { input, instructions } = toInput(texts);
  return await createTaskFromOrder(env, {
    tenant,
    ...(isOwn ? {} : { texts, instructions }),
    request: {
      input,
      hold,
      project: `slack-${channel}`,
      deliver: [{ channel: "slack", to: place }],
      metadata: { slack_user: `${team}/${user}` },
    },
    via: { channel: "slack", id: place },
    seed: `slack ${team} ${item.id}`,
    at: item.receivedAt,
    actsFor: author === null ? null : { person: author.id, name: author.name, timeZone: author.timeZone },
    ...(actors === null ? {} : { actors }),
  });
}

/** Handles a task that was not created: retries a temporary failure, and tells the person about any other. */
async function handleFailure(context: SlackContext, said: MessageBody, error: Failure): Promise<ItemOutcome> {
  if (isTemporary(error)) return retryLater(error);
  await whisper(context, said, `I cannot start this task. ${error.message}`);
  return { kind: "refused", why: error.message };
}

/**
 * Adds a message: the answer to a waiting question, or a message to the task, or a new task once that one has ended.
 */
async function continueTask(
  context: SlackContext,
  said: MessageBody,
  { text, author, ask }: Words & { readonly ask: string | null },
  task: TaskView,
): Promise<ItemOutcome> {
  const lane = { task: task.id } satisfies Conversation;
  const by = toActor(author);
  const stub = tasksFromEnv(context.env)(context.tenant, task.id);
  const isOver = hasEnded(task.status);
  const named = isOver ? ok("") : await storeFiles(context, said, task, said.ts);
  if (!named.ok) return retryLater(named.error);
  let files = named.value;
  const meant = isOver || text === "" ? ok(null) : await findMeant(context, said, ask, task);
  if (!meant.ok) return retryLater(meant.error);
  const question = meant.value;
  if (question !== null && "several" in question) {
    const sent = await sendFiles(context, task.id, files, by);
    if (!sent.ok) return retryLater(sent.error);
    return { ...(await askWhich(context, said, text, question.several, sent.value !== "")), lane };
  }
  if (question !== null) {
    const sent = await sendFiles(context, question.task_id ?? task.id, files, by);
    if (!sent.ok) return retryLater(sent.error);
    files = sent.value;
    const answered = await tryAnswer(context, said, text, question);
    if (answered.kind === "counted") return { kind: "done", note: `answers ${question.id}`, lane };
    if (answered.kind === "later") return retryLater(answered.why);
  }
  // Also for an ended task, because it knows whether this message reached it before.
  const words = nameAuthor(context, said, { text, author }, task);
  const hint = await writeMessageHint(context.env, stub, text);
  const sent = await sendToTask(stub, context.item.id, { words, name: words.length - text.length, files, by, hint });
  if (sent.ok) {
    const isAsked = task.pending.some(({ kind }) => kind === "question");
    if (text === "" && !isOver && isAsked) await whisper(context, said, ANSWER_IN_WORDS);
    return { kind: "done", note: task.id, lane };
  }
  if (isTemporary(sent.error)) return retryLater(sent.error);
  const now = isOver ? ok(task) : await stub.view();
  if (!now.ok) return retryLater(now.error);
  // It is giving its last answer, or has too many unread messages, so the item waits.
  if (!hasEnded(now.value.status)) return { kind: "later", afterMs: 0, why: sent.error.message };
  return await startTask(context, said, { text, author, before: now.value });
}

/**
 * Finds the question of a task that a reply in its thread answers: that which began the thread, else the only open one.
 * Null: none. `several`: those that are this person's to answer.
 */
async function findMeant(
  context: SlackContext,
  { user }: MessageBody,
  ask: string | null,
  { pending }: TaskView,
): Promise<Result<OpenQuestion | { readonly several: readonly OpenQuestion[] } | null>> {
  const questions = pending.filter((entry) => entry.kind === "question");
  const begun = questions.find(({ id }) => id === ask);
  if (begun !== undefined || questions.length < 2) return ok(begun ?? questions[0] ?? null);
  const by = await findSpeaker(context, user);
  if (!by.ok) return isTemporary(by.error) ? by : ok(null);
  const [own, ...others] = questions.filter((question) => isOpenTo(by.value, question));
  if (own === undefined || others.length === 0) return ok(own ?? null);
  return ok({ several: [own, ...others] });
}

interface SlackMessage {
  readonly words: string;
  readonly name: number;
  readonly files: string;
  readonly by: Actor | null;
  readonly hint: string;
}

/**
 * Sends a person's message to a task. The first `name` characters of the text name the author. Lines that it quotes,
 * and file names, come from outside; an object of an earlier release treats everything after the first of them as
 * outside text.
 */
async function sendToTask(
  stub: TaskStub,
  request: string,
  { words, name, files, by, hint }: SlackMessage,
): Promise<Result<TaskView>> {
  const text = [words, files].filter(Boolean).join("\n\n");
  const quotes = findQuotes(words.slice(name)).map(([from, to]): TextRange => [from + name, to + name]);
  const outside: readonly TextRange[] = files === "" ? quotes : [...quotes, [words.length, text.length]];
  return await stub.message(text, request, outside[0]?.[0] ?? text.length, outside, by, hint);
}

/** Prefixes the author's name if another person started the task. */
function nameAuthor(
  { team }: SlackContext,
  { user }: MessageBody,
  { text, author }: Words,
  { metadata }: TaskView,
): string {
  if (metadata["slack_user"] === `${team}/${user}` || text === "") return text;
  return author === null ? text : `${author.name}: ${text}`;
}
