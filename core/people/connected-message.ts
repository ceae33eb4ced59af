/** Notifies a person of what happened to accounts in their name. */
import { createPlainMessage, escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";

/** An account that somebody connected for a person. `label` is how the app names it. */
export interface ConnectedAccount {
  readonly title: string;
  readonly label: string | null;
  readonly tenantName: string;
}

/** The message to the person in whose name a new account was connected. */
export function createConnectedMessage({ title, label, tenantName }: ConnectedAccount): OutMessage {
  const account =
    label === null ? `An account of ${toWord(title)}` : `The account ${toWord(label)} of ${toWord(title)}`;
  const text = `${account} was connected for you in ${toWord(tenantName)}. If you did not connect it, disconnect it.`;
  return createPlainMessage("An account was connected for you", text);
}

/** The message to the person whose consent another browser finished. */
export function createForeignConsentMessage({ title, tenantName }: Omit<ConnectedAccount, "label">): OutMessage {
  const text = `Somebody else finished a link of yours to ${toWord(title)} in ${toWord(tenantName)}. Nothing was connected. Ask for a new link, and complete every step in one browser.`;
  return createPlainMessage("A connect link was finished elsewhere", text);
}

function toWord(text: string): string {
  return escapeMarkdown(text.replace(/\s+/gu, " ").trim());
}
