/** Builds the input of a Slack task from the conversation before it. */
import type { Message } from "../../model/messages.ts";
import { splitAtRanges, type LabelledText } from "../../model/label-parts.ts";
import { mayInstruct, OUTSIDE, PRINCIPAL } from "../../provenance/label.ts";
import type { TaskFacts } from "../../task/state.ts";
import type { TaskView } from "../../task/view.ts";
import { findQuotes } from "./quotes.ts";

/** Limit of the earlier messages; the latest ones are used. */
const MAX_CHARACTERS = 30_000;

/** A message of a task's input. */
interface InputMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** An ended task of a conversation. `own`: its facts when the same person asked for it in Slack; null otherwise. */
interface EndedTask extends Pick<TaskView, "input" | "output" | "error"> {
  readonly own: Pick<TaskFacts, "label" | "texts"> | null;
}

/**
 * Puts a person's message after the earlier messages of the conversation. Messages of the same person keep their label.
 * Messages of other people, the thread above and Otto's answers are `OUTSIDE`.
 */
export function continueConversation({ input, output, error, own }: EndedTask, text: string): LabelledText[] {
  const label = own?.label === PRINCIPAL ? PRINCIPAL : OUTSIDE;
  const said: readonly LabelledText[] =
    own?.texts ??
    (typeof input === "string"
      ? [{ role: "user", content: input, label }]
      : input.flatMap(toInputMessages).map((message) => ({ ...message, label: OUTSIDE })));
  const answer = output?.text ?? (error === null ? "" : `(This ended without an answer: ${error.message})`);
  const answered: LabelledText[] = answer === "" ? [] : [{ role: "assistant", content: answer, label: OUTSIDE }];
  return [...takeLatest([...said, ...answered]), ...splitMessage(text)];
}

/** A person's message after the messages of its thread, or alone when the thread is null. */
export function appendToThread(above: string | null, text: string): LabelledText[] {
  const request = splitMessage(text);
  return above === null ? request : [{ role: "user", content: above, label: OUTSIDE }, ...request];
}

/** Splits a person's message: quoted lines are other people's words. */
function splitMessage(text: string): LabelledText[] {
  return splitAtRanges(text, findQuotes(text), PRINCIPAL);
}

/** The input of a Slack task: the messages as written, and the text that may choose its skills. */
export function toInput(texts: readonly LabelledText[]): {
  readonly input: string | InputMessage[];
  readonly instructions: string;
} {
  const messages: InputMessage[] = [];
  let words: string[] = [];
  for (const { role, content, label, continues } of texts) {
    const last = messages.at(-1);
    if (continues !== true) words = [];
    if (mayInstruct(label)) words.push(content);
    if (continues === true && last !== undefined)
      messages[messages.length - 1] = { role, content: `${last.content}${content}` };
    else messages.push({ role, content });
  }
  const [only] = messages;
  return {
    input: messages.length === 1 && only !== undefined ? only.content : messages,
    instructions: words.join("\n"),
  };
}

function toInputMessages(message: Pick<Message, "role" | "content">): InputMessage[] {
  const { role, content } = message as { readonly role: string; readonly content: unknown };
  return (role === "user" || role === "assistant") && typeof content === "string" && content !== ""
    ? [{ role, content }]
    : [];
}

/** The latest messages that fit; the earliest of them is cut at its start. */
function takeLatest(messages: readonly LabelledText[]): LabelledText[] {
  const fitting: LabelledText[] = [];
  let room = MAX_CHARACTERS;
  for (const message of messages.toReversed()) {
    const { content } = message;
    if (room <= 0) break;
    const part = content.length <= room ? content : `…${content.slice(content.length - room)}`.toWellFormed();
    fitting.unshift({ ...message, content: part });
    room -= content.length;
  }
  return fitting;
}
