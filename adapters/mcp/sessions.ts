/**
 * Legacy-era sessions that this isolate opened, each for one task, so that its next call continues in it. They only
 * save work: another isolate opens its own, and a server may forget one at any time.
 */
import type { Account } from "../../core/connections/account.ts";
import type { Session } from "./connect.ts";

const MAX_SESSIONS = 500;
const sessions = new Map<string, Session>();

/** Identifies a session by its owner. Accounts share none: a session may be one of its account. */
export function toSessionKey(
  tenant: string,
  server: { readonly name: string; readonly version: number },
  { task, account }: { readonly task: string; readonly account: Account | null },
): string {
  const owner = account === null ? [] : [account.connection, account.consent];
  return JSON.stringify([tenant, server.name, server.version, task, ...owner]);
}

export function findSession(key: string): Session | null {
  return sessions.get(key) ?? null;
}

export function saveSession(key: string, session: Session): void {
  sessions.delete(key);
  sessions.set(key, session);
  const [oldest] = sessions.keys();
  if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
}

export function deleteSession(key: string): void {
  sessions.delete(key);
}
