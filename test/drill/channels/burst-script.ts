/** The tasks of the burst drill: the model answers each with the word that stood in its message. */
import type { ScriptedReply, WireMessage } from "../../mock-servers/model-server.ts";
import { textOf } from "../received.ts";

const WORD = /\bburst-[0-9a-z]+-\d+\b/;

/** The word of one event of a burst: in its text, in the task's input, in the task's answer. */
export function burstWord(burst: string, index: number): string {
  return `burst-${burst}-${index}`;
}

/** The word that a text has; null: it is of no burst. */
export function wordIn(text: string): string | null {
  return WORD.exec(text)?.[0] ?? null;
}

/** The burst drill's model; null for a conversation that is not of it. */
export function burstScript(messages: readonly WireMessage[]): ScriptedReply | null {
  const said = messages.find(({ role }) => role === "user");
  const word = said === undefined ? null : wordIn(textOf(said));
  return word === null ? null : { text: `Heard ${word}.` };
}
