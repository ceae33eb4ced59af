/**
 * Schedules the calls of a step: a limited number in parallel, in the model's order, and a call that shares a resource
 * with an earlier one after that one has settled (`core/task/call-order.ts`). A call of `job.later` starts only after
 * the task's object has stored its attempt, so that a crash leaves no doubt about calls that never began.
 *
 * Every start but the first has its own turn: a tool that only computes never waits, so the calls of a step would
 * otherwise run in one turn of the thread, and no timer would end them. Calls that only wait start in one turn.
 */
import type { YieldTurn } from "../base/turns.ts";
import { isVisit } from "../task/batch.ts";
import { findUnblocked } from "../task/call-order.ts";
import { parseCallId } from "../base/ids.ts";
import type { ActJob, ActLine } from "./rpc.ts";
import type { RunnableCall } from "../task/decision.ts";
import type { Control } from "../tool/tool.ts";

/** The line that ends a call: it settled, the content of its files or its account is known, or its files were uploaded. */
export type CallEndLine = Extract<ActLine, { type: "settled" | "bound" | "uploaded" | "accounted" }>;

/** Runs calls. `make` must not throw. */
interface CallMaker {
  readonly make: (call: RunnableCall) => Promise<CallEndLine>;
  /** False for an end that leaves the call waiting: calls that depend on it do not run here. */
  readonly isSettledBy: (end: CallEndLine) => boolean;
  /** True for a call that waits for an outside service and computes little before. False for every call when omitted. */
  readonly onlyWaits?: (call: RunnableCall) => boolean;
  /** Yields to other work. */
  readonly giveTurn: YieldTurn;
}

/**
 * Runs every call that may start, at most `maxParallel` in parallel, and yields each end as it happens. The answer to a
 * line with `starts` says whether the object stored it; after a refusal nothing more starts.
 */
export async function* scheduleCalls(
  { calls, later = [] }: Pick<ActJob, "calls" | "later">,
  maxParallel: number,
  { make, isSettledBy, onlyWaits = () => false, giveTurn }: CallMaker,
): AsyncGenerator<ActLine, void, boolean> {
  const mustBeStored = new Set(later.filter(({ mode }) => !isVisit(mode)));
  /** In order, without settled calls. */
  let open = [...calls, ...later].sort((a, b) => getCallIndex(a) - getCallIndex(b));
  const begun = new Set<RunnableCall>();
  const running = new Map<RunnableCall, Promise<{ readonly call: RunnableCall; readonly line: CallEndLine }>>();
  const waitForTurn = queueTurns(giveTurn);
  const start = (call: RunnableCall) => {
    begun.add(call);
    const turn = onlyWaits(call) ? null : waitForTurn();
    const made = turn === null ? make(call) : turn.then(async () => await make(call));
    running.set(
      call,
      made.then((line) => ({ call, line })),
    );
  };
  let isRefused = false;
  let ended: CallEndLine | null = null;
  for (;;) {
    const free = isRefused ? 0 : maxParallel - running.size;
    const next = findUnblocked(open)
      .filter((call) => !begun.has(call))
      .slice(0, free);
    const starts = next.filter((call) => mustBeStored.has(call)).map(({ callId }) => callId);
    // Calls whose attempts are stored start without waiting for the others' commit.
    if (ended === null) for (const call of next) if (!mustBeStored.has(call)) start(call);
    if (starts.length > 0) {
      const isStored: boolean = yield ended === null ? { type: "starting", starts } : { ...ended, starts };
      isRefused ||= !isStored;
    } else if (ended !== null) yield ended;
    if (!isRefused) for (const call of next) if (!begun.has(call)) start(call);
    if (running.size === 0) return;
    const { call, line } = await Promise.race(running.values());
    running.delete(call);
    if (isSettledBy(line)) open = open.filter((other) => other !== call);
    ended = line;
  }
}

/** False for a control that leaves its call waiting: calls that depend on it do not run in this phase. */
export function isSettling(control: Control | null): boolean {
  switch (control?.kind) {
    case "sleep":
    case "dispatch":
    case "finish":
    case "connect":
      return false;
    case "ask":
      return !control.wait;
    case "attach":
    case "load":
    case undefined:
      return true;
  }
}

/** Returns a function that waits for a separate turn; null for the first, which begins at once. */
function queueTurns(giveTurn: YieldTurn): () => Promise<void> | null {
  let last: Promise<void> | null = null;
  return () => {
    const turn = last?.then(giveTurn) ?? null;
    last = turn ?? Promise.resolve();
    return turn;
  };
}

function getCallIndex({ callId }: RunnableCall): number {
  return parseCallId(callId)?.index ?? 0;
}
