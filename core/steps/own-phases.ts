/**
 * The phases that a task's object runs itself, and which tool phases are among them. The step runner runs the same modules
 * for all others, and for all of them if the operator chose so.
 */
import type { ActJob, ActLine, ThinkJob, ThinkLine } from "./rpc.ts";
import type { RunnableCall } from "../task/decision.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { Toolset } from "./toolset.ts";

/** The phases of one object. Their signals end them. */
export interface OwnPhases {
  streamModelPhase(job: ThinkJob, signal: AbortSignal): AsyncGenerator<ThinkLine, ThinkLine, boolean>;
  streamToolPhase(job: ActJob, signal: AbortSignal): AsyncGenerator<ActLine, null, boolean>;
  /** True for a tool phase of plain reads, which needs no step runner. Never throws. */
  onlyReads(job: ActJob): Promise<boolean>;
}

/**
 * The platform limits open connections to six (https://developers.cloudflare.com/workers/platform/limits/): one order
 * for all requests, and one per call for its next request, such as that of its page's renderer.
 */
const MAX_READS = 5;

/** The ports of our own tools of the web. */
const WEB_PORTS: ReadonlySet<string> = new Set<keyof ToolPorts>(["web", "pages", "files"]);

/**
 * True for a job whose calls may all be plain reads, as far as the ledger tells: few, without an effect, and without
 * files that a person approved. Never for a call over the API, which reads its parent task first.
 */
export function mayOnlyRead({ facts, calls, later = [] }: ActJob): boolean {
  const all = [...calls, ...later];
  return facts.kind !== "call" && all.length <= MAX_READS && all.every(isWithoutEffect);
}

function isWithoutEffect({ effect, mode, approvedFiles }: RunnableCall): boolean {
  return effect === "none" && mode === "run" && approvedFiles === undefined;
}

/** True when all calls are of our own tools of the web. A tenant's tool may have a large schema. */
export function areWebTools({ calls, later = [] }: ActJob, toolset: Pick<Toolset, "resolve">): boolean {
  return [...calls, ...later].every(({ tool }) => isWebTool(toolset.resolve(tool)));
}

function isWebTool(tool: Tool | null): boolean {
  if (tool === null || tool.written !== undefined || !tool.needs.includes("web")) return false;
  return tool.needs.every((need) => WEB_PORTS.has(need));
}
