/** How much time of a budget is used, and which limit ended a task. */
import type { Task } from "../../../api/types.generated.ts";

export type LimitKind = "steps" | "tokens" | "money" | "time";

/** Seconds of work up to `now`, in milliseconds since the epoch. */
export function usedSeconds(
  { used, counting_since }: Pick<NonNullable<Task["budget"]>, "used" | "counting_since">,
  now: number,
): number {
  const running = counting_since === null ? 0 : Math.max(0, now - Date.parse(counting_since)) / 1000;
  return used.duration_s + running;
}

/** Null: none of the task's own limits. The API names the limit in the error's words alone. */
export function endingLimit({ reason, error }: Pick<Task, "reason" | "error">): LimitKind | null {
  if (reason === "iteration_limit") return "steps";
  if (reason !== "budget_exceeded") return null;
  const field = /\bbudget\.max_(tokens|cost_usd|duration_s)\b/.exec(error?.message ?? "")?.[1];
  return field === "tokens" ? "tokens" : field === "cost_usd" ? "money" : field === "duration_s" ? "time" : null;
}
