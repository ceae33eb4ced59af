/** Permits that go along with what creates or wakes a task, so that it requests none (decision 0135). */
import { NO_LIMIT } from "./amounts.ts";
import type { Command } from "./commands.ts";
import type { Decision } from "./decision.ts";
import type { TaskState } from "./state.ts";
import { isBusy } from "./status.ts";
import { decideBoth } from "./task.ts";

/** It leases nothing, and lives so shortly that a stop of the tenant need not find it. */
export interface ShortPermit {
  readonly forMs: number;
}

/** The longest life of a permit that goes along with what wakes a task. */
export const SHORT_PERMIT_MS = 2000;

/** Returns what is left of a permit that was received at `since`; null if nothing. Call it after every wait. */
export function getRemaining(permit: ShortPermit | null, since: number, now: number): ShortPermit | null {
  const forMs = (permit?.forMs ?? 0) - Math.max(0, now - since);
  return forMs > 0 ? { forMs } : null;
}

/** Lets a task that a decision woke begin under a short permit, as one decision with it. */
export function usePermit(decision: Decision, permit: ShortPermit | null, now: number): Decision {
  const needsPermit = permit !== null && isBusy(decision.state.phase) && decision.state.permit === null;
  return needsPermit ? decideBoth(decision, toAdmitted(permit), now) : decision;
}

/** Returns the command of a short permit. */
function toAdmitted({ forMs }: ShortPermit): Command {
  return { type: "admitted", forMs, grant: NO_LIMIT, near: [], isTransferable: true };
}

/** Returns what a task may pass on of its permit; null if nothing. */
export function getShortPermit({ permit }: TaskState, now: number): ShortPermit | null {
  if (permit?.isTransferable !== true || permit.until <= now) return null;
  return { forMs: Math.min(SHORT_PERMIT_MS, permit.until - now) };
}
