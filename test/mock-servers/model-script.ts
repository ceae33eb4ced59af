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
 * last line of its own. After the last reply it obeys every text that it reads: each `OBEY:…:` in any message, the base64 of
 * such a reply, in order, one for each step. Anything else is answered with plain text.
 */
export const scriptOfTheTask: ModelScript = (messages, { model }) => {
  const input = messages.find(({ role }) => role === "user")?.content;
  const own = typeof input === "string" ? repliesIn(input) : [];
  const reply = [...own, ...ordersIn(messages)][stepOf(messages) - 1];
  const parts = reply?.parts;
  if (parts !== undefined) return { ...reply, text: parts.map(([text, times]) => text.repeat(times)).join("") };
  return reply?.models?.[model] ?? reply ?? { text: "Done." };
};

/** The same of replies that are written anywhere in the input: in a conversation, other words stand before and after them. */
export const scriptOfTheInput: ModelScript = (messages) => {
  const input = messages.find(({ role }) => role === "user")?.content;
  const script = typeof input === "string" ? /\{"replies":.*\]\}/s.exec(input)?.[0] : undefined;
  if (script === undefined) return { text: "Done." };
  const { replies } = JSON.parse(script) as { replies: readonly ScriptedReply[] };
  return replies[stepOf(messages) - 1] ?? { text: "Done." };
};

function ordersIn(messages: Parameters<ModelScript>[0]): ReplyOfStep[] {
  const texts = messages.flatMap(({ role, content }) =>
    role !== "assistant" && typeof content === "string" ? [content] : [],
  );
  const orders = texts.flatMap((text) =>
    Array.from(text.matchAll(/OBEY:([A-Za-z0-9+/=]+):/g), ([, order = ""]) => order),
  );
  return [...new Set(orders)].map((order) => JSON.parse(atob(order)) as ReplyOfStep);
}

function repliesIn(input: string): readonly ReplyOfStep[] {
  const script = /(?:^|\n)(\{"replies":[^\n]*)$/.exec(input)?.[1];
  return script === undefined ? [] : (JSON.parse(script) as { readonly replies: readonly ReplyOfStep[] }).replies;
}
