/**
 * A run of a task: the phases that follow one another without a pause. Runs of an object never overlap. Each has an
 * incarnation, by which a phase of an earlier run is recognised as cut off.
 */
import { CallBudget, MAX_NESTED_RUN_CALLS, MAX_RUN_CALLS, REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import type { Command } from "../../core/task/commands.ts";
import type { Decision } from "../../core/task/decision.ts";
import { decideBoth, findNextWake } from "../../core/task/task.ts";

/** One run starts phases for this long. With the last one, far below the platform's 15 minutes for an alarm. */
const RUN_MS = 30_000;
/** A phase is one runner call, and may be followed by reports to the parent and the tenant. */
const CALLS_PER_PHASE = 3;

/** It starts no phase after `until`, or without room for its calls. */
export interface Run {
  readonly wake: Extract<Command, { type: "wake" }>;
  readonly until: number;
  readonly calls: CallBudget;
  /** The nested calls between the request and this object. `REQUEST_DEPTH` also for its own alarm. */
  readonly depth: number;
}

export function openRun(now: number, maxParallel: number, depth: number): Run {
  const wake = { type: "wake", incarnation: crypto.randomUUID(), maxParallel } as const;
  const calls = new CallBudget(depth > REQUEST_DEPTH ? MAX_NESTED_RUN_CALLS : MAX_RUN_CALLS);
  return { wake, until: now + RUN_MS, calls, depth };
}

/** Adds the phase that is due after a decision, as one decision with it. */
export function continueBy(run: Run, decision: Decision, now: number): Decision {
  return decision.work === null && canContinue(decision, run, now) ? decideBoth(decision, run.wake, now) : decision;
}

/** True when the next phase is due now, so that this run may start it. */
export function canContinue({ state }: Decision, { until, calls }: Run, now: number): boolean {
  const at = findNextWake(state, now);
  return at !== null && at <= now && now < until && calls.hasRoom(CALLS_PER_PHASE);
}
