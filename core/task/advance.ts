/** Chooses what a step does next, after one of its calls settled or was decided. */
import { findUnblocked } from "./call-order.ts";
import type { BatchCall } from "./state.ts";
import type { Turn } from "./turn.ts";
import { isSubtaskWait } from "./wait.ts";

/** Runs further calls, creates the subtasks, parks the task, or ends the step. */
export function advance(turn: Turn): void {
  const { batch, phase, step, facts } = turn.state;
  if (findRunnable(batch).length > 0) {
    if (phase.name !== "acting") turn.set({ phase: { name: "prepared" } });
  } else if (batch.some(({ wait }) => isSubtaskWait(wait) && !wait.opened)) {
    if (phase.name !== "dispatching") turn.set({ phase: { name: "dispatching" } });
  } else if (batch.some((call) => call.wait !== null)) {
    if (phase.name !== "parked") turn.set({ phase: { name: "parked" } });
  } else {
    turn.emit("step.completed", { step });
    const summary = facts.kind === "call" ? "" : takeFinalText(turn);
    if (summary === null) turn.set({ phase: { name: "ready" } });
    else turn.end("completed", null, summary, null);
  }
}

/**
 * Returns the text that the model ended the task with; null if the task continues. It continues when another call of
 * the step did not succeed or a message arrived, because the model has not read that yet.
 */
function takeFinalText(turn: Turn): string | null {
  const { batch, steering } = turn.state;
  const finished = batch.filter(({ finish }) => finish !== undefined);
  const [first] = finished;
  if (first?.finish === undefined) return null;
  const hasFailed = batch.some(({ state }) => state !== "confirmed");
  if (!hasFailed && steering.length === 0) return first.finish;
  const why = hasFailed ? "another call of this step did not succeed" : "a message arrived";
  const content = `The task continues because ${why}. Look at that first.`;
  for (const { id } of finished) turn.ledger.push({ kind: "content", callId: id, content });
  return null;
}

/** True for an open call that waits for neither a person nor a subtask. */
export function canRun(call: BatchCall): boolean {
  return isOpen(call) && call.wait === null;
}

/** Returns the calls that can run now, in order: no earlier open call shares a resource with them. */
export function findRunnable(batch: readonly BatchCall[]): BatchCall[] {
  return findUnblocked(batch.filter(isOpen)).filter(canRun);
}

/** True until the call has settled. */
export function isOpen({ state }: BatchCall): boolean {
  return state === "intended";
}
