/**
 * The model calls of tools. A call that may ask a model starts with its whole cost reserved, in the same write as its attempt;
 * what it used is settled with its outcome. One that was cut off costs its reservation, so that a task is charged for what its
 * provider may bill.
 */
import type { ModelUsage } from "../model/messages.ts";
import { canRun, findRunnable } from "./advance.ts";
import { NO_AMOUNT } from "./amounts.ts";
import { reserveModelUse } from "./budget.ts";
import { failedOutcome } from "./ledger.ts";
import type { Amount, BatchCall, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/**
 * Estimates what the largest of the calls that can start now may ask, within the task's own limits; zero if none asks. The others
 * start with it if the grant allows, and else one after the other: a task must not wait for the budget of all.
 */
export function estimateModelUse(state: TaskState): Amount {
  return findRunnable(state.batch).reduce((most, { asks, reserved }) => {
    if (asks === undefined || reserved !== undefined) return most;
    const needed = reserveModelUse({ ...state, permit: null }, asks);
    if (typeof needed === "string") return most;
    const { inputTokens, outputTokens, costMicros } = needed;
    return {
      tokens: Math.max(most.tokens, inputTokens + outputTokens),
      costMicros: Math.max(most.costMicros, costMicros),
    };
  }, NO_AMOUNT);
}

/**
 * Reserves what a call may ask. False: it does not start. It waits while another call has a reservation, because that is released
 * when the other one ends, and for a larger grant. Otherwise it failed: the task's limits or a new permit do not allow it.
 */
export function reserveBeforeStart(turn: Turn, call: BatchCall): boolean {
  const { asks } = call;
  if (asks === undefined) return true;
  const { batch, model, permit } = turn.state;
  const reserved = reserveModelUse(turn.state, asks);
  if (typeof reserved !== "string") {
    turn.replace({ ...call, reserved: { ...reserved, model: model.index } });
    return true;
  }
  if (batch.some((other) => other.reserved !== undefined)) return false;
  if (reserved === "permit" && permit?.isNew !== true) return false;
  const most = asks.calls * (asks.inputTokens + asks.outputTokens);
  const whose = reserved === "task" ? "the task" : "its tenant";
  const message = `${call.tool} asks a language model for this, which may use ${most} tokens. What is left of the budget of ${whose} does not allow that. It was not called.`;
  turn.settle(call, failedOutcome("failed", "budget_exceeded", message));
  return false;
}

/** Settles what a call used. Unknown: its reservation. A call without a reservation asked nothing. */
export function settleModelUse(turn: Turn, { id }: BatchCall, reported?: ModelUsage): void {
  const call = turn.state.batch.find((other) => other.id === id);
  if (call?.reserved === undefined) return;
  const { reserved, ...rest } = call;
  const { model, inputTokens, outputTokens } = reserved;
  turn.replace(rest);
  const used = reported ?? { inputTokens, outputTokens, estimated: true };
  if (used.inputTokens + used.outputTokens > 0) turn.spend("tool", id, model, used);
}

/** Settles the calls that were cut off. */
export function settleCutOffModelUse(turn: Turn): void {
  for (const call of turn.state.batch) if (canRun(call)) settleModelUse(turn, call);
}
