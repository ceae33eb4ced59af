/**
 * The MCP servers that run here, each for one tenant, one server and one configuration. A tenant has a number of them, and
 * so have all together; the one that has been idle longest makes room.
 */
import { IDLE_MS, MAX_PROCESSES, MAX_PROCESSES_EACH, MIN_RESTART_MS } from "./limits.ts";
import { type McpOrder, processKey } from "./order.ts";
import { type Leased, type NoLease, openPlace, type Place } from "./managed-server.ts";
import type { StartProgram } from "./server-process.ts";

export interface Keeper {
  /** The process of this order, which is started if need be. Waits no longer than `signal` lasts. */
  lease(tenant: string, order: McpOrder, signal: AbortSignal): Promise<Leased>;
  /** Ends those of a server that is gone, or of a tenant (`server` null), each with the last request that it has. */
  endOf(tenant: string, server: string | null): void;
  /** Ends all of them. */
  end(): void;
}

export interface KeeperSettings {
  readonly idleMs?: number;
  readonly restartMs?: number;
  readonly most?: number;
  readonly mostEach?: number;
}

interface Kept {
  readonly tenant: string;
  readonly server: string;
  readonly place: Place;
}

export function openKeeper(
  start: StartProgram,
  {
    idleMs = IDLE_MS,
    restartMs = MIN_RESTART_MS,
    most = MAX_PROCESSES,
    mostEach = MAX_PROCESSES_EACH,
  }: KeeperSettings = {},
): Keeper {
  const kept = new Map<string, Kept>();
  const now = () => performance.now();

  function makeRoom(tenant: string): NoLease | null {
    const taken = [...kept.values()].filter(({ place }) => place.isTaken);
    const own = taken.filter((one) => one.tenant === tenant);
    for (const [among, limit, whose] of [
      [own, mostEach, "of one tenant "],
      [taken, most, ""],
    ] as const) {
      const running = among.filter(({ place }) => place.isTaken);
      if (running.length < limit) continue;
      const [longest] = running.filter(({ place }) => place.isIdle).sort((a, b) => a.place.usedAt - b.place.usedAt);
      if (longest === undefined)
        return { code: "rate_limited", message: `${limit} MCP servers ${whose}run already, and all of them are busy` };
      longest.place.leave("now");
    }
    return null;
  }

  function endOf(tenant: string, server: string | null): void {
    for (const one of kept.values())
      if (one.tenant === tenant && (server === null || one.server === server)) one.place.leave("when idle");
  }

  function placeOf(tenant: string, order: McpOrder): Place {
    const key = processKey(tenant, order);
    const known = kept.get(key);
    if (known !== undefined) return known.place;
    endOf(tenant, order.server);
    const place: Place = openPlace({
      program: {
        tenant,
        argv: [order.command, ...order.args],
        env: Object.fromEntries(order.env),
        network: order.network,
      },
      start,
      now,
      idleMs,
      restartMs,
      makeRoom: () => makeRoom(tenant),
      onLeft: () => {
        if (kept.get(key)?.place === place) kept.delete(key);
      },
    });
    kept.set(key, { tenant, server: order.server, place });
    return place;
  }

  return {
    lease: async (tenant, order, signal) => await placeOf(tenant, order).lease(signal),
    endOf,
    end() {
      for (const { place } of kept.values()) place.leave("now");
    },
  };
}
