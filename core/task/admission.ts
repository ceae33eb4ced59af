/**
 * The tenant's leave to begin hops: when a task has to ask for it, and what the answer makes of the task. No hop is made
 * without one, so a tenant that stops, whose places are taken or whose budget is used up holds every task of its own.
 */
import { MICROS_PER_DOLLAR, NOTHING } from "./amounts.ts";
import { callNeeds, ownUse } from "./budget.ts";
import type { Command, NearLimit } from "./commands.ts";
import type { Work } from "./decision.ts";
import type { Amount, Permit, Phase, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** What to ask the tenant before the next hop; null: the hop may begin. */
export function leaveToAsk(state: TaskState, now: number): Extract<Work, { kind: "enter" }> | null {
  const { permit, phase, facts } = state;
  // A task whose own limits allow no further call asks for nothing: its next step ends it.
  const needs = asksModel(phase) ? (callNeeds(state, now) ?? FREE) : FREE;
  const used = ownUse(state);
  const isValid = permit !== null && permit.until > now;
  if (isValid && covers(permit, used, permit.isNew ? needs.need : needs.want)) return null;
  const isPriced = !asksModel(phase) || facts.models.every(({ price }) => price !== null);
  return { kind: "enter", used, ...needs, isPriced };
}

/** The tenant lets the task go on. Leave that was asked for before the tenant stopped it, and comes after, is void. */
export function admit(turn: Turn, { forMs, grant, near }: Extract<Command, { type: "admitted" }>): void {
  if ((turn.state.turnedAway?.askAgainAt ?? turn.now) > turn.now) return;
  turn.set({ permit: { until: turn.now + forMs, grant, isNew: true }, turnedAway: null });
  for (const limit of near) warnOnce(turn, limit);
}

/** It has to wait: for a place, for budget that others hold, or for the tenant's release. */
export function turnAway(turn: Turn, command: Extract<Command, { type: "turned_away" }>): void {
  const { why, message, askAgainAfterMs } = command;
  turn.set({ turnedAway: { why, message, askAgainAt: turn.now + askAgainAfterMs } });
}

/** The tenant stopped: what runs is cut off as by a crash, and nothing begins. */
export function halt(turn: Turn, message: string): void {
  const { phase } = turn.state;
  if (phase.name === "held" || phase.name === "parked" || phase.name === "ended") return;
  turn.cutOff();
  turnAway(turn, { type: "turned_away", why: "stopped", message, askAgainAfterMs: STOPPED_ASK_AGAIN_MS });
}

/** Phases in which the next hop, or the one after it, is a model call. */
function asksModel({ name }: Phase): boolean {
  return name === "ready" || name === "backing_off" || name === "thinking" || name === "condensing";
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

const FREE = { need: NOTHING, want: NOTHING };

/** A task that is stopped asks again after this long, should its release be lost. */
export const STOPPED_ASK_AGAIN_MS = 30_000;
