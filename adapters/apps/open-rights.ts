/**
 * What agents may use of the apps of their tenants, as an isolate read it last. A value counts for 3 s, so that what was
 * narrowed applies everywhere within that time. While the database is away nothing is said: a right that was taken away
 * must not come back.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { AppRights } from "../../core/ports/app-rights.ts";
import { ByteCache } from "./byte-cache.ts";
import type { WorkspaceAppTable } from "../../core/ports/workspace-app-table.ts";

const FRESH_MS = 3_000;
/** A read that takes longer than this is not joined: its request may have been cut off. */
const JOIN_MS = 1_000;
/** Reads at the same time. */
const MAX_FLIGHTS = 1_000;
/** Of the values that an isolate holds: the rights of one agent may name thousands of actions. */
const MAX_BYTES = 8_000_000;
/** What an entry of a map or a set takes besides its text. */
const BYTES_PER_NAME = 64;

interface Entry {
  readonly rights: AppRights;
  /** When its read began, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** The rights of the agents of all tenants. */
export class AppRightsCache {
  /** By tenant and agent. */
  readonly #entries: ByteCache<Entry>;
  readonly #flights = new SingleFlight<Result<AppRights>>({ maxAgeMs: JOIN_MS, maxFlights: MAX_FLIGHTS });
  /** Grows when rights are dropped: a read that began before that stores nothing. */
  #generation = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new ByteCache(maxBytes);
  }

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
      if (read.ok && generation === this.#generation)
        this.#entries.set(key, { rights: read.value, readAt: at }, measureRights(read.value));
      return read;
    };
    return await this.#flights.run(`${generation} ${key}`, readNow, at);
  }

  /** Makes the next request of this isolate read a tenant's rights again. */
  forget(tenant: string): void {
    this.#generation += 1;
    this.#entries.deleteStartingWith(`${tenant} `);
  }
}

/** About the memory that rights take. */
function measureRights({ assignments, permissions, added, overrides }: AppRights): number {
  let bytes = 0;
  const add = (names: Iterable<string>) => {
    for (const name of names) bytes += BYTES_PER_NAME + 2 * name.length;
  };
  for (const { app, actions } of assignments) add([app, ...actions]);
  for (const actions of added.values()) add(actions);
  for (const names of [permissions, added, overrides]) add(names.keys());
  return bytes;
}
