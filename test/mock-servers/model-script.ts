/** A mock model that follows the task's input: a test writes the replies into the task that it creates. */
import { type ModelScript, type ScriptedReply, countStep } from "./model-server.ts";

/** The model's reply in one step. `models` overrides it for models with these names. */
interface ReplyOfStep extends ScriptedReply {
  /** Replaces `text` by repeated texts, so that a short input can give a megabyte. */
  readonly parts?: readonly (readonly [text: string, times: number])[];
  readonly models?: Readonly<Record<string, ScriptedReply>>;
}

/**
 * The task's input scripts the model: `{"replies": [ReplyOfStep, …]}`, one per step, alone or on its last line. After the last reply the
 * model obeys each `OBEY:…:` in any message, the base64 of such a reply, in order, one per step. It answers everything else with plain
 * text.
 */
export const followTaskScript: ModelScript = (messages, { model }) => {
  const input = messages.find(({ role }) => role === "user")?.content;
  const own = typeof input === "string" ? parseReplies(input) : [];
  const reply = [...own, ...findOrders(messages)][countStep(messages) - 1];
  const parts = reply?.parts;
  if (parts !== undefined) return { ...reply, text: parts.map(([text, times]) => text.repeat(times)).join("") };
  return reply?.models?.[model] ?? reply ?? { text: "Done." };
};

/** Reads a script from anywhere in the input: in a conversation, other text surrounds it. */
export const followInputScript: ModelScript = (messages) => {
  const input = messages.find(({ role }) => role === "user")?.content;
  const script = typeof input === "string" ? /\{"replies":.*\]\}/s.exec(input)?.[0] : undefined;
  if (script === undefined) return { text: "Done." };
  const { replies } = JSON.parse(script) as { replies: readonly ScriptedReply[] };
  return replies[countStep(messages) - 1] ?? { text: "Done." };
};

function findOrders(messages: Parameters<ModelScript>[0]): ReplyOfStep[] {
  const texts = messages.flatMap(({ role, content }) =>
    role !== "assistant" && typeof content === "string" ? [content] : [],
  );
  const orders = texts.flatMap((text) =>
    Array.from(text.matchAll(/OBEY:([A-Za-z0-9+/=]+):/g), ([, order = ""]) => order),
  );
  return [...new Set(orders)].map((order) => JSON.parse(atob(order)) as ReplyOfStep);
}

function parseReplies(input: string): readonly ReplyOfStep[] {
  const script = /(?:^|\n)(\{"replies":[^\n]*)$/.exec(input)?.[1];
  return script === undefined ? [] : (JSON.parse(script) as { readonly replies: readonly ReplyOfStep[] }).replies;
}
