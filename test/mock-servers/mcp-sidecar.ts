/** A sidecar that runs MCP servers as processes in real cages, and ports to them for any tenant. */
import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import { endProcesses } from "../../adapters/mcp/end-processes.ts";
import { type McpServers, openMcp } from "../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../adapters/mcp/server.ts";
import { sidecarAt } from "../../adapters/sidecar/sidecar.ts";
import { notSent, ok } from "../../core/base/errors.ts";
import type { McpProcess } from "../../core/mcp/process-config.ts";
import type { TenantSecret } from "../../core/ports/secrets.ts";
import { makeSidecar } from "../../sidecar/app.ts";
import type { Isolation, Mount } from "../../sidecar/cage/cage.ts";
import { openCages } from "../../sidecar/cage/cages.ts";
import { systemEgress } from "../../sidecar/egress.ts";
import { type Keeper, type KeeperSettings, openKeeper } from "../../sidecar/mcp/server-pool.ts";
import { startInCage } from "../../sidecar/mcp/in-cage.ts";
import { fakeSecrets } from "../fakes/secrets.ts";
import { directWeb } from "./direct-web.ts";
import { closeServer, listenOnLoopback } from "./listen.ts";

/** Where the processes see the folder of the stand-ins. */
export const SHARED = "/opt/shared";

export interface McpProcesses {
  /** What the processes see at `SHARED`. */
  readonly folder: string;
  readonly keeper: Keeper;
  readonly isolation: () => Promise<Isolation>;
  /** The folders that processes have. */
  ownFolders(): readonly string[];
  close(): Promise<void>;
}

export interface McpSidecar extends McpProcesses {
  /** Cuts every connection to the sidecar, as its death does. */
  breakOff(): void;
  /** Tells it that a tenant's server is gone, or all of them (`server` null). */
  endOf(tenant: string, server: string | null): Promise<void>;
  /** The servers of a tenant by their names. */
  portOf(
    tenant: string,
    servers: Readonly<Record<string, Partial<McpProcess>>>,
    secrets?: readonly TenantSecret[],
  ): McpServers;
}

/** `allow`: places of this machine that they may reach. */
type Settings = KeeperSettings & { readonly offered?: readonly Mount[]; readonly allow?: string };

/** What runs them. */
export async function startMcpProcesses({
  offered = [],
  allow = "",
  ...settings
}: Settings = {}): Promise<McpProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  // The processes are of other users.
  chmodSync(folder, 0o755);
  for (const name of ["stdio-relay.mjs", "stdio-unruly.mjs"])
    copyFileSync(new URL(name, import.meta.url), join(folder, name));
  const cages = await openCages({ chosen: undefined });
  const mounts = [{ from: folder, at: SHARED, writable: false }, ...offered];
  const start = startInCage({
    cages: () => Promise.resolve(cages),
    egress: systemEgress(parseEgressAllow(allow)),
    offered: mounts,
  });
  const keeper = openKeeper(start, settings);
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
  const server = makeSidecar(secret, systemEgress(parseEgressAllow("")), { kinds: [], folder, isolation, mcp });
  const sidecar = sidecarAt(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`, secret);
  return {
    ...processes,
    breakOff: () => server.closeAllConnections(),
    endOf: async (tenant, name) => await endProcesses(sidecar, tenant, name),
    portOf: (tenant, servers, secrets = []) =>
      openMcp({
        web: directWeb(),
        processes: { sidecar, secrets: fakeSecrets(secrets) },
        tenant,
        find: (name) => Promise.resolve(serverOf(name, servers[name])),
        consent: null,
        noteListChanged: () => Promise.resolve(),
      }),
    close: async () => {
      await processes.close();
      await closeServer(server);
    },
  };
}

function serverOf(name: string, process: Partial<McpProcess> | undefined) {
  if (process === undefined) return notSent("not_found", "There is no such server.");
  const url = "http://process.invalid/mcp";
  const whole: McpProcess = { command: "node", args: [], env: [], network: [], ...process };
  const server: McpServer = { name, url, process: whole, headers: [], version: 1, prior: null, oauth: null };
  return ok(server);
}
