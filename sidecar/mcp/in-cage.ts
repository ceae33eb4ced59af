/**
 * Runs MCP servers in cages. A server sees the system's programs, the folders that the operator offers, and its own folder /work, which
 * is empty at the start and removed at the end.
 */
import { mkdtemp } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import type { Failure } from "../../core/base/errors.ts";
import { type Mount, DEFAULT_LIMITS } from "../cage/cage.ts";
import { openOrRefuse } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import { type CageTools, startCaged } from "../cage/start-caged.ts";
import type { EgressDeps } from "../egress.ts";
import type { StartProgram } from "./server-process.ts";

const WORK = "/work";
const LIMITS = { ...DEFAULT_LIMITS, memoryBytes: 512 * 1024 ** 2 };
/** Paths that a cage uses itself. */
const RESERVED = /^\/(?:$|(?:bin|cage|dev|etc|lib|lib32|lib64|libx32|proc|sbin|sys|tmp|usr|work)(?:\/|$))/;

export interface McpCages {
  readonly cages: () => Promise<CageTools>;
  /** Connects them to their allowed hosts. */
  readonly egress: EgressDeps;
  /** Read-only folders that every server sees. */
  readonly offered: readonly Mount[];
}

export function makeCagedStart({ cages, egress, offered }: McpCages): StartProgram {
  return async ({ argv, env, network }) => {
    const folder = await openOrRefuse(() => makeWorkFolder(cages), "Programs cannot be isolated now");
    if (!folder.ok) return refuseStart(folder.error);
    const { tools, own } = folder.value;
    const started = await startCaged(tools, {
      argv,
      cwd: WORK,
      env: { ...env, HOME: WORK },
      mounts: [...offered, { from: own, at: WORK, writable: true }],
      limits: LIMITS,
      network: network.length === 0 ? null : { hosts: network, egress },
    }).catch(async (error: unknown) => {
      await removeTree(own);
      throw error;
    });
    if (!started.ok) {
      await removeTree(own);
      return refuseStart(started.error);
    }
    const caged = started.value;
    const { stdin, stdout, stderr, ended } = caged;
    const endReason = ended.then(async ({ exitCode, killed, endedFromOutside }) => {
      await removeTree(own);
      if (endedFromOutside) return "(something outside killed it)";
      return killed === null ? `(exit code ${exitCode ?? "unknown"})` : `(${killed})`;
    });
    return {
      ok: true,
      running: { stdin, stdout, stderr, ended: endReason, kill: () => void caged.kill("It was stopped.") },
    };
  };
}

function refuseStart({ code, message }: Failure) {
  return { ok: false, code: code === "rate_limited" ? code : "not_available", message } as const;
}

async function makeWorkFolder(cages: McpCages["cages"]): Promise<{ readonly tools: CageTools; readonly own: string }> {
  const tools = await cages();
  return { tools, own: await mkdtemp(join(tools.folder.path, "mcp-")) };
}

/**
 * Parses SIDECAR_MCP_PATHS: folders separated by colons, each `/folder` or `/folder=/path/in/the/cage`. Throws a RangeError that names an
 * invalid entry.
 */
export function parseOfferedFolders(text: string): readonly Mount[] {
  return text
    .split(":")
    .filter((entry) => entry.trim() !== "")
    .map((entry) => {
      const [from = "", at = from, ...rest] = entry.trim().split("=");
      const isFit =
        isAbsolute(from) && normalize(at) === at && isAbsolute(at) && !RESERVED.test(at) && rest.length === 0;
      if (!isFit) throw new RangeError(`SIDECAR_MCP_PATHS: "${entry}" is not a folder with a free path in a cage`);
      return { from, at, writable: false };
    });
}
