/** Notifies a person that a key acts for them. */
import { createPlainMessage, escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";

/** The message to the person whom a caller bound a key to. */
export function createBindingMessage(keyName: string): OutMessage {
  const name = escapeMarkdown(keyName.replace(/\s+/gu, " ").trim());
  return createPlainMessage("A key acts for you", `The key ${name} now acts for you. An administrator bound it.`);
}
