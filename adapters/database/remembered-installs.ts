/**
 * Caches Slack workspaces and their bots in the isolate: every inbox item and delivery reads them. Changes by another
 * isolate are visible within five seconds. While Postgres is unavailable, a stale value is used for a while.
 */
import { FailurePause } from "../../core/base/failure-pause.ts";
import type { SlackInstallTable } from "../../core/ports/slack-install-table.ts";
import { ERRORS, ok, type Result } from "../../core/base/errors.ts";

const FRESH_MS = 5_000;
/** How long a stale value replaces one that cannot be read. */
const STALE_MS = 10 * 60_000;
/** After a failed read, nothing cached is read for this long; each read would wait again. */
const PAUSE_MS = 5_000;
/** Tenants share the isolate. A workspace takes about a kilobyte. */
const MAX_CACHED = 5_000;

interface CachedValue {
  readonly value: unknown;
  readonly readAt: number;
}

type CachedReads = Pick<SlackInstallTable, "findTenant" | "findByTeam">;

/** Returns the table with cached `findTenant` and `findByTeam`. Tokens stay sealed. Absences are not cached. */
export function cacheInstalls(table: SlackInstallTable, clock: () => number): SlackInstallTable {
  const memory = new InstallCache(clock);
  return { ...table, ...readThrough(table, memory), ...invalidateOnWrite(table, memory) };
}

function readThrough(table: SlackInstallTable, memory: InstallCache): CachedReads {
  return {
    findTenant: async (team) =>
      await memory.recall(
        team,
        "tenant",
        () => table.findTenant(team),
        (tenant) => tenant !== null,
      ),
    findByTeam: async (tenant, team) =>
      await memory.recall(
        team,
        `install ${tenant}`,
        () => table.findByTeam(tenant, team),
        () => true,
      ),
  };
}

function invalidateOnWrite(
  table: SlackInstallTable,
  memory: InstallCache,
): Pick<SlackInstallTable, "put" | "remove" | "revoke"> {
  return {
    async put(tenant, install, act) {
      const done = await table.put(tenant, install, act);
      memory.forget(install.team);
      return done;
    },
    async remove(tenant, id, act) {
      const done = await table.remove(tenant, id, act);
      if (done.ok) memory.forget(done.value.team);
      return done;
    },
    async revoke(tenant, team, at) {
      const done = await table.revoke(tenant, team, at);
      memory.forget(team);
      return done;
    },
  };
}

/** The cached workspaces, the oldest first. */
class InstallCache {
  private readonly clock: () => number;
  private readonly teams = new Map<string, Map<string, CachedValue>>();
  private readonly pause = new FailurePause(PAUSE_MS);

  constructor(clock: () => number) {
    this.clock = clock;
  }

  async recall<T>(
    team: string,
    what: string,
    read: () => Promise<Result<T>>,
    isKept: (value: T) => boolean,
  ): Promise<Result<T>> {
    const now = this.clock();
    const known = this.teams.get(team)?.get(what);
    // A value is read by the same query under each name.
    const kept = known === undefined ? null : { ageMs: now - known.readAt, answer: ok(known.value as T) };
    if (kept !== null && kept.ageMs < FRESH_MS) return kept.answer;
    const fallback = kept !== null && kept.ageMs < STALE_MS ? kept.answer : null;
    if (fallback !== null && this.pause.isOn(now)) return fallback;
    const done = await read();
    if (!done.ok && ERRORS[done.error.code].retry === "later") {
      this.pause.begin(this.clock());
      return fallback ?? done;
    }
    if (done.ok && isKept(done.value)) this.keep(team, what, { value: done.value, readAt: now });
    else this.forget(team);
    return done;
  }

  forget(team: string): void {
    this.teams.delete(team);
  }

  private keep(team: string, what: string, known: CachedValue): void {
    const facts = this.teams.get(team) ?? new Map<string, CachedValue>();
    facts.set(what, known);
    this.teams.delete(team);
    this.teams.set(team, facts);
    for (const [oldest] of this.teams) {
      if (this.teams.size <= MAX_CACHED) break;
      this.teams.delete(oldest);
    }
  }
}
