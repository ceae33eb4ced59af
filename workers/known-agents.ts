/**
 * Agents that this isolate has read, so that a task is made without the database. The tenant's object stamps every
 * admission, and stamps anew before and after an agent changes: what was read under one stamp holds under that stamp.
 */
import type { PinnedAgent } from "../core/agent.ts";

/** A change that was cut off between its two stamps is seen after this long. */
const KEPT_MS = 60_000;
const MAX_KNOWN = 1000;

interface Known {
  readonly stamp: string;
  readonly readAt: number;
  readonly agent: PinnedAgent;
}

/** By tenant, and by the id or name that was asked for; the oldest first. */
const known = new Map<string, Known>();

/** The agent as it was read under this stamp; null: it has to be read. */
export function knownAgent(tenant: string, idOrName: string, stamp: string, now: number): PinnedAgent | null {
  const found = known.get(`${tenant} ${idOrName}`);
  return found?.stamp === stamp && now - found.readAt < KEPT_MS ? found.agent : null;
}

/** Keeps what was read for a request that was admitted under this stamp. */
export function keepAgent(tenant: string, idOrName: string, stamp: string, agent: PinnedAgent, readAt: number): void {
  const name = `${tenant} ${idOrName}`;
  known.delete(name);
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(name, { stamp, readAt, agent });
}
