/** What a task that goes on with an ended one reads of it. */
import type { Message } from "../../messages.ts";
import { OUTSIDE, PRINCIPAL } from "../../provenance/label.ts";
import type { LabelledText } from "../../task-state.ts";
import type { TaskView } from "../../task-view.ts";

/** Characters of the exchange so far, its latest part. */
const MAX_CHARACTERS = 30_000;

/** An input's messages. */
export interface InputMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** The words of a person, after what was said before in the same conversation. */
export function goingOn({ input, output, error }: Pick<TaskView, "input" | "output" | "error">, text: string) {
  const said = typeof input === "string" ? [{ role: "user" as const, content: input }] : input.flatMap(spoken);
  const answer = output?.text ?? (error === null ? "" : `(This ended without an answer: ${error.message})`);
  const before = answer === "" ? said : [...said, { role: "assistant" as const, content: answer }];
  return [...latest(before), { role: "user" as const, content: text }];
}

/** The words of a person, after what a thread said above them; null: nothing. */
export function afterThread(above: string | null, text: string): string | InputMessage[] {
  const request = { role: "user" as const, content: text };
  return above === null ? text : [{ role: "user", content: above }, request];
}

/**
 * Labels an input: the last message is the speaker's own word. What a thread said above it, and what an ended task read and
 * answered, may be anybody's.
 */
export function labelExchange(messages: readonly InputMessage[]): LabelledText[] {
  return messages.map((message, index) => ({
    ...message,
    label: index === messages.length - 1 ? PRINCIPAL : OUTSIDE,
  }));
}

function spoken(message: Message): InputMessage[] {
  const { role, content } = message as { readonly role: string; readonly content: unknown };
  return (role === "user" || role === "assistant") && typeof content === "string" && content !== ""
    ? [{ role, content }]
    : [];
}

/** From the end, as much as there is room for; the message at which the room ends is cut at its beginning. */
function latest(messages: readonly InputMessage[]): InputMessage[] {
  const kept: InputMessage[] = [];
  let room = MAX_CHARACTERS;
  for (const { role, content } of messages.toReversed()) {
    if (room <= 0) break;
    const part = content.length <= room ? content : `…${content.slice(content.length - room)}`.toWellFormed();
    kept.unshift({ role, content: part });
    room -= content.length;
  }
  return kept;
}
