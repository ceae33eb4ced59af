/** Formats the call of an approval for channels: in full, or not at all. */
import type { AccountView } from "../connections/account.ts";

/** UTF-16 units of formatted arguments that fit every channel. */
export const MAX_SHOWN_ARGUMENTS = 8_000;
/** How much longer `&`, `<` and `>` become in Slack. */
const ESCAPE_CHARACTERS = 4;

/** Replaces longer arguments. */
export const TOO_LONG_TO_SHOW =
  "The arguments are too long to show here, and nobody approves unseen arguments. Approve in the console or by the API; you can refuse it here.";

/** The arguments as text; null when they are too long for a channel, so that none offers approval. */
export function formatArguments(given: unknown): string | null {
  const text = JSON.stringify(given, null, 2) ?? "";
  const escapes = text.match(/[&<>]/g)?.length ?? 0;
  const backticks = text.match(/`/g)?.length ?? 0;
  return text.length + ESCAPE_CHARACTERS * escapes + backticks <= MAX_SHOWN_ARGUMENTS ? text : null;
}

/** Says through whose account a call is made. A label is what the app says. */
export function formatThrough({ app, owner, label }: AccountView): string {
  const whose = owner.kind === "person" ? owner.name : "shared";
  return label === null ? `Through the account of ${app} (${whose})` : `Through ${label} (${whose})`;
}
