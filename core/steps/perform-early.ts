/**
 * The calls that the model phase runs itself, so that their results are stored with the message that requested them.
 * Only for a batch that changes nothing and waits for no outside service: after a crash the model call and the whole
 * batch are repeated.
 */
import { RUNNER_CALL_TIMEOUT_MS } from "../task/budget.ts";
import type { NumberedPiece } from "../knowledge/sources.ts";
import type { PreparedCall } from "../task/commands.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import { awaitUnlessAborted, openTimeLimit } from "../base/deadline.ts";
import type { Label } from "../provenance/label.ts";
import type { TaskFacts } from "../task/state.ts";
import { performCalls, type PerformDeps } from "./perform.ts";
import type { Toolset } from "./toolset.ts";

/** A call that takes longer is left to the tool phase, so that the message is not delayed. */
const EARLY_MS = 500;

/** A step's calls as the gateway prepared them. */
interface Prepared {
  readonly facts: TaskFacts;
  readonly step: number;
  /** The label of the request that the calls come from. */
  readonly label: Label;
  readonly calls: readonly PreparedCall[];
  readonly sources?: readonly NumberedPiece[];
}

/** Ports that outside services answer. */
const OUTSIDE_PORTS: ReadonlySet<string> = new Set<keyof ToolPorts>([
  "web",
  "search",
  "mcp",
  "apps",
  "scripts",
  "documents",
  "slack",
  "language",
]);

/** Ports whose data comes with the job of the tool phase. */
const JOB_PORTS: ReadonlySet<string> = new Set<keyof ToolPorts>(["results"]);

/**
 * True when every call is of class `none`, needs no approval and no account, and uses only data inside Otto that the model phase has.
 */
export function mayPerformEarly(calls: readonly PreparedCall[], toolset: Pick<Toolset, "resolve">): boolean {
  return calls.every(({ tool, effect, approval, outcome, account, connect }) => {
    if (outcome !== null) return true;
    if (account !== undefined || connect !== undefined) return false;
    const needs = toolset.resolve(tool)?.needs ?? ["web"];
    return (
      effect === "none" && approval === null && !needs.some((need) => OUTSIDE_PORTS.has(need) || JOB_PORTS.has(need))
    );
  });
}

/** Runs the calls, and returns them with the outcomes that came in time. */
export async function performEarly(
  { facts, step, label, calls, ...known }: Prepared,
  deps: PerformDeps,
  signal: AbortSignal,
): Promise<PreparedCall[]> {
  const open = calls.filter(({ outcome }) => outcome === null);
  if (open.length === 0) return [...calls];
  const timeLimit = openTimeLimit(deps.timer, EARLY_MS, signal);
  const { signal: limit } = timeLimit;
  const job = {
    facts,
    step,
    calls: open.map((call) => ({ ...call, callId: call.id, key: call.id, label, mode: "run" as const, attempt: 1 })),
    timeoutMs: RUNNER_CALL_TIMEOUT_MS,
    ...known,
  };
  const outcomes = new Map(calls.map(({ id, outcome }) => [id, outcome]));
  const ended = performCalls(job, deps, limit);
  try {
    while (!limit.aborted) {
      // A tool may end long after its abort. Without a further `next`, no further call begins.
      const next = await awaitUnlessAborted(limit, ended.next(), null);
      if (next === null || next.done === true || limit.aborted) break;
      if (next.value.type === "settled") outcomes.set(next.value.callId, next.value.outcome);
    }
  } finally {
    timeLimit.end();
  }
  return calls.map((call) => ({ ...call, outcome: outcomes.get(call.id) ?? null }));
}
