/**
 * Computes when a schedule is due. Pure: each occurrence is computed from the one before, so nothing drifts.
 *
 * Summer time. A cron rule that fits every hour (`0 * * * *`, every 15 minutes) is due at every matching wall time:
 * twice when clocks repeat it, never when they skip it. Any other rule is due once for each wall time: at the first of
 * two such moments, and for a skipped wall time at the first moment after the gap, together with all others of that
 * gap. Intervals are in real time.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { type CronRule, parseCron } from "./cron.ts";
import {
  findFirstChange,
  toMoment,
  openZone,
  toWallTime,
  WIDEST_CHANGE_MS,
  type Zone,
  type ZoneChange,
} from "../base/time-zone.ts";

/** A timing rule. Times are in milliseconds since the epoch. */
export type When =
  | { readonly kind: "cron"; readonly expression: string }
  | { readonly kind: "interval"; readonly everyMs: number; readonly anchor: number }
  | { readonly kind: "once"; readonly at: number };

export interface DueRule {
  readonly when: When;
  readonly timeZone: string;
  /** The first and the end of the period in which it is due; null without a bound. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/** Finds due times. */
export interface DueClock {
  /** The first due time after `moment`; null without one. */
  nextAfter(moment: number): number | null;
}

/** Compiles a rule; `invalid_input` names the field as the API does. */
export function openDueClock({ when, timeZone, startsAt, endsAt }: DueRule): Result<DueClock> {
  const zone = openZone(timeZone);
  if (zone === null)
    return failed("invalid_input", `time_zone: ${timeZone} is not an IANA time zone, such as Europe/Lisbon`, {
      field: "time_zone",
    });
  const unbounded = openUnboundedClock(when, zone);
  if (!unbounded.ok) return unbounded;
  return ok({
    nextAfter(moment) {
      const next = unbounded.value(startsAt === null ? moment : Math.max(moment, startsAt - 1));
      return next === null || (endsAt !== null && next >= endsAt) ? null : next;
    },
  });
}

function openUnboundedClock(when: When, zone: Zone): Result<DueClock["nextAfter"]> {
  switch (when.kind) {
    case "once":
      return ok((moment) => (when.at > moment ? when.at : null));
    case "interval":
      return ok((moment) => {
        const passed = Math.floor((moment - when.anchor) / when.everyMs);
        return when.anchor + Math.max(0, passed + 1) * when.everyMs;
      });
    case "cron": {
      const rule = parseCron(when.expression);
      if (!rule.ok) return { ok: false, error: { ...rule.error, field: "when.expression" } };
      return ok(
        rule.value.fitsEveryHour ? createReadingClock(rule.value, zone) : createAppointmentClock(rule.value, zone),
      );
    }
  }
}

/** Each wall time once. Wall times that clocks showed before `moment` are past, even if clocks show them again. */
function createAppointmentClock(rule: CronRule, zone: Zone): DueClock["nextAfter"] {
  return (moment) => {
    let wall = toWallTime(zone, moment);
    for (;;) {
      const next = rule.nextAfter(wall);
      if (next === null) return null;
      const due = toMoment(zone, next);
      if (due > moment) return due;
      wall = next;
    }
  };
}

/** Each moment with a matching wall time. */
function createReadingClock(rule: CronRule, zone: Zone): DueClock["nextAfter"] {
  return (moment) => {
    let from = moment;
    let wall = toWallTime(zone, moment);
    for (;;) {
      const next = rule.nextAfter(wall);
      if (next === null) return null;
      const change = findFirstChange(zone, from, from + WIDEST_CHANGE_MS);
      const due = next - zone.offsetAt(from);
      if (change !== null && due >= change.at) [from, wall] = continueAt(change);
      else if (due <= from + WIDEST_CHANGE_MS) return due;
      else {
        // No day before then matches, in any offset.
        from = due - WIDEST_CHANGE_MS;
        wall = toWallTime(zone, from);
      }
    }
  };
}

/** Where to continue after an offset change: the moment of the change may be due. */
function continueAt({ at, after }: ZoneChange): [from: number, wall: number] {
  return [at, at + after - 1];
}
