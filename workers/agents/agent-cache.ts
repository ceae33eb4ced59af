/**
 * Caches agents in this isolate, so that creating a task needs no database. The tenant's object stamps every
 * admission, and changes the stamp before and after an agent changes. A cached agent is valid under the stamp of its
 * read.
 */
import type { PinnedAgent } from "../../core/agents/agent.ts";

/** Lifetime of an entry. Bounds how long a change stays unseen when it was cut off between its two stamps. */
const CACHE_MS = 60_000;
/** From this age on, an entry is used while it is read again. */
const REFRESH_AFTER_MS = 30_000;
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

/** A valid entry. */
export interface FoundAgent {
  readonly agent: PinnedAgent;
  /** True when it is to be read again. */
  readonly isStale: boolean;
}

/** By tenant, and by the requested id or name; the oldest first. */
const cache = new Map<string, CachedAgent>();
let characters = 0;

/** Returns the agent that was read under this stamp, or null if it has to be read first. */
export function findCachedAgent(tenant: string, idOrName: string, stamp: string, now: number): FoundAgent | null {
  const found = cache.get(toKey(tenant, idOrName));
  if (found === undefined) return null;
  const age = now - found.readAt;
  if (age >= CACHE_MS) {
    forgetAgent(tenant, idOrName);
    return null;
  }
  return found.stamp === stamp ? { agent: found.agent, isStale: age >= REFRESH_AFTER_MS } : null;
}

/**
 * Caches an agent that was read for a request with this stamp. `readAt` is when the read began; an earlier read does not
 * replace a later one.
 */
export function cacheAgent(tenant: string, idOrName: string, stamp: string, agent: PinnedAgent, readAt: number): void {
  const key = toKey(tenant, idOrName);
  if ((cache.get(key)?.readAt ?? -Infinity) > readAt) return;
  forgetAgent(tenant, idOrName);
  const size = key.length + JSON.stringify(agent).length;
  if (size > MAX_CHARACTERS_EACH) return;
  cache.set(key, { stamp, readAt, agent, characters: size });
  characters += size;
  for (const [oldest] of cache) {
    if (characters <= MAX_CHARACTERS) break;
    drop(oldest);
  }
}

/** Removes an agent that no longer exists. */
export function forgetAgent(tenant: string, idOrName: string): void {
  drop(toKey(tenant, idOrName));
}

function toKey(tenant: string, idOrName: string): string {
  return `${tenant} ${idOrName}`;
}

function drop(key: string): void {
  characters -= cache.get(key)?.characters ?? 0;
  cache.delete(key);
}
