/** The slash command: starts a task in a new thread, lists running tasks, and stops them. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { appendToThread } from "../../../core/channels/slack/exchange.ts";
import { HELP, readCommandWords } from "../../../core/channels/slack/command-words.ts";
import { truncateText, escapeText } from "../../../core/channels/slack/escape.ts";
import { type CommandBody, getConversationKey } from "../../../core/channels/slack/items.ts";
import { toMarkdown } from "../../../core/channels/slack/plain-text.ts";
import type { SlackRef } from "../../../core/ports/slack.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { formatMoment } from "../../../core/schedules/parse-reminder.ts";
import type { ScheduleState } from "../../../core/schedules/schedule.ts";
import { hasEnded } from "../../../core/task/status.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { flushIndexOf } from "../../http/fresh-index.ts";
import { createReminder } from "../../schedules/reminders.ts";
import { connectApp, showApps } from "./apps.ts";
import { type Conversation, createSlackTask } from "./messages.ts";
import { findAuthor, findMentionedNames, findSpeaker } from "./speaker.ts";
import { stopTask } from "./stop.ts";
import { retryLater, isTemporary, respond, type SlackContext, whisperTo } from "./workspace.ts";

/** Tasks of a channel that are searched, newest first. */
const MAX_TASKS = 50;
const MAX_SHOWN = 10;
const MAX_LINE_CHARACTERS = 80;
/** An older item may have been processed before, so its message is looked up before it is posted. */
const FRESH_MS = 800;

export async function runCommand(context: SlackContext, command: CommandBody): Promise<ItemOutcome> {
  const meaning = readCommandWords(command.text);
  switch (meaning.kind) {
    case "help":
      await respond(context, command.responseUrl, HELP);
      return { kind: "done", note: "help" };
    case "status":
      return await showStatus(context, command);
    case "stop":
      return await stop(context, command, meaning.task);
    case "remind":
      return await createReminderFromCommand(context, command, meaning.words);
    case "apps":
      return await showApps(context, command.user, whisperTo(context, command));
    case "connect":
      return await connectApp(context, { user: command.user, app: meaning.app }, whisperTo(context, command));
    case "request":
      return await startThread(context, command, meaning.text);
  }
}

async function startThread(
  context: SlackContext,
  { user, channel, responseUrl }: CommandBody,
  words: string,
): Promise<ItemOutcome> {
  const { env, team, slack, item } = context;
  const text = toMarkdown(words, await findMentionedNames(context, words));
  const shown = `<@${user}> asks: ${escapeText(truncateText(text, 1_000))}`;
  const author = await findAuthor(context, user);
  if (!author.ok) return retryLater(author.error);
  const before = await findEarlierPost(context, channel);
  if (!before.ok) return retryLater(before.error);
  const root =
    before.value === null
      ? await slack.post({ channel, thread: null, text: shown, blocks: [], key: item.id })
      : ok(before.value);
  if (!root.ok) {
    if (isTemporary(root.error)) return retryLater(root.error);
    await respond(
      context,
      responseUrl,
      `I cannot post here. Invite me with \`/invite\` first. (${root.error.message})`,
    );
    return { kind: "refused", why: root.error.message };
  }
  const place = `${team}/${channel}/${root.value.ts}`;
  const made = await createSlackTask(
    context,
    { user, author: author.value, channel, place },
    { texts: appendToThread(null, text), hold: false, actors: null },
  );
  if (!made.ok) return await refuse(context, responseUrl, made.error);
  const { retryAfterMs } = await inboxesFromEnv(env)(`slack/${team}`).take({
    id: `begun/${item.id}`,
    lane: getConversationKey(channel, root.value.ts),
    kind: "begun",
    body: { task: made.value.id } satisfies Conversation,
    receivedAt: item.receivedAt,
  });
  if (retryAfterMs !== undefined)
    return { kind: "later", afterMs: retryAfterMs, why: "The thread could not be linked to its task yet." };
  return { kind: "done", note: made.value.id };
}

/** Returns the message that an earlier attempt of this item posted; null if there was none. */
async function findEarlierPost({ slack, item }: SlackContext, channel: string): Promise<Result<SlackRef | null>> {
  if (Date.now() - item.receivedAt < FRESH_MS) return ok(null);
  const found = await slack.listOwnMessages({ channel, thread: null, since: item.receivedAt });
  if (found.ok) return ok(found.value.find(({ key }) => key === item.id) ?? null);
  // A channel that cannot be read was not written to.
  return isTemporary(found.error) ? found : ok(null);
}

/** Creates a reminder. One for the requester is sent directly. */
async function createReminderFromCommand(
  context: SlackContext,
  { user, responseUrl }: CommandBody,
  words: string,
): Promise<ItemOutcome> {
  const { env, tenant, team, item } = context;
  const person = await findSpeaker(context, user);
  if (!person.ok) return await refuse(context, responseUrl, person.error);
  // The recipient keeps the form in which Slack writes a member.
  const [, who = words, rest = ""] = /^(<@[^>]*>|\S+)\s+([^]*)$/.exec(words) ?? [];
  const made = await createReminder(env, {
    tenant,
    person: person.value,
    text: `${who} ${toMarkdown(rest, await findMentionedNames(context, rest))}`,
    to: [{ channel: "slack", to: `${team}/${user}` }],
    now: item.receivedAt,
    seed: `slack ${team} ${item.id}`,
  });
  if (!made.ok) return await refuse(context, responseUrl, made.error);
  await respond(context, responseUrl, formatDueTime(made.value));
  return { kind: "done", note: "a reminder" };
}

/** States when the reminder is due, because its author may have meant another time zone. */
function formatDueTime({ next, config }: ScheduleState): string {
  if (next === null) return "I will.";
  const on = config.when.kind === "once" ? "on" : "first on";
  return `I will, ${on} ${formatMoment(next.at, config.time_zone)}.`;
}

async function refuse(context: SlackContext, responseUrl: string, error: Failure): Promise<ItemOutcome> {
  if (isTemporary(error)) return retryLater(error);
  await respond(context, responseUrl, error.message);
  return { kind: "refused", why: error.message };
}

async function showStatus(context: SlackContext, { channel, responseUrl }: CommandBody): Promise<ItemOutcome> {
  const living = await listLiveTasks(context, channel);
  if (!living.ok) return retryLater(living.error);
  const lines = living.value.slice(0, MAX_SHOWN).map((task) => `• ${formatTask(task)}`);
  const more = living.value.length > MAX_SHOWN ? [`… and ${living.value.length - MAX_SHOWN} more`] : [];
  await respond(context, responseUrl, lines.length === 0 ? "No task is running here." : [...lines, ...more].join("\n"));
  return { kind: "done", note: "status" };
}

async function stop(
  context: SlackContext,
  { user, channel, responseUrl }: CommandBody,
  named: string | null,
): Promise<ItemOutcome> {
  if (named !== null)
    return await stopTask(context, { task: named, user }, (text) => respond(context, responseUrl, text));
  const living = await listLiveTasks(context, channel);
  if (!living.ok) return retryLater(living.error);
  const own = living.value.filter(({ metadata }) => metadata["slack_user"] === `${context.team}/${user}`);
  const [only, ...others] = own;
  if (only === undefined || others.length > 0) {
    const list = own.map((task) => `• ${formatTask(task)}`).join("\n");
    await respond(
      context,
      responseUrl,
      only === undefined ? "You have no running task here." : `Which one? Write \`/otto stop\` and its id.\n${list}`,
    );
    return { kind: "done", note: "The command did not say which task to stop." };
  }
  return await stopTask(context, { task: only.id, user }, (text) => respond(context, responseUrl, text));
}

/** Returns the current views of the live tasks of a channel, newest first. */
async function listLiveTasks({ env, tenant }: SlackContext, channel: string): Promise<Result<readonly TaskView[]>> {
  await flushIndexOf(env, tenant);
  const filter = { status: null, project: `slack-${channel}` };
  const found = await databaseFromEnv(env).tasks.shortPage(tenant, filter, { after: null, limit: MAX_TASKS });
  if (!found.ok) return found;
  const listed = found.value.items.filter(({ status }) => !hasEnded(status));
  const views = await Promise.all(listed.map(async ({ id }) => await tasksFromEnv(env)(tenant, id).view()));
  return ok(views.flatMap((view) => (view.ok && !hasEnded(view.value.status) ? [view.value] : [])));
}

function formatTask({ id, status, input }: TaskView): string {
  const words = typeof input === "string" ? input : (input.at(-1)?.content ?? "");
  const first = typeof words === "string" ? words : "";
  return `${status.replace("_", " ")}: ${truncateText(first.replace(/\s+/g, " "), MAX_LINE_CHARACTERS)} (\`${id}\`)`;
}
