/** A person's working hours in the person's own time zone. */
import { toMoment, openZone, toWallTime, type Zone } from "../base/time-zone.ts";
import type { PersonFields, WorkingHours } from "./person.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** With at least one working day a week, the next one begins within this many days, also across an offset change. */
const DAYS_AHEAD = 9;

/** Whose hours; null hours mean always. */
export type Worker = Pick<PersonFields, "timeZone" | "workingHours">;

/** From `start` (inclusive) to `end` (exclusive), in milliseconds since the epoch. */
interface Shift {
  readonly start: number;
  readonly end: number;
}

/** True during working hours. */
export function isWorking(worker: Worker, at: number): boolean {
  return findNextWorking(worker, at) === at;
}

/** The first working time from `at` on. */
export function findNextWorking(worker: Worker, at: number): number {
  if (worker.workingHours === null) return at;
  for (const { start, end } of listShifts(worker.workingHours, getZone(worker), at)) {
    if (at < end) return Math.max(at, start);
  }
  return at;
}

/** The time at which the person has worked for `ms` since `from`. */
export function addWorkingTime(worker: Worker, from: number, ms: number): number {
  if (worker.workingHours === null) return from + ms;
  let [at, left] = [from, ms];
  while (left > 0) {
    const before = at;
    for (const { start, end } of listShifts(worker.workingHours, getZone(worker), at)) {
      const begin = Math.max(at, start);
      const worked = Math.max(0, end - begin);
      if (worked >= left) return begin + left;
      left -= worked;
      at = Math.max(at, end);
    }
    // Hours that the zone's clocks never show: there is no working time to wait for.
    if (at === before) return from + ms;
  }
  return at;
}

/** A zone that the runtime no longer has counts as UTC. */
function getZone({ timeZone }: Worker): Zone {
  return openZone(timeZone) ?? { name: "UTC", offsetAt: () => 0 };
}

/** The shifts in order, from the one that may have begun the day before `at`; none is empty. */
function* listShifts({ days, from, to }: WorkingHours, zone: Zone, at: number): Generator<Shift> {
  const today = Math.floor(toWallTime(zone, at) / DAY_MS);
  const [begin, until] = [parseClock(from), parseClock(to)];
  for (let day = today - 1; day <= today + DAYS_AHEAD; day += 1) {
    if (!days.includes(getIsoWeekday(day))) continue;
    const start = toMoment(zone, day * DAY_MS + begin);
    // A shift that ends at or before its start ends on the next day.
    const end = toMoment(zone, day * DAY_MS + until + (until <= begin ? DAY_MS : 0));
    if (start < end) yield { start, end };
  }
}

/** 1 for a Monday; day 0 is 1970-01-01, a Thursday. */
function getIsoWeekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Milliseconds since midnight of a wall time such as `09:30`. */
function parseClock(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
