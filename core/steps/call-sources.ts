/** The numbers that one call gives to the pieces of documents that it reads. */
import { CallSources } from "../knowledge/sources.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { CallOutcome } from "../task/commands.ts";
import type { ActJob } from "./rpc.ts";
import type { TaintTracker } from "./taint-tracker.ts";
import type { Toolset } from "./toolset.ts";

/** Opens the sources of a call. Each call of a job that may read documents has numbers of its own. */
export function openCallSources(
  callId: string,
  { calls, later = [], sources = [] }: ActJob,
  toolset: Pick<Toolset, "resolve">,
): CallSources {
  const readers = [...calls, ...later].filter(
    ({ tool }) => toolset.resolve(tool)?.needs.includes("knowledge") === true,
  );
  const position = readers.findIndex((call) => call.callId === callId);
  return new CallSources(sources, Math.max(0, position));
}

/** Replaces the book of numbers behind the port. */
export function withSources<Deps extends { readonly ports: ToolPorts }>(deps: Deps, sources: CallSources): Deps {
  return { ...deps, ports: { ...deps.ports, knowledge: { ...deps.ports.knowledge, sources } } };
}

/** Returns what the outcome of a call says of what it read: only uploads, and the sources that it gave the model. */
export function toReadFields(
  { state }: CallOutcome,
  { readUploadsOnly }: Pick<TaintTracker, "readUploadsOnly">,
  { added }: CallSources,
): Pick<CallOutcome, "isUpload" | "sources"> {
  const hasSources = state === "confirmed" && added.length > 0;
  return { ...(readUploadsOnly ? { isUpload: true } : {}), ...(hasSources ? { sources: added } : {}) };
}
