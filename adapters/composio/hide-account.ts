/** Removes what the provider calls an account from its texts: they reach models, people and logs. */
import type { AppAccount } from "../../core/ports/apps.ts";

/** Composio's ids of accounts, also of others than the call's. */
const ACCOUNT_ID = /\bca_[\w-]+/g;
const HIDDEN = "[account]";

export function hideAccount(text: string, account: AppAccount | null): string {
  const named = account === null ? [] : [account.providerId, account.entity];
  return named.reduce((hidden, name) => hidden.replaceAll(name, HIDDEN), text).replaceAll(ACCOUNT_ID, HIDDEN);
}
