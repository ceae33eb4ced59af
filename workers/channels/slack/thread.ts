/** Reads the messages above a mention in a Slack thread. */
import type { MessageBody } from "../../../core/channels/slack/items.ts";
import { selectMessages, listPeople, quoteThread } from "../../../core/channels/slack/thread-context.ts";
import { type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { findNames } from "./speaker.ts";
import { isTemporary, type SlackContext } from "./workspace.ts";

/** How long a request waits for an unreadable thread. After that, it starts without the thread. */
const THREAD_MS = 15_000;

/**
 * Returns the thread above a message as a task reads it; null if the message starts the thread. A failure is
 * temporary.
 */
export async function readThread(
  slackContext: SlackContext,
  { channel, thread, ts }: Pick<MessageBody, "channel" | "thread" | "ts">,
): Promise<Result<string | null>> {
  if (thread === null) return ok(null);
  const said = await slackContext.slack.listMessagesBefore({ channel, thread, before: ts });
  if (!said.ok) return shouldWait(slackContext, said.error) ? said : ok(toUnreadNote(said.error));
  const names = await findNames(slackContext, listPeople(selectMessages(said.value)));
  return ok(quoteThread(said.value, names));
}

function shouldWait({ item }: SlackContext, error: Failure): boolean {
  return isTemporary(error) && Date.now() + (error.retryAfterMs ?? 0) - item.receivedAt < THREAD_MS;
}

function toUnreadNote({ message }: Failure): string {
  return `(The earlier messages of this Slack thread could not be read: ${message})`;
}
