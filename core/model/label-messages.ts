/** The labels of a conversation. A message without one was stored by an earlier release. */
import type { LabelledMessage, Message } from "./messages.ts";
import { joinLabels, type Label, OPERATOR, OUTSIDE, PRINCIPAL } from "../provenance/label.ts";

/** The message with its label. One without: `OUTSIDE` for a tool's result, else `source`, the label of the task's input. */
export function labelMessage(message: Message, source: Label): LabelledMessage {
  const label = message.label ?? (message.role === "tool" ? OUTSIDE : message.role === "system" ? OPERATOR : source);
  return { ...message, label };
}

/** The label of a text made of all of them; `OPERATOR` for none. */
export function joinMessages(messages: readonly LabelledMessage[]): Label {
  return messages.reduce<Label>((joined, { label }) => joinLabels(joined, label), OPERATOR);
}

/** The context of a call: the joined label of its step's request, and the conversation in it. */
export interface CallContext {
  readonly label: Label;
  readonly messages: readonly LabelledMessage[];
}

/** The context of a call that a person or a key states whole: there is no conversation. */
export const BY_PRINCIPAL: CallContext = { label: PRINCIPAL, messages: [] };
