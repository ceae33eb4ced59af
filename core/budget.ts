/**
 * The budget of one task: a model call reserves its worst case before it is made and settles what it used after. An
 * interrupted call is settled at its reservation, so a crash never makes a task cheaper than it was.
 */
import { costMicros } from "./price-table.ts";
import type { Limits, Reservation, TaskState, Usage } from "./task-state.ts";
import type { ModelUsage } from "./messages.ts";

/** The most that one model call may write. */
const MAX_OUTPUT_TOKENS = 8192;
/** With less than this to write, a call is not worth making. */
const MIN_OUTPUT_TOKENS = 16;
/** The longest that a hop may take: one model call, or the calls of one step. */
export const HOP_TIMEOUT_MS = 600_000;
/** The share of a limit at which the warning is given. */
const WARNING_SHARE = 0.8;

/** Which limit is used up. */
export type BudgetKind = "tokens" | "cost" | "duration";

/** What a model call may use, or the limit that stands in its way. */
export type Allowance =
  | { readonly ok: true; readonly reserved: Reservation; readonly timeoutMs: number }
  | { readonly ok: false; readonly exceeded: BudgetKind };

/** Reserves a model call. */
export function reserveModelCall(state: TaskState, now: number): Allowance {
  const { limits, price } = state.facts;
  const input = state.contextTokens;
  let output = MAX_OUTPUT_TOKENS;
  if (limits.maxTokens !== null) {
    output = Math.min(output, limits.maxTokens - usedTokens(state.usage) - input);
    if (output < MIN_OUTPUT_TOKENS) return { ok: false, exceeded: "tokens" };
  }
  if (limits.maxCostMicros !== null && price !== null) {
    const left = limits.maxCostMicros - state.usage.costMicros - costMicros(price, input, 0);
    if (price.outputPerMillion > 0) output = Math.min(output, Math.floor(left / price.outputPerMillion));
    if (left < 0 || output < MIN_OUTPUT_TOKENS) return { ok: false, exceeded: "cost" };
  }
  const left = timeLeftMs(state, now);
  if (left <= 0) return { ok: false, exceeded: "duration" };
  const reserved = { inputTokens: input, outputTokens: output, costMicros: costMicros(price, input, output) };
  return { ok: true, reserved, timeoutMs: Math.min(HOP_TIMEOUT_MS, left) };
}

/** The usage after a model call that came back. */
export function settleModelCall(state: TaskState, used: ModelUsage): Usage {
  const { usage, facts } = state;
  return {
    ...usage,
    inputTokens: usage.inputTokens + used.inputTokens,
    outputTokens: usage.outputTokens + used.outputTokens,
    costMicros: usage.costMicros + costMicros(facts.price, used.inputTokens, used.outputTokens),
    estimated: usage.estimated || used.estimated,
  };
}

/** The usage after a model call that was cut off: nobody knows what it used, so it counts as its reservation. */
export function settleInterrupted(usage: Usage, reserved: Reservation): Usage {
  return {
    ...usage,
    inputTokens: usage.inputTokens + reserved.inputTokens,
    outputTokens: usage.outputTokens + reserved.outputTokens,
    costMicros: usage.costMicros + reserved.costMicros,
    estimated: true,
  };
}

/** Time left before `maxDurationMs`; `Infinity` without that limit. */
export function timeLeftMs(state: TaskState, now: number): number {
  const limit = state.facts.limits.maxDurationMs;
  return limit === null ? Number.POSITIVE_INFINITY : limit - activeMs(state, now);
}

/** The time that counts against the task: what a person takes does not. */
function activeMs(state: TaskState, now: number): number {
  const { clock } = state;
  return clock.activeMs + (clock.since === null ? 0 : Math.max(0, now - clock.since));
}

/** The limits of which at least 80 % is used, for the one warning that a task gives. */
export function nearlyUsed(state: TaskState, now: number): { kind: BudgetKind; used: number; limit: number }[] {
  const { limits } = state.facts;
  const rows: [BudgetKind, number, number | null][] = [
    ["tokens", usedTokens(state.usage), limits.maxTokens],
    ["cost", state.usage.costMicros, limits.maxCostMicros],
    ["duration", activeMs(state, now), limits.maxDurationMs],
  ];
  return rows.flatMap(([kind, used, limit]) =>
    limit !== null && used >= limit * WARNING_SHARE ? [{ kind, used, limit }] : [],
  );
}

/** What a person reads when a limit ends the task. */
export function exceededMessage(kind: BudgetKind, limits: Limits): string {
  switch (kind) {
    case "tokens":
      return `The task's limit of ${limits.maxTokens ?? 0} tokens does not allow another model call. Raise budget.max_tokens.`;
    case "cost":
      return `The task's limit of ${(limits.maxCostMicros ?? 0) / 1_000_000} US dollars does not allow another model call. Raise budget.max_cost_usd.`;
    case "duration":
      return `The task's limit of ${(limits.maxDurationMs ?? 0) / 1000} seconds is used up. Raise budget.max_duration_s.`;
  }
}

function usedTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}
