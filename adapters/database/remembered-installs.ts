/**
 * Whose workspace of Slack is, and its bot, as this isolate has read them: every item of an inbox and every delivery asks. What
 * another isolate changes is seen within five seconds; while Postgres is away, what was read last stands in for a while.
 */
import { FailurePause } from "../../core/base/failure-pause.ts";
import type { SlackInstallTable } from "../../core/ports/slack-install-table.ts";
import { ERRORS, ok, type Result } from "../../core/base/errors.ts";

const FRESH_MS = 5_000;
/** How long what was read stands in for what cannot be read. */
const STALE_MS = 10 * 60_000;
/** After a reading that failed, nothing that is known is read for so long: each would wait again. */
const PAUSE_MS = 5_000;
/** Tenants share the isolate. One workspace takes about a kilobyte. */
const MAX_KNOWN = 5_000;

interface Known {
  readonly value: unknown;
  readonly readAt: number;
}

type Asked = Pick<SlackInstallTable, "findTenant" | "findByTeam">;

/** The table, whose `findTenant` and `findByTeam` answer out of what is remembered. A token stays sealed. Absences are not remembered. */
export function rememberInstalls(table: SlackInstallTable, clock: () => number): SlackInstallTable {
  const memory = new Memory(clock);
  return { ...table, ...recalling(table, memory), ...forgetting(table, memory) };
}

function recalling(table: SlackInstallTable, memory: Memory): Asked {
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

function forgetting(table: SlackInstallTable, memory: Memory): Pick<SlackInstallTable, "put" | "remove" | "revoke"> {
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

/** What is known of workspaces, those that were read first in front. */
class Memory {
  private readonly clock: () => number;
  private readonly teams = new Map<string, Map<string, Known>>();
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
    // What stands under a name was read by the same question.
    const kept = known === undefined ? null : { ageMs: now - known.readAt, answer: ok(known.value as T) };
    if (kept !== null && kept.ageMs < FRESH_MS) return kept.answer;
    const standIn = kept !== null && kept.ageMs < STALE_MS ? kept.answer : null;
    if (standIn !== null && this.pause.isOn(now)) return standIn;
    const done = await read();
    if (!done.ok && ERRORS[done.error.code].retry === "later") {
      this.pause.begin(this.clock());
      return standIn ?? done;
    }
    if (done.ok && isKept(done.value)) this.keep(team, what, { value: done.value, readAt: now });
    else this.forget(team);
    return done;
  }

  forget(team: string): void {
    this.teams.delete(team);
  }

  private keep(team: string, what: string, known: Known): void {
    const facts = this.teams.get(team) ?? new Map<string, Known>();
    facts.set(what, known);
    this.teams.delete(team);
    this.teams.set(team, facts);
    for (const [oldest] of this.teams) {
      if (this.teams.size <= MAX_KNOWN) break;
      this.teams.delete(oldest);
    }
  }
}
