/** The burst drill's tasks: the model answers each with the word in its message. */
import type { ScriptedReply, WireMessage } from "../../mock-servers/model-server.ts";
import { readText } from "../received.ts";

const WORD = /\bburst-[0-9a-z]+-\d+\b/;

/** The word of one event of a burst: in its text, in the task's input, in the task's answer. */
export function burstWord(burst: string, index: number): string {
  return `burst-${burst}-${index}`;
}

/** Finds the word in a text. Null if the text is not from a burst. */
export function findWord(text: string): string | null {
  return WORD.exec(text)?.[0] ?? null;
}

/** Finds the word in the first message of a conversation's person. */
export function findSaidWord(messages: readonly WireMessage[]): string | null {
  return findWord(readText(messages.find(({ role }) => role === "user")));
}

/** The burst drill's model. Null for other conversations. */
export function burstScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const word = findSaidWord(messages);
  return word === null ? null : { text: `Heard ${word}.` };
}
