/**
 * The calls that hop one makes itself, so that their results are stored with the message that asked for them. Only a batch
 * that changes nothing and waits for nobody outside: a crash repeats the model call and all of it.
 */
import { HOP_TIMEOUT_MS } from "../task/budget.ts";
import type { PreparedCall } from "../task/commands.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import { awaitUnlessAborted } from "../base/deadline.ts";
import type { Label } from "../provenance/label.ts";
import type { TaskFacts } from "../task/state.ts";
import { performCalls, type PerformDeps } from "./perform.ts";
import type { Toolset } from "./toolset.ts";

/** What has not ended by then is left to hop two: the message is not to wait for it. */
const EARLY_MS = 500;

/** A step's calls as the gateway prepared them. */
interface Prepared {
  readonly facts: TaskFacts;
  readonly step: number;
  /** The join over the request that the calls were asked for in. */
  readonly label: Label;
  readonly calls: readonly PreparedCall[];
}

/** Ports behind which somebody outside answers. */
const OUTSIDE: ReadonlySet<string> = new Set<keyof ToolPorts>([
  "web",
  "search",
  "mcp",
  "scripts",
  "documents",
  "slack",
]);

/** Ports whose data comes with the job of hop two. */
const SENT: ReadonlySet<string> = new Set<keyof ToolPorts>(["results"]);

/** True when every call is of class `none`, needs no approval, and uses only what Otto itself stores and hop one has. */
export function mayPerformEarly(calls: readonly PreparedCall[], toolset: Pick<Toolset, "resolve">): boolean {
  return calls.every(({ tool, effect, approval, outcome }) => {
    if (outcome !== null) return true;
    const needs = toolset.resolve(tool)?.needs ?? ["web"];
    return effect === "none" && approval === null && !needs.some((need) => OUTSIDE.has(need) || SENT.has(need));
  });
}

/** Makes the calls, and gives them with what came of each in time. */
export async function performEarly(
  { facts, step, label, calls }: Prepared,
  deps: PerformDeps,
  signal: AbortSignal,
): Promise<PreparedCall[]> {
  const open = calls.filter(({ outcome }) => outcome === null);
  if (open.length === 0) return [...calls];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(EARLY_MS)]);
  const job = {
    facts,
    step,
    calls: open.map((call) => ({ ...call, callId: call.id, key: call.id, label, mode: "run" as const, attempt: 1 })),
    timeoutMs: HOP_TIMEOUT_MS,
  };
  const outcomes = new Map(calls.map(({ id, outcome }) => [id, outcome]));
  const ended = performCalls(job, deps, limit);
  while (!limit.aborted) {
    // A tool may end long after it was told to. What nobody asks for any more begins no further call.
    const next = await awaitUnlessAborted(limit, ended.next(), null);
    if (next === null || next.done === true || limit.aborted) break;
    if (next.value.type === "settled") outcomes.set(next.value.callId, next.value.outcome);
  }
  return calls.map((call) => ({ ...call, outcome: outcomes.get(call.id) ?? null }));
}
