/** The status of a task, derived from its phase and from what its open calls wait for. */
import type { TaskState, TaskStatus, Wait } from "./task-state.ts";

/** When calls of several kinds wait, the status is the first of these that applies. */
const ORDER: readonly (readonly [Wait["kind"], TaskStatus])[] = [
  ["approval", "waiting_approval"],
  ["question", "waiting_input"],
  ["subtask", "waiting_subagents"],
  ["sleep", "sleeping"],
];

/** The status of the API. */
export function statusOf(state: TaskState): TaskStatus {
  switch (state.phase.name) {
    case "held":
      return "queued";
    case "ready":
    case "prepared":
      return state.startedAt === null ? "queued" : "running";
    case "thinking":
    case "acting":
      return "running";
    case "backing_off":
      return "sleeping";
    case "ended":
      return state.phase.status;
    case "parked":
      for (const [kind, status] of ORDER) if (state.batch.some((call) => call.wait?.kind === kind)) return status;
      return "running";
  }
}
