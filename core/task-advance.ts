/** What a step does next, whenever one of its calls settled or was decided. */
import { type BatchCall, isSubtaskWait } from "./task-state.ts";
import type { Turn } from "./turn.ts";

/** The step goes on, makes its subtasks, parks, or ends. */
export function advance(turn: Turn): void {
  const { batch, phase, step, facts } = turn.state;
  if (batch.some(canRun)) {
    if (phase.name !== "acting") turn.set({ phase: { name: "prepared" } });
  } else if (batch.some(({ wait }) => isSubtaskWait(wait) && !wait.opened)) {
    if (phase.name !== "dispatching") turn.set({ phase: { name: "dispatching" } });
  } else if (batch.some((call) => call.wait !== null)) {
    if (phase.name !== "parked") turn.set({ phase: { name: "parked" } });
  } else {
    turn.emit("step.completed", { step });
    if (facts.kind === "call") turn.end("completed", null, "", null);
    else turn.set({ phase: { name: "ready" } });
  }
}

/** True for a call that nothing holds up. */
export function canRun(call: BatchCall): boolean {
  return call.state === "intended" && call.wait === null;
}
