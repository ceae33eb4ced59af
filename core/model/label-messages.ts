/** The labels of a conversation. A message without a label was stored by an earlier release. */
import type { LabelledMessage, Message } from "./messages.ts";
import { joinLabels, type Label, OPERATOR, OUTSIDE, PRINCIPAL } from "../provenance/label.ts";

/**
 * Labels a message that has no label: `OUTSIDE` for a tool's result, otherwise `source`, the label of the task's input.
 */
export function labelMessage(message: Message, source: Label): LabelledMessage {
  if (hasLabel(message)) return message;
  const label = message.role === "tool" ? OUTSIDE : message.role === "system" ? OPERATOR : source;
  return { ...message, label };
}

function hasLabel(message: Message): message is LabelledMessage {
  return message.label !== undefined;
}

/** Joins the labels of messages; `OPERATOR` for an empty list. */
export function joinMessages(messages: readonly LabelledMessage[]): Label {
  return messages.reduce<Label>((joined, { label }) => joinLabels(joined, label), OPERATOR);
}

/** The context of a call: the joined label of its step's request, and the conversation in it. */
export interface CallContext {
  readonly label: Label;
  readonly messages: readonly LabelledMessage[];
}

/** The context of a call that a person or a key makes without a conversation. */
export const BY_PRINCIPAL: CallContext = { label: PRINCIPAL, messages: [] };
