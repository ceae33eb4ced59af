/**
 * The permit of a task: when the task has to request one from its tenant, and what the reply does to the task. No
 * runner call begins without a permit. So a stopped tenant, a full tenant or a used-up budget holds every task of that
 * tenant.
 */
import { MICROS_PER_DOLLAR, NO_AMOUNT } from "./amounts.ts";
import { estimateModelUse } from "./model-use.ts";
import { estimateCallNeeds, getOwnUse } from "./budget.ts";
import type { Command, NearLimit } from "./commands.ts";
import type { Work } from "./decision.ts";
import type { Amount, Permit, Phase, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Returns the permit request that is due before the next runner call; null if the call may begin. */
export function getPermitRequest(state: TaskState, now: number): Extract<Work, { kind: "enter" }> | null {
  const { permit, phase, facts } = state;
  // A task whose own limits allow no further call needs nothing: its next step ends it.
  const needs = needsModel(phase) ? (estimateCallNeeds(state, now) ?? FREE_CALL) : getModelUseNeeds(state);
  const used = getOwnUse(state);
  const isValid = permit !== null && permit.until > now;
  if (isValid && covers(permit, used, permit.isNew ? needs.need : needs.want)) return null;
  const usesModel = needsModel(phase) || needs.want.tokens > 0;
  const isPriced = !usesModel || facts.models.every(({ price }) => price !== null);
  return { kind: "enter", used, ...needs, isPriced };
}

/** Stores a permit. Ignores one that was requested before the tenant stopped and arrives after. */
export function admit(turn: Turn, command: Extract<Command, { type: "admitted" }>): void {
  const { forMs, grant, near, isTransferable } = command;
  if ((turn.state.turnedAway?.askAgainAt ?? turn.now) > turn.now) return;
  const transfer = isTransferable === true ? { isTransferable } : {};
  turn.set({ permit: { until: turn.now + forMs, grant, isNew: true, ...transfer }, turnedAway: null });
  for (const limit of near) warnOnce(turn, limit);
}

/** Records that the task has to wait: for a slot, for leased budget, or for the release of its tenant. */
export function turnAway(turn: Turn, command: Extract<Command, { type: "turned_away" }>): void {
  const { why, message, askAgainAfterMs } = command;
  turn.set({ turnedAway: { why, message, askAgainAt: turn.now + askAgainAfterMs } });
}

/** Stops the task with its tenant. Cuts off the runner call as a crash would. */
export function halt(turn: Turn, message: string): void {
  const { phase } = turn.state;
  if (phase.name === "held" || phase.name === "parked" || phase.name === "ended") return;
  turn.cutOff();
  turnAway(turn, { type: "turned_away", why: "stopped", message, askAgainAfterMs: STOPPED_RETRY_MS });
}

/** True in phases whose next runner call, or the one after it, calls the model. */
function needsModel({ name }: Phase): boolean {
  return name === "ready" || name === "backing_off" || name === "thinking" || name === "condensing";
}

/** What the tools of the next tool phase may ask. They need nothing: a call that the grant does not allow fails. */
function getModelUseNeeds(state: TaskState): typeof FREE_CALL {
  return { need: NO_AMOUNT, want: estimateModelUse(state) };
}

function covers({ grant }: Permit, used: Amount, want: Amount): boolean {
  return (
    (grant.tokens === null || grant.tokens - used.tokens >= want.tokens) &&
    (grant.costMicros === null || grant.costMicros - used.costMicros >= want.costMicros)
  );
}

/** Warns of a limit above the task's own, once. Money in US dollars. */
function warnOnce(turn: Turn, { account, kind, used, limit }: NearLimit): void {
  const unit = kind === "cost" ? MICROS_PER_DOLLAR : 1;
  turn.warn(account, { kind, used: used / unit, limit: limit / unit });
}

const FREE_CALL = { need: NO_AMOUNT, want: NO_AMOUNT };

/** Time after which a stopped task asks again, in case its release is lost. */
export const STOPPED_RETRY_MS = 30_000;
