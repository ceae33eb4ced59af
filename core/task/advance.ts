/** What a step does next, whenever one of its calls settled or was decided. */
import { findUnblocked } from "./call-order.ts";
import { type BatchCall, isSubtaskWait } from "./state.ts";
import type { Turn } from "./turn.ts";

/** The step goes on, makes its subtasks, parks, or ends. */
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
    const summary = facts.kind === "call" ? "" : finishedWith(turn);
    if (summary === null) turn.set({ phase: { name: "ready" } });
    else turn.end("completed", null, summary, null);
  }
}

/**
 * The text that the model ended the task with in this step; null: the task goes on. It does when the model has not read what
 * came meanwhile: a call of the same step that did not succeed, or a message.
 */
function finishedWith(turn: Turn): string | null {
  const { batch, steering } = turn.state;
  const finished = batch.filter(({ finish }) => finish !== undefined);
  const [first] = finished;
  if (first?.finish === undefined) return null;
  const hasFailed = batch.some(({ state }) => state !== "confirmed");
  if (!hasFailed && steering.length === 0) return first.finish;
  const why = hasFailed ? "another call of this step did not succeed" : "a message came";
  const content = `The task goes on, because ${why}. Look at that first.`;
  for (const { id } of finished) turn.ledger.push({ kind: "content", callId: id, content });
  return null;
}

/** True for a call that is open and does not wait for a person or a subtask. */
export function canRun(call: BatchCall): boolean {
  return isOpen(call) && call.wait === null;
}

/** The calls that could be made now, in order: no earlier call that is open shares a resource with them. */
export function findRunnable(batch: readonly BatchCall[]): BatchCall[] {
  return findUnblocked(batch.filter(isOpen)).filter(canRun);
}

/** True until the call has settled. */
export function isOpen({ state }: BatchCall): boolean {
  return state === "intended";
}
