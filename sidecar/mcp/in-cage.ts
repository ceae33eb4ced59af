/**
 * MCP servers in cages. One sees the system's programs, the folders that the operator offers, and a folder of its own, /work,
 * which is empty when it starts and gone when it ends.
 */
import { mkdtemp } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import type { Failure } from "../../core/base/errors.ts";
import { type Mount, USUAL_LIMITS } from "../cage/cage.ts";
import { orRefuse } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import { type CageTools, startCaged } from "../cage/start-caged.ts";
import type { EgressDeps } from "../egress.ts";
import type { StartProgram } from "./server-process.ts";

const WORK = "/work";
const LIMITS = { ...USUAL_LIMITS, memoryBytes: 512 * 1024 ** 2 };
/** Where a cage has things of its own. */
const TAKEN = /^\/(?:$|(?:bin|cage|dev|etc|lib|lib32|lib64|libx32|proc|sbin|sys|tmp|usr|work)(?:\/|$))/;

export interface McpCages {
  readonly cages: () => Promise<CageTools>;
  /** By which they reach the hosts that they may. */
  readonly egress: EgressDeps;
  /** What every process sees beside it, read-only. */
  readonly offered: readonly Mount[];
}

export function startInCage({ cages, egress, offered }: McpCages): StartProgram {
  return async ({ argv, env, network }) => {
    const place = await orRefuse(() => placeFor(cages), "Nothing can be shut in here now");
    if (!place.ok) return notStarted(place.error);
    const { tools, own } = place.value;
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
      return notStarted(started.error);
    }
    const caged = started.value;
    const { stdin, stdout, stderr, ended } = caged;
    const told = ended.then(async ({ exitCode, killed, endedFromOutside }) => {
      await removeTree(own);
      if (endedFromOutside) return "(something outside killed it)";
      return killed === null ? `(exit code ${exitCode ?? "unknown"})` : `(${killed})`;
    });
    return { ok: true, running: { stdin, stdout, stderr, ended: told, kill: () => void caged.kill("It was ended.") } };
  };
}

function notStarted({ code, message }: Failure) {
  return { ok: false, code: code === "rate_limited" ? code : "not_available", message } as const;
}

async function placeFor(cages: McpCages["cages"]): Promise<{ readonly tools: CageTools; readonly own: string }> {
  const tools = await cages();
  return { tools, own: await mkdtemp(join(tools.folder.path, "mcp-")) };
}

/**
 * Reads SIDECAR_MCP_PATHS: folders with colons between, each `/folder` or `/folder=/place/in/the/cage`. Throws a RangeError
 * that names the entry that is none.
 */
export function readOffered(text: string): readonly Mount[] {
  return text
    .split(":")
    .filter((entry) => entry.trim() !== "")
    .map((entry) => {
      const [from = "", at = from, ...rest] = entry.trim().split("=");
      const isFit = isAbsolute(from) && normalize(at) === at && isAbsolute(at) && !TAKEN.test(at) && rest.length === 0;
      if (!isFit) throw new RangeError(`SIDECAR_MCP_PATHS: "${entry}" is no folder with a free place in a cage`);
      return { from, at, writable: false };
    });
}
