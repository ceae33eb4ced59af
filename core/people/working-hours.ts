/** When a person works, by the clocks of the person's own zone. */
import { toMoment, openZone, toWallTime, type Zone } from "../base/time-zone.ts";
import type { PersonFields, WorkingHours } from "./person.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** With at least one working day in a week, the next one begins within this, whatever the clocks do. */
const DAYS_AHEAD = 9;

/** Whose time it is; hours null: at any time. */
export type Worker = Pick<PersonFields, "timeZone" | "workingHours">;

/** From `start` (included) to `end` (not included), in milliseconds since the epoch. */
interface Shift {
  readonly start: number;
  readonly end: number;
}

/** True while the person works. */
export function isWorking(worker: Worker, at: number): boolean {
  return nextWorking(worker, at) === at;
}

/** The first moment from `at` on at which the person works. */
export function nextWorking(worker: Worker, at: number): number {
  if (worker.workingHours === null) return at;
  for (const { start, end } of shifts(worker.workingHours, zoneOf(worker), at)) {
    if (at < end) return Math.max(at, start);
  }
  return at;
}

/** The moment at which the person has worked for `ms` since `from`. */
export function afterWorking(worker: Worker, from: number, ms: number): number {
  if (worker.workingHours === null) return from + ms;
  let [at, left] = [from, ms];
  while (left > 0) {
    const before = at;
    for (const { start, end } of shifts(worker.workingHours, zoneOf(worker), at)) {
      const begin = Math.max(at, start);
      const worked = Math.max(0, end - begin);
      if (worked >= left) return begin + left;
      left -= worked;
      at = Math.max(at, end);
    }
    // Hours that no clock of the zone ever shows: nobody works, so nothing is waited for.
    if (at === before) return from + ms;
  }
  return at;
}

/** A zone that the runtime has since lost counts as UTC. */
function zoneOf({ timeZone }: Worker): Zone {
  return openZone(timeZone) ?? { name: "UTC", offsetAt: () => 0 };
}

/** The shifts from the one that may have begun the day before `at` on, in order; none is empty. */
function* shifts({ days, from, to }: WorkingHours, zone: Zone, at: number): Generator<Shift> {
  const today = Math.floor(toWallTime(zone, at) / DAY_MS);
  const [begin, until] = [clockMs(from), clockMs(to)];
  for (let day = today - 1; day <= today + DAYS_AHEAD; day += 1) {
    if (!days.includes(isoWeekday(day))) continue;
    const start = toMoment(zone, day * DAY_MS + begin);
    // What ends at or before the hour that it begins at ends on the next day.
    const end = toMoment(zone, day * DAY_MS + until + (until <= begin ? DAY_MS : 0));
    if (start < end) yield { start, end };
  }
}

/** 1 for a Monday; day 0 is 1970-01-01, a Thursday. */
function isoWeekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** `09:30` in milliseconds since midnight, as the clocks read. */
function clockMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
