/**
 * When a schedule is due. Pure: every moment is found from the one before it, so that nothing drifts.
 *
 * Summer time. A cron rule that fits every hour (`0 * * * *`, every 15 minutes) is due whenever clocks read a fitting time:
 * twice where they read it twice, and not where they leave it out. For any other, each wall time is an appointment that is
 * kept once: at the first of two moments that read it, and, when clocks leave it out, at the first moment after the gap,
 * together with all others of that gap. Intervals are of real time.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { type CronRule, openCron } from "./cron.ts";
import {
  findFirstChange,
  toMoment,
  openZone,
  toWallTime,
  WIDEST_CHANGE_MS,
  type Zone,
  type ZoneChange,
} from "../base/time-zone.ts";

/** When it is due. Moments are in milliseconds since the epoch. */
export type When =
  | { readonly kind: "cron"; readonly expression: string }
  | { readonly kind: "interval"; readonly everyMs: number; readonly anchor: number }
  | { readonly kind: "once"; readonly at: number };

export interface DueRule {
  readonly when: When;
  readonly timeZone: string;
  /** Due moments before the one, and from the other on, are none; null: no bound. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/** Finds due moments. */
export interface DueClock {
  /** The first one after `moment`; null: there is none any more. */
  nextAfter(moment: number): number | null;
}

/** Reads a rule; `invalid_input` names the field as the API does. */
export function openDueClock({ when, timeZone, startsAt, endsAt }: DueRule): Result<DueClock> {
  const zone = openZone(timeZone);
  if (zone === null)
    return failed("invalid_input", `time_zone: ${timeZone} is no IANA time zone, such as Europe/Lisbon`, {
      field: "time_zone",
    });
  const unbounded = unboundedClock(when, zone);
  if (!unbounded.ok) return unbounded;
  return ok({
    nextAfter(moment) {
      const next = unbounded.value(startsAt === null ? moment : Math.max(moment, startsAt - 1));
      return next === null || (endsAt !== null && next >= endsAt) ? null : next;
    },
  });
}

function unboundedClock(when: When, zone: Zone): Result<DueClock["nextAfter"]> {
  switch (when.kind) {
    case "once":
      return ok((moment) => (when.at > moment ? when.at : null));
    case "interval":
      return ok((moment) => {
        const passed = Math.floor((moment - when.anchor) / when.everyMs);
        return when.anchor + Math.max(0, passed + 1) * when.everyMs;
      });
    case "cron": {
      const rule = openCron(when.expression);
      if (!rule.ok) return { ok: false, error: { ...rule.error, field: "when.expression" } };
      return ok(rule.value.fitsEveryHour ? readings(rule.value, zone) : appointments(rule.value, zone));
    }
  }
}

/** Each wall time once. Those that clocks had read by `moment` are over, also when they are about to be read again. */
function appointments(rule: CronRule, zone: Zone): DueClock["nextAfter"] {
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

/** Each moment at which clocks read a fitting time. */
function readings(rule: CronRule, zone: Zone): DueClock["nextAfter"] {
  return (moment) => {
    let from = moment;
    let wall = toWallTime(zone, moment);
    for (;;) {
      const next = rule.nextAfter(wall);
      if (next === null) return null;
      const change = findFirstChange(zone, from, from + WIDEST_CHANGE_MS);
      const due = next - zone.offsetAt(from);
      if (change !== null && due >= change.at) [from, wall] = beginning(change);
      else if (due <= from + WIDEST_CHANGE_MS) return due;
      else {
        // No day until then fits, whatever the clocks do.
        from = due - WIDEST_CHANGE_MS;
        wall = toWallTime(zone, from);
      }
    }
  };
}

/** Where to look on from a change: its own moment may be due. */
function beginning({ at, after }: ZoneChange): [from: number, wall: number] {
  return [at, at + after - 1];
}
