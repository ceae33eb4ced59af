import type { OutMessage } from "../../core/channels/outbox/message.ts";

/** Creates a task's result as a message to deliver: a text without files and questions. */
export function outMessage(change: Partial<OutMessage> = {}): OutMessage {
  return {
    text: "**It** is done.",
    files: [],
    sandbox: null,
    ask: null,
    outcome: null,
    isOver: true,
    title: "The report",
    ...change,
  };
}
