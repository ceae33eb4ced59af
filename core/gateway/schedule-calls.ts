/**
 * When the calls of a step start: at most a few at once, in the order in which the model wrote them. A call of
 * `job.later` starts only after the task's object has stored its attempt, so that a crash leaves nothing in doubt that
 * never began.
 */
import { placeOfCall } from "../ids.ts";
import type { ActJob, ActLine } from "../steps-rpc.ts";
import type { CallOfHop, CallOutcome } from "../task-commands.ts";

type Settled = Extract<ActLine, { type: "settled" }>;

/**
 * Makes every call, at most `maxParallel` at once, and yields what came of each as it ends. A line with `starts` is
 * answered with whether the object stored it; after a refusal nothing more starts. `make` must not throw.
 */
export async function* scheduleCalls(
  { calls, later = [] }: Pick<ActJob, "calls" | "later">,
  maxParallel: number,
  make: (call: CallOfHop) => Promise<CallOutcome>,
): AsyncGenerator<ActLine, void, boolean> {
  const mustBeStored = new Set(later);
  const waiting = [...calls, ...later].sort((a, b) => positionOf(a) - positionOf(b));
  const running = new Map<string, Promise<Settled>>();
  const start = (call: CallOfHop) => {
    const { callId } = call;
    running.set(
      callId,
      make(call).then((outcome) => ({ type: "settled", callId, outcome })),
    );
  };
  let ended: Settled | null = null;
  for (;;) {
    const next = waiting.splice(0, maxParallel - running.size);
    const starts = next.filter((call) => mustBeStored.has(call)).map(({ callId }) => callId);
    // Calls whose attempts are stored need not wait for room that others get.
    if (ended === null) for (const call of next) if (!mustBeStored.has(call)) start(call);
    let isStored = true;
    if (starts.length > 0) isStored = yield ended === null ? { type: "starting", starts } : { ...ended, starts };
    else if (ended !== null) yield ended;
    if (!isStored) waiting.length = 0;
    else for (const call of next) if (!running.has(call.callId)) start(call);
    if (running.size === 0) return;
    ended = await Promise.race(running.values());
    running.delete(ended.callId);
  }
}

function positionOf({ callId }: CallOfHop): number {
  return placeOfCall(callId)?.index ?? 0;
}
