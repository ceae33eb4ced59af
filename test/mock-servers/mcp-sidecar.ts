/** Starts a sidecar that runs MCP servers in real cages, and creates ports to them for any tenant. */
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import { endProcesses } from "../../adapters/mcp/end-processes.ts";
import { type McpServers, openMcp } from "../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../adapters/mcp/server.ts";
import { notSent, ok } from "../../core/base/errors.ts";
import { connectSidecar } from "../../adapters/sidecar/sidecar.ts";
import type { McpProcess } from "../../core/mcp/process-config.ts";
import type { TenantSecret } from "../../core/ports/secrets.ts";
import { makeSidecar } from "../../sidecar/app.ts";
import type { Isolation, Mount } from "../../sidecar/cage/cage.ts";
import { openCages } from "../../sidecar/cage/cages.ts";
import { makeSystemEgress } from "../../sidecar/egress.ts";
import { type ServerPool, type PoolSettings, openServerPool } from "../../sidecar/mcp/server-pool.ts";
import { makeCagedStart } from "../../sidecar/mcp/in-cage.ts";
import { fakeSecrets } from "../fakes/secrets.ts";
import { makeDirectWeb } from "./direct-web.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

/** Path of the folder of mock servers in the cages. */
export const SHARED = "/opt/shared";

export interface McpProcesses {
  /** The folder that processes see at `SHARED`. */
  readonly folder: string;
  readonly keeper: ServerPool;
  readonly isolation: () => Promise<Isolation>;
  /** The work folders of processes. */
  ownFolders(): readonly string[];
  close(): Promise<void>;
}

export interface McpSidecar extends McpProcesses {
  /** Closes every connection to the sidecar, as its death does. */
  breakOff(): void;
  /** Removes a tenant's server, or all of them (`server` null). */
  endOf(tenant: string, server: string | null): Promise<void>;
  /** Returns a tenant's servers by name. */
  portOf(
    tenant: string,
    servers: Readonly<Record<string, Partial<McpProcess>>>,
    secrets?: readonly TenantSecret[],
  ): McpServers;
}

/** `allow` lists local addresses that they may reach. */
type Settings = PoolSettings & { readonly offered?: readonly Mount[]; readonly allow?: string };

/** Runs the servers. */
export async function startMcpProcesses({
  offered = [],
  allow = "",
  ...settings
}: Settings = {}): Promise<McpProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  // Processes run as other users, who must be able to enter it.
  chmodSync(folder, 0o755);
  for (const name of ["stdio-relay.mjs", "stdio-unruly.mjs"])
    copyFileSync(new URL(name, import.meta.url), join(folder, name));
  const cages = await openCages({ chosen: undefined });
  const mounts = [{ from: folder, at: SHARED, writable: false }, ...offered];
  const start = makeCagedStart({
    cages: () => Promise.resolve(cages),
    egress: makeSystemEgress(parseEgressAllow(allow)),
    offered: mounts,
  });
  const keeper = openServerPool(start, settings);
  return {
    folder,
    keeper,
    isolation: () => Promise.resolve(cages.isolation),
    ownFolders: () => readdirSync(cages.folder.path).filter((name) => name.startsWith("mcp-")),
    close: async () => {
      keeper.end();
      await cages.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startMcpSidecar(settings: Settings = {}): Promise<McpSidecar> {
  const processes = await startMcpProcesses(settings);
  const { folder, keeper: mcp, isolation } = processes;
  const secret = randomBytes(32).toString("hex");
  const server = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), { kinds: [], folder, isolation, mcp });
  const sidecar = connectSidecar(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`, secret);
  return {
    ...processes,
    breakOff: () => server.closeAllConnections(),
    endOf: async (tenant, name) => await endProcesses(sidecar, tenant, name),
    portOf: (tenant, servers, secrets = []) =>
      openMcp({
        web: makeDirectWeb(),
        processes: { sidecar, secrets: fakeSecrets(secrets) },
        tenant,
        find: (name) => Promise.resolve(makeServer(name, servers[name])),
        consent: null,
        noteListChanged: () => Promise.resolve(),
        noteGrantEnded: () => Promise.resolve(),
      }),
    close: async () => {
      await processes.close();
      await closeServer(server);
    },
  };
}

function makeServer(name: string, process: Partial<McpProcess> | undefined) {
  if (process === undefined) return notSent("not_found", "There is no such server.");
  const url = "http://process.invalid/mcp";
  const whole: McpProcess = { command: "node", args: [], env: [], network: [], ...process };
  const server: McpServer = { name, url, process: whole, headers: [], version: 1, prior: null, oauth: null };
  return ok(server);
}
