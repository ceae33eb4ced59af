/**
 * Sessions with servers of the legacy era that this isolate opened, each for one task: a second call of the task goes on in
 * it. They are a saving and no promise: another isolate opens another, and a server may forget one at any time.
 */
import type { Session } from "./connect.ts";

const MAX_SESSIONS = 500;
const sessions = new Map<string, Session>();

/** Whose session it is. */
export function sessionKey(tenant: string, server: { name: string; version: number }, task: string): string {
  return JSON.stringify([tenant, server.name, server.version, task]);
}

export function knownSession(key: string): Session | null {
  return sessions.get(key) ?? null;
}

export function rememberSession(key: string, session: Session): void {
  sessions.delete(key);
  sessions.set(key, session);
  const [oldest] = sessions.keys();
  if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
}

export function forgetSession(key: string): void {
  sessions.delete(key);
}
