/** The message to the person who has to connect an account, or to connect it again. */
import type { ConnectReason } from "../connections/account.ts";
import { createPlainMessage, escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import type { OutMessage } from "../channels/outbox/message.ts";

/** What tasks need of an account. */
export interface AccountNeed {
  readonly app: string;
  /** The name of the app that people read. */
  readonly title: string;
  readonly isShared: boolean;
  /** True for the one grant of an MCP server, which an administrator authorizes on the server's page. */
  readonly isServer: boolean;
  readonly reason: ConnectReason;
  /** The title of the task that needs it; null if a check of the connection found that it does not work. */
  readonly task: string | null;
  /** How many other tasks wait for it. */
  readonly others: number;
  /** The page where it is connected; null if the address is unknown. */
  readonly url: string | null;
}

/** What is wrong, as the start of a sentence, and what to do. */
const TEXTS: Readonly<Record<ConnectReason, (account: string) => readonly [string, string]>> = {
  missing: (account) => [`Otto needs ${account}`, "Connect it"],
  expired: (account) => [`Otto can no longer use ${account}`, "Connect it again"],
  revoked: (account) => [`Otto needs ${account}, which was disconnected`, "Connect it again"],
  scopes: (account) => [`Otto may not do enough with ${account}`, "Connect it again and allow more"],
  unattended: (account) => [`Otto may use ${account} only while you are present`, "Allow it also while you are away"],
};

export function createConnectionMessage({
  app,
  title: name,
  isShared,
  isServer,
  reason,
  task,
  others,
  url,
}: AccountNeed): OutMessage {
  const title = toLine(name);
  const account = (name: string): string => `${isShared ? "the shared account" : "your account"} of ${name}`;
  const [wrong, remedy] = TEXTS[reason](account(escapeMarkdown(title)));
  const where = url === null ? "in Otto." : `here: ${url}`;
  const step = isServer ? "Authorize the MCP server again" : remedy;
  const text = `${wrong}: ${formatWaiting(task, others)}.\n\n${step} ${where}`;
  const message = createPlainMessage(TEXTS[reason](account(title))[0], text);
  // A shared account is connected by an administrator, in the console.
  return isShared ? message : { ...message, connect: { app } };
}

function formatWaiting(task: string | null, others: number): string {
  if (task === null) return "schedules and tasks that use it will wait";
  const name = escapeMarkdown(toLine(task));
  if (others === 0) return `${name} waits`;
  return `${name} and ${others === 1 ? "1 other task" : `${others} other tasks`} wait`;
}

function toLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
