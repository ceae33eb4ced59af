/**
 * For whom a schedule's tasks act: the person who created the schedule or last confirmed it. No model and no request
 * names another one.
 *
 * 1. It is bound to the version of the configuration that the person knows. Code that changes the configuration without
 *    this file, such as an earlier release, ends it.
 * 2. A change of the task by anybody else ends it, until a person confirms the schedule.
 */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { Actor } from "../connections/actors.ts";
import type { AuditEntry } from "../ports/audit.ts";
import type { ClearedCaller, ScheduleCaller, ScheduleConfig, SchedulePerson, ScheduleState } from "./schedule.ts";

/** Who confirms a schedule. */
export interface Confirmation extends SchedulePerson {
  /** True for who may change the schedule. Others confirm only what acted for them. */
  readonly mayManage: boolean;
  /** The version that the person read; null accepts any. */
  readonly ifVersion: number | null;
}

type CallerFields = Pick<ScheduleState, "actsFor" | "cleared">;

/** Returns for whom the tasks act; null: nobody. */
export function findScheduleCaller({ actsFor = null, version }: ScheduleState): ScheduleCaller | null {
  return actsFor?.version === version ? actsFor : null;
}

/** Returns for whom the tasks acted until a change that nobody has confirmed; null without one. */
export function findClearedCaller(state: ScheduleState): ClearedCaller | null {
  return findScheduleCaller(state) === null ? (state.cleared ?? null) : null;
}

/** The fields of a new schedule. `person` is null for a creator without a record. */
export function startScheduleCaller(person: SchedulePerson | null, now: number): CallerFields {
  return person === null ? {} : { actsFor: { person: person.person, name: person.name, version: 1, at: now } };
}

/** The fields after a change to `next`. `by` is null if its author is unknown, who counts as somebody else. */
export function changeScheduleCaller(
  state: ScheduleState,
  next: { readonly config: ScheduleConfig; readonly version: number },
  by: Actor | null,
): CallerFields {
  const caller = findScheduleCaller(state);
  if (caller === null) return {};
  const isOwn = by !== null && by.person === caller.person;
  const isSameTask = toCanonicalJson(state.config.task) === toCanonicalJson(next.config.task);
  if (isOwn || isSameTask) return { actsFor: { ...caller, version: next.version } };
  const { person, name } = caller;
  return { actsFor: null, cleared: { person, name, version: next.version, by: by?.name ?? "Somebody" } };
}

/**
 * Makes the tasks act for who confirms. `conflict` when the version is not the one that they read; `forbidden` for who
 * may not change the schedule, and for whom it never acted.
 */
export function confirmSchedule(
  state: ScheduleState,
  { person, name, mayManage, ifVersion }: Confirmation,
  now: number,
): Result<ScheduleState> {
  const { version } = state;
  const isOfPerson = [state.cleared, state.actsFor].some((one) => one?.person === person);
  if (!mayManage && !isOfPerson)
    return failed("forbidden", "Only an administrator, or the person for whom the schedule acted, confirms it.");
  if (ifVersion !== null && ifVersion !== version)
    return failed("conflict", `The latest version is ${version}. Read it before you confirm it.`, {
      field: "If-Match",
    });
  if (findScheduleCaller(state)?.person === person) return ok(state);
  return ok({ ...state, actsFor: { person, name, version, at: now }, cleared: null, updatedAt: now });
}

/** Ends that the tasks act for a person, whose record was deleted. */
export function forgetSchedulePerson(state: ScheduleState, person: string): ScheduleState {
  const forget = <T extends SchedulePerson>(one: T | null | undefined): T | null =>
    one == null || one.person === person ? null : one;
  return { ...state, actsFor: forget(state.actsFor), cleared: forget(state.cleared) };
}

/** Adds to an act which person it ended or set. */
export function describeCallerChange(act: AuditEntry, before: ScheduleState, after: ScheduleState): AuditEntry {
  const [earlier, now] = [before, after].map((state) => findScheduleCaller(state)?.person ?? null);
  if (earlier === now) return act;
  return { ...act, details: { ...act.details, acts_for: now ?? null, acts_for_before: earlier ?? null } };
}
