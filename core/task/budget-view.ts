/** A task's limits and their use, as the API returns them. */
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { getTreeUse } from "./budget.ts";
import type { AmountLimit, TaskState } from "./state.ts";
import { isSubtaskWait } from "./wait.ts";

/** Tokens (input and output together) and US dollars. */
export interface AmountView {
  readonly tokens: number;
  readonly cost_usd: number;
}

/** Null: no limit of this kind. */
export interface TaskBudget {
  readonly max_steps: number;
  readonly max_tokens: number | null;
  readonly max_cost_usd: number | null;
  readonly max_duration_s: number | null;
  /** By the task and its subtasks that have ended; steps and time are the task's own. */
  readonly used: AmountView & { readonly steps: number; readonly duration_s: number };
  /** The part of `used` that is its subtasks'. */
  readonly used_by_subtasks: AmountView;
  /** Reserved for subtasks that have not ended; zero for a kind without a limit. */
  readonly held_for_subtasks: AmountView;
  /** Time since then counts too; null while the clock is stopped. */
  readonly counting_since: string | null;
}

export function toTaskBudget(state: TaskState): TaskBudget {
  const { facts, usage, usedBelow, clock, batch } = state;
  const { maxSteps, maxTokens, maxCostMicros, maxDurationMs } = facts.limits;
  const used = getTreeUse(state);
  const held = batch.flatMap(({ wait }) => (isSubtaskWait(wait) ? [wait.budget] : []));
  return {
    max_steps: maxSteps,
    max_tokens: maxTokens,
    max_cost_usd: maxCostMicros === null ? null : maxCostMicros / MICROS_PER_DOLLAR,
    max_duration_s: maxDurationMs === null ? null : maxDurationMs / 1000,
    used: { steps: usage.steps, ...toAmountView(used.tokens, used.costMicros), duration_s: clock.activeMs / 1000 },
    used_by_subtasks: toAmountView(usedBelow.inputTokens + usedBelow.outputTokens, usedBelow.costMicros),
    held_for_subtasks: toAmountView(
      sum(held, ({ tokens }) => tokens),
      sum(held, ({ costMicros }) => costMicros),
    ),
    counting_since: clock.since === null ? null : new Date(clock.since).toISOString(),
  };
}

function toAmountView(tokens: number, costMicros: number): AmountView {
  return { tokens, cost_usd: costMicros / MICROS_PER_DOLLAR };
}

function sum(budgets: readonly AmountLimit[], of: (budget: AmountLimit) => number | null): number {
  return budgets.reduce((total, budget) => total + (of(budget) ?? 0), 0);
}
