/**
 * Agents that this isolate has read, so that a task is made without the database. The tenant's object stamps every
 * admission, and stamps anew before and after an agent changes: what was read under one stamp holds under that stamp.
 */
import type { PinnedAgent } from "../../core/agents/agent.ts";

/** A change that was cut off between its two stamps is seen after this long. */
const KEPT_MS = 60_000;
/** Characters that all kept agents have together: tenants share the isolate. A larger one than this share of it is not kept. */
const MAX_CHARACTERS = 8_000_000;
const MAX_CHARACTERS_EACH = 200_000;

interface Known {
  readonly stamp: string;
  readonly readAt: number;
  readonly agent: PinnedAgent;
  readonly characters: number;
}

/** By tenant, and by the id or name that was asked for; the oldest first. */
const known = new Map<string, Known>();
let characters = 0;

/** The agent as it was read under this stamp; null: it has to be read. */
export function knownAgent(tenant: string, idOrName: string, stamp: string, now: number): PinnedAgent | null {
  const name = `${tenant} ${idOrName}`;
  const found = known.get(name);
  if (found === undefined || now - found.readAt < KEPT_MS) return found?.stamp === stamp ? found.agent : null;
  drop(name);
  return null;
}

/** Keeps what was read for a request that was admitted under this stamp. */
export function keepAgent(tenant: string, idOrName: string, stamp: string, agent: PinnedAgent, readAt: number): void {
  const name = `${tenant} ${idOrName}`;
  drop(name);
  const size = name.length + JSON.stringify(agent).length;
  if (size > MAX_CHARACTERS_EACH) return;
  known.set(name, { stamp, readAt, agent, characters: size });
  characters += size;
  for (const [oldest] of known) {
    if (characters <= MAX_CHARACTERS) break;
    drop(oldest);
  }
}

function drop(name: string): void {
  characters -= known.get(name)?.characters ?? 0;
  known.delete(name);
}
