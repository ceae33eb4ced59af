/**
 * What agents may use of the apps of their tenants, as an isolate read it last. A value counts for 3 s, so that what was
 * narrowed applies everywhere within that time. While the database is away nothing is said: a right that was taken away
 * must not come back.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { AppRights } from "../../core/ports/app-rights.ts";
import type { WorkspaceAppTable } from "../../core/ports/workspace-app-table.ts";

const FRESH_MS = 3_000;
/** A read that takes longer than this is not joined: its request may have been cut off. */
const JOIN_MS = 1_000;
const MAX_ENTRIES = 1_000;

interface Entry {
  readonly rights: AppRights;
  /** When its read began, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** The rights of the agents of all tenants. */
export class AppRightsCache {
  /** By tenant and agent, the least recently read first. */
  readonly #entries = new Map<string, Entry>();
  readonly #flights = new SingleFlight<Result<AppRights>>({ maxAgeMs: JOIN_MS, maxFlights: MAX_ENTRIES });
  /** Grows when rights are dropped: a read that began before that stores nothing. */
  #generation = 0;

  async read(
    table: Pick<WorkspaceAppTable, "rights">,
    { tenant, agent }: { readonly tenant: string; readonly agent: string },
    now: () => number,
  ): Promise<Result<AppRights>> {
    const key = `${tenant} ${agent}`;
    const at = now();
    const known = this.#entries.get(key);
    if (known !== undefined && at >= known.readAt && at - known.readAt < FRESH_MS) return ok(known.rights);
    const generation = this.#generation;
    const readNow = async () => {
      const read = await table.rights(tenant, agent);
      if (read.ok && generation === this.#generation) this.#store(key, { rights: read.value, readAt: at });
      return read;
    };
    return await this.#flights.run(`${generation} ${key}`, readNow, at);
  }

  /** Makes the next request of this isolate read a tenant's rights again. */
  forget(tenant: string): void {
    this.#generation += 1;
    for (const key of this.#entries.keys()) if (key.startsWith(`${tenant} `)) this.#entries.delete(key);
  }

  #store(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
  }
}
