/** What a delivery is in Slack: which message it changes, which it posts, which files it shares. Each part is done once. */
import { z } from "zod";
import type { JsonState } from "../../tool/tool.ts";
import type { Attempt, Delivery } from "../outbox/delivery.ts";
import type { OutMessage } from "../outbox/message.ts";
import type { OutputFile } from "../../task/view.ts";
import { askCard, progressCard, settledCard } from "./cards.ts";
import { messagesOf, saying } from "./pack.ts";
import type { OwnMessage, SlackRef, SlackContent } from "../../ports/slack.ts";

/** Messages of one answer; what is longer is attached as a file as well. */
export const MAX_ANSWER_MESSAGES = 5;
const ANSWER_FILE = "answer.md";

/** One part. What `change` does can be done again; a message is found by its key, a file by its title. */
export type SlackPart =
  | { readonly kind: "change"; readonly ref: SlackRef; readonly words: SlackContent }
  | { readonly kind: "post"; readonly key: string; readonly words: SlackContent }
  | { readonly kind: "file"; readonly name: string; readonly title: string; readonly from: FileSource };

/** A file that the task attached, or a text. */
export type FileSource = OutputFile | { readonly text: string };

/** The parts in the order in which they are done. */
export function partsOfDelivery(delivery: Delivery, { refs }: Pick<Attempt, "refs">): SlackPart[] {
  const message = messageOf(delivery);
  const earlier = delivery.refs.map((name) => slackRef(refs[name])).filter((ref) => ref !== null);
  const changed = (words: SlackContent): SlackPart[] => earlier.map((ref) => ({ kind: "change", ref, words }));
  switch (delivery.kind) {
    case "progress": {
      const words = progressCard(message, delivery.task);
      return earlier.length === 0 ? [{ kind: "post", key: delivery.id, words }] : changed(words);
    }
    case "settled":
      return changed(settledCard(message));
    case "result":
      return [...changed(closingLine(message)), ...said(delivery.id, message)];
    default:
      return said(delivery.id, message);
  }
}

/** Every kind but `event` holds a message, and none of kind `event` goes to Slack. */
export function messageOf({ content }: Pick<Delivery, "content">): OutMessage {
  return content as unknown as OutMessage;
}

/** The message that an earlier delivery kept; null: it kept none. */
function slackRef(kept: JsonState | undefined): SlackRef | null {
  const read = z.object({ channel: z.string(), ts: z.string() }).safeParse(kept);
  return read.success ? read.data : null;
}

/** What stands where the task said what it did. */
function closingLine({ files }: OutMessage): SlackContent {
  const also = files.length === 0 ? "" : files.length === 1 ? ", with a file" : `, with ${files.length} files`;
  return progressCard({ text: `Finished: see below${also}.`, isOver: true }, null);
}

function said(id: string, message: OutMessage): SlackPart[] {
  if (message.ask !== null)
    return [{ kind: "post", key: id, words: askCard({ text: message.text, ask: message.ask }) }];
  const { messages, isWhole } = messagesOf(message.text, MAX_ANSWER_MESSAGES);
  const note = isWhole ? [] : [saying([`_There is more: the whole answer is in ${ANSWER_FILE}._`])];
  const empty = messages.length === 0 ? [saying([message.files.length > 0 ? "_Files:_" : "_(no text)_"])] : [];
  const posts = [...messages, ...empty, ...note].map(
    (words, index) => ({ kind: "post", key: keyOf(id, index), words }) as const,
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

/** The key of the message that says which files could not be shared. */
export function noteKey(id: string): string {
  return `${id}/note`;
}

function keyOf(id: string, index: number): string {
  return index === 0 ? id : `${id}/${index}`;
}

/** The message of this part among those that the bot posted; null: it is not there. */
export function postedPart(
  own: readonly OwnMessage[],
  part: Extract<SlackPart, { kind: "post" | "file" }>,
): SlackRef | null {
  const found = own.find(({ key, files }) =>
    part.kind === "post" ? key === part.key : files.some(({ title }) => title === part.title),
  );
  return found === undefined ? null : { channel: found.channel, ts: found.ts };
}
