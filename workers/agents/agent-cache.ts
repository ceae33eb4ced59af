/**
 * Caches agents in this isolate, so that creating a task needs no database. The tenant's object stamps every
 * admission, and changes the stamp before and after an agent changes. A cached agent is valid under the stamp of its
 * read.
 */
import type { PinnedAgent } from "../../core/agents/agent.ts";

/** Lifetime of an entry. Bounds how long a change stays unseen when it was cut off between its two stamps. */
const CACHE_MS = 60_000;
/**
 * Characters of all cached agents together, because tenants share the isolate. A larger agent than its share is not
 * cached.
 */
const MAX_CHARACTERS = 8_000_000;
const MAX_CHARACTERS_EACH = 200_000;

interface CachedAgent {
  readonly stamp: string;
  readonly readAt: number;
  readonly agent: PinnedAgent;
  readonly characters: number;
}

/** By tenant, and by the requested id or name; the oldest first. */
const cache = new Map<string, CachedAgent>();
let characters = 0;

/** Returns the agent that was read under this stamp, or null if it has to be read. */
export function findCachedAgent(tenant: string, idOrName: string, stamp: string, now: number): PinnedAgent | null {
  const name = `${tenant} ${idOrName}`;
  const found = cache.get(name);
  if (found === undefined || now - found.readAt < CACHE_MS) return found?.stamp === stamp ? found.agent : null;
  drop(name);
  return null;
}

/** Caches an agent that was read for a request with this stamp. */
export function cacheAgent(tenant: string, idOrName: string, stamp: string, agent: PinnedAgent, readAt: number): void {
  const name = `${tenant} ${idOrName}`;
  drop(name);
  const size = name.length + JSON.stringify(agent).length;
  if (size > MAX_CHARACTERS_EACH) return;
  cache.set(name, { stamp, readAt, agent, characters: size });
  characters += size;
  for (const [oldest] of cache) {
    if (characters <= MAX_CHARACTERS) break;
    drop(oldest);
  }
}

function drop(name: string): void {
  characters -= cache.get(name)?.characters ?? 0;
  cache.delete(name);
}
