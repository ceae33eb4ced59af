/** A model that does what the task's own input says: a test writes the replies into the task that it makes. */
import { type ModelScript, type ScriptedReply, stepOf } from "./model-server.ts";

/** What a test has the model answer in one step; `models` holds what those of these names answer in its place. */
interface ReplyOfStep extends ScriptedReply {
  /** In place of `text`: texts, each so many times, so that a megabyte has room in an input. */
  readonly parts?: readonly (readonly [text: string, times: number])[];
  readonly models?: Readonly<Record<string, ScriptedReply>>;
}

/**
 * A test says in the task's input what the model does: `{"replies": [ReplyOfStep, …]}`, one for each step, alone or on a
 * last line of its own. Any other input, and a step past the last reply, is answered with plain text.
 */
export const scriptOfTheTask: ModelScript = (messages, { model }) => {
  const input = messages.find(({ role }) => role === "user")?.content;
  const reply = typeof input === "string" ? repliesIn(input)[stepOf(messages) - 1] : undefined;
  const parts = reply?.parts;
  if (parts !== undefined) return { ...reply, text: parts.map(([text, times]) => text.repeat(times)).join("") };
  return reply?.models?.[model] ?? reply ?? { text: "Done." };
};

function repliesIn(input: string): readonly ReplyOfStep[] {
  const script = /(?:^|\n)(\{"replies":[^\n]*)$/.exec(input)?.[1];
  return script === undefined ? [] : (JSON.parse(script) as { readonly replies: readonly ReplyOfStep[] }).replies;
}
