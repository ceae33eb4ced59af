/**
 * Manages the MCP servers that run here, one per tenant, server and configuration. Limits apply to each tenant and to all; at a limit,
 * the server that has been idle longest is stopped.
 */
import { IDLE_MS, MAX_PROCESSES, MAX_PROCESSES_PER_TENANT, MIN_RESTART_MS } from "./limits.ts";
import { type McpOrder, getProcessKey } from "./order.ts";
import { type LeaseResult, type LeaseFailure, openManagedServer, type ManagedServer } from "./managed-server.ts";
import type { StartProgram } from "./server-process.ts";

export interface ServerPool {
  /** Leases the process of this order and starts it if needed. Waits until `signal` aborts. */
  lease(tenant: string, order: McpOrder, signal: AbortSignal): Promise<LeaseResult>;
  /** Stops the processes of a removed server, or of a tenant (`server` null), after their last requests. */
  endServers(tenant: string, server: string | null): void;
  /** Stops all of them. */
  end(): void;
}

export interface PoolSettings {
  readonly idleMs?: number;
  readonly restartMs?: number;
  readonly maxProcesses?: number;
  readonly maxPerTenant?: number;
}

interface PoolEntry {
  readonly tenant: string;
  readonly server: string;
  readonly managed: ManagedServer;
}

export function openServerPool(
  start: StartProgram,
  {
    idleMs = IDLE_MS,
    restartMs = MIN_RESTART_MS,
    maxProcesses = MAX_PROCESSES,
    maxPerTenant = MAX_PROCESSES_PER_TENANT,
  }: PoolSettings = {},
): ServerPool {
  const entries = new Map<string, PoolEntry>();
  const now = () => performance.now();

  function evictForNew(tenant: string): LeaseFailure | null {
    const taken = [...entries.values()].filter(({ managed }) => managed.isRunning);
    const own = taken.filter((one) => one.tenant === tenant);
    for (const [among, limit, whose] of [
      [own, maxPerTenant, "of one tenant "],
      [taken, maxProcesses, ""],
    ] as const) {
      const running = among.filter(({ managed }) => managed.isRunning);
      if (running.length < limit) continue;
      const [oldest] = running
        .filter(({ managed }) => managed.isIdle)
        .sort((a, b) => a.managed.usedAt - b.managed.usedAt);
      if (oldest === undefined)
        return { code: "rate_limited", message: `${limit} MCP servers ${whose}run already, and all of them are busy` };
      oldest.managed.close("now");
    }
    return null;
  }

  function endServers(tenant: string, server: string | null): void {
    for (const one of entries.values())
      if (one.tenant === tenant && (server === null || one.server === server)) one.managed.close("when idle");
  }

  function findOrOpenServer(tenant: string, order: McpOrder): ManagedServer {
    const key = getProcessKey(tenant, order);
    const known = entries.get(key);
    if (known !== undefined) return known.managed;
    endServers(tenant, order.server);
    const managed: ManagedServer = openManagedServer({
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
      checkCapacity: () => evictForNew(tenant),
      onClosed: () => {
        if (entries.get(key)?.managed === managed) entries.delete(key);
      },
    });
    entries.set(key, { tenant, server: order.server, managed });
    return managed;
  }

  return {
    lease: async (tenant, order, signal) => await findOrOpenServer(tenant, order).lease(signal),
    endServers,
    end() {
      for (const { managed } of entries.values()) managed.close("now");
    },
  };
}
