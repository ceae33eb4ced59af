/** The status of a task, derived from its phase and from the waits of its open calls. */
import type { Phase, TaskState } from "./state.ts";
import type { Wait } from "./wait.ts";

/** The statuses of the API. */
export const TASK_STATUSES = [
  "queued",
  "running",
  "waiting_input",
  "waiting_approval",
  "waiting_subagents",
  "sleeping",
  "completed",
  "failed",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** True for a final status. */
export function hasEnded(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** True for a task that waits: for a person, for its subtasks, or for time to pass. */
export function isWaiting(status: TaskStatus): boolean {
  return status.startsWith("waiting_") || status === "sleeping";
}

/** When calls of several kinds wait, the status is the first of these that applies. */
const ORDER: readonly (readonly [Wait["kind"], TaskStatus])[] = [
  ["approval", "waiting_approval"],
  ["connection", "waiting_input"],
  // A person decides whether the call happened.
  ["unknown", "waiting_approval"],
  ["question", "waiting_input"],
  ["subtask", "waiting_subagents"],
  ["sleep", "sleeping"],
];

export function getStatus(state: TaskState): TaskStatus {
  const { turnedAway, startedAt } = state;
  if (turnedAway !== null && turnedAway.why !== "queue" && startedAt !== null && isBusy(state.phase)) return "sleeping";
  switch (state.phase.name) {
    case "held":
      return "queued";
    case "ready":
    case "prepared":
      return state.startedAt === null ? "queued" : "running";
    case "thinking":
    case "acting":
    case "dispatching":
    case "condensing":
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

/** True while a runner call is under way, which has its permit. */
export function isUnderWay(phase: Phase): boolean {
  return "incarnation" in phase && phase.incarnation !== "";
}

/** True while the task has work that waits for no person and no subtask. */
export function isBusy({ name }: Phase): boolean {
  return name !== "held" && name !== "parked" && name !== "ended";
}
