/**
 * When the calls of a step start: at most a few at once, in the order in which the model wrote them, and one that shares a
 * resource with an earlier call after that one has settled (`core/task/call-order.ts`). A call of `job.later` starts only after
 * the task's object has stored its attempt, so that a crash leaves nothing in doubt that never began.
 *
 * Every start but the first is in a turn of its own: a tool that only computes waits for nothing, so the calls of a step
 * would otherwise run in one turn of the thread, and no timer would end them.
 */
import type { GiveWay } from "../base/turns.ts";
import { findUnblocked } from "../task/call-order.ts";
import { placeOfCall } from "../base/ids.ts";
import type { ActJob, ActLine } from "./rpc.ts";
import type { CallOfHop } from "../task/decision.ts";

/** The end of a call: it settled, or the content of its files is known. */
export type EndOfCall = Extract<ActLine, { type: "settled" | "bound" }>;

/** How calls are made. `make` must not throw. */
interface CallMaker {
  readonly make: (call: CallOfHop) => Promise<EndOfCall>;
  /** False for an end that leaves the call waiting: calls that have to follow it are not made here. */
  readonly isSettledBy: (end: EndOfCall) => boolean;
  /** Yields to other work. */
  readonly giveTurn: GiveWay;
}

/**
 * Makes every call that may start, at most `maxParallel` at once, and yields each end as it happens. A line with
 * `starts` is answered with whether the object stored it; after a refusal nothing more starts.
 */
export async function* scheduleCalls(
  { calls, later = [] }: Pick<ActJob, "calls" | "later">,
  maxParallel: number,
  { make, isSettledBy, giveTurn }: CallMaker,
): AsyncGenerator<ActLine, void, boolean> {
  const mustBeStored = new Set(later.filter(({ mode }) => mode !== "bind"));
  /** In order; a call leaves when it has settled. */
  let open = [...calls, ...later].sort((a, b) => positionOf(a) - positionOf(b));
  const begun = new Set<CallOfHop>();
  const running = new Map<CallOfHop, Promise<{ readonly call: CallOfHop; readonly line: EndOfCall }>>();
  const waitForTurn = queueTurns(giveTurn);
  const start = (call: CallOfHop) => {
    begun.add(call);
    const turn = waitForTurn();
    const made = turn === null ? make(call) : turn.then(async () => await make(call));
    running.set(
      call,
      made.then((line) => ({ call, line })),
    );
  };
  let isRefused = false;
  let ended: EndOfCall | null = null;
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

/** Each wait ends in a turn of its own, one after the other; null for the first, which begins at once. */
function queueTurns(giveTurn: GiveWay): () => Promise<void> | null {
  let last: Promise<void> | null = null;
  return () => {
    const turn = last?.then(giveTurn) ?? null;
    last = turn ?? Promise.resolve();
    return turn;
  };
}

function positionOf({ callId }: CallOfHop): number {
  return placeOfCall(callId)?.index ?? 0;
}
