/** Plans a delivery in Slack: the messages to change and post, and the files to share. Each part is done once. */
import { z } from "zod";
import type { JsonState } from "../../tool/tool.ts";
import type { Attempt, Delivery } from "../outbox/delivery.ts";
import type { OutMessage } from "../outbox/message.ts";
import { isDirect } from "../outbox/slack-destination.ts";
import type { OutputFile } from "../../task/view.ts";
import type { OwnMessage, SlackRef, SlackContent } from "../../ports/slack.ts";
import { renderConnectCard } from "./apps-card.ts";
import { renderAskCard, renderProgressCard, renderSettledCard } from "./cards.ts";
import { toMessages, toSlackMessage } from "./pack.ts";
import { renderScheduleCard } from "./schedule-card.ts";

/** Messages of one answer; a longer answer is also attached as a file. */
export const MAX_ANSWER_MESSAGES = 5;
const ANSWER_FILE = "answer.md";

/** One part. A `change` can be repeated; a posted message is found by its key, a file by its title. */
export type SlackPart =
  | { readonly kind: "change"; readonly ref: SlackRef; readonly words: SlackContent }
  | { readonly kind: "post"; readonly key: string; readonly words: SlackContent }
  | { readonly kind: "file"; readonly name: string; readonly title: string; readonly from: FileSource };

/** An attached file of the task, or a text. */
export type FileSource = OutputFile | { readonly text: string };

/** The parts, in order. */
export function planDelivery(delivery: Delivery, { refs }: Pick<Attempt, "refs">): SlackPart[] {
  const message = getMessage(delivery);
  const earlier = delivery.refs.map((name) => readRef(refs[name])).filter((ref) => ref !== null);
  const planChanges = (words: SlackContent): SlackPart[] => earlier.map((ref) => ({ kind: "change", ref, words }));
  switch (delivery.kind) {
    case "progress": {
      const words = renderProgressCard(message, delivery.task);
      return earlier.length === 0 ? [{ kind: "post", key: delivery.id, words }] : planChanges(words);
    }
    case "settled":
      return planChanges(renderSettledCard(message));
    case "result":
      return [...planChanges(renderClosing(message)), ...planPosts(delivery, message)];
    default:
      return planPosts(delivery, message);
  }
}

/** Every kind but `event` contains a message, and no `event` goes to Slack. */
export function getMessage({ content }: Pick<Delivery, "content">): OutMessage {
  return content as unknown as OutMessage;
}

/** The message that an earlier delivery stored; null without one. */
function readRef(stored: JsonState | undefined): SlackRef | null {
  const read = z.object({ channel: z.string(), ts: z.string() }).safeParse(stored);
  return read.success ? read.data : null;
}

/** Replaces the task's progress message. */
function renderClosing({ files }: OutMessage): SlackContent {
  const also = files.length === 0 ? "" : files.length === 1 ? ", with a file" : `, with ${files.length} files`;
  return renderProgressCard({ text: `Finished: see below${also}.`, isOver: true }, null);
}

function planPosts({ id, to }: Pick<Delivery, "id" | "to">, message: OutMessage): SlackPart[] {
  if (message.ask !== null)
    return [{ kind: "post", key: id, words: renderAskCard({ text: message.text, ask: message.ask }, isDirect(to)) }];
  if (message.confirm !== undefined)
    return [{ kind: "post", key: id, words: renderScheduleCard(message, message.confirm) }];
  if (message.connect !== undefined)
    return [{ kind: "post", key: id, words: renderConnectCard(message, message.connect) }];
  const { messages, isWhole } = toMessages(message.text, MAX_ANSWER_MESSAGES);
  const note = isWhole ? [] : [toSlackMessage([`_There is more: the whole answer is in ${ANSWER_FILE}._`])];
  const empty = messages.length === 0 ? [toSlackMessage([message.files.length > 0 ? "_Files:_" : "_(no text)_"])] : [];
  const posts = [...messages, ...empty, ...note].map(
    (words, index) => ({ kind: "post", key: getPostKey(id, index), words }) as const,
  );
  const whole = isWhole
    ? []
    : [{ kind: "file", name: ANSWER_FILE, title: "The whole answer", from: { text: message.text } } as const];
  const files = message.files.map((from) => {
    const { path } = from;
    return { kind: "file", name: path.split("/").at(-1) ?? path, title: path, from } as const;
  });
  return [...posts, ...whole, ...files];
}

/** The key of the message that lists the files that could not be shared. */
export function getNoteKey(id: string): string {
  return `${id}/note`;
}

function getPostKey(id: string, index: number): string {
  return index === 0 ? id : `${id}/${index}`;
}

/** Finds the message of this part among the bot's own; null when it was not posted. */
export function findPostedPart(
  own: readonly OwnMessage[],
  part: Extract<SlackPart, { kind: "post" | "file" }>,
): SlackRef | null {
  const found = own.find(({ key, files }) =>
    part.kind === "post" ? key === part.key : files.some(({ title }) => title === part.title),
  );
  return found === undefined ? null : { channel: found.channel, ts: found.ts };
}
