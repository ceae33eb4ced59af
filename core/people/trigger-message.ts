/** The message to the person whose trigger the provider stopped. */
import { createPlainMessage, escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";

/** `title`: of the app. `url`: the page with the trigger; null if the address is unknown. */
export function createTriggerMessage({
  title,
  trigger,
  url,
}: {
  readonly title: string;
  readonly trigger: string;
  readonly url: string | null;
}): OutMessage {
  const app = title.replace(/\s+/gu, " ").trim();
  const where = url === null ? "in Otto." : `here: ${url}`;
  const text = `${escapeMarkdown(app)} no longer reports ${escapeMarkdown(trigger)}: its provider switched the trigger off. Events begin no tasks.\n\nCheck the account, then resume the trigger ${where}`;
  return createPlainMessage(`A trigger of ${app} was switched off`, text);
}
