/** A month as a grid of weeks that begin on Monday, and what is due on its days. Months are `2026-11`, days `2026-11-23`. */
import { momentOf, wallText } from "./zoned-time.ts";

const DAY_MS = 86_400_000;
const WEEK = 7;

interface GridDay {
  readonly day: string;
  readonly isInMonth: boolean;
}

export function monthGrid(month: string): readonly (readonly GridDay[])[] {
  const first = Date.parse(`${month}-01T00:00Z`);
  const next = Date.parse(`${shiftMonth(month, 1)}-01T00:00Z`);
  const monday = first - ((new Date(first).getUTCDay() + 6) % WEEK) * DAY_MS;
  const weeks: GridDay[][] = [];
  for (let start = monday; start < next; start += WEEK * DAY_MS) {
    weeks.push(
      Array.from({ length: WEEK }, (_, index) => {
        const day = new Date(start + index * DAY_MS).toISOString().slice(0, 10);
        return { day, isInMonth: day.startsWith(month) };
      }),
    );
  }
  return weeks;
}

export function shiftMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

export function monthOf(zone: string, at: number): string {
  return wallText(zone, at).slice(0, 7);
}

/** The moments by the day on which clocks of the zone read them. */
export function dueByDay(zone: string, moments: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(moments, (moment) => wallText(zone, Date.parse(moment)).slice(0, 10));
}

/** From and to of a month that is between two bounds; null when nothing of it is. */
export function monthBounds(
  zone: string,
  month: string,
  { startsAt, endsAt }: { readonly startsAt: string | undefined; readonly endsAt: string | undefined },
): { readonly from: string; readonly to: string } | null {
  const first = momentOf(zone, `${month}-01T00:00`) ?? 0;
  const next = momentOf(zone, `${shiftMonth(month, 1)}-01T00:00`) ?? 0;
  const from = Math.max(first, startsAt === undefined ? first : Date.parse(startsAt));
  const to = Math.min(next, endsAt === undefined ? next : Date.parse(endsAt));
  return from < to ? { from: new Date(from).toISOString(), to: new Date(to).toISOString() } : null;
}

const monthName = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const dayName = new Intl.DateTimeFormat("en", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** "November 2026" */
export function monthWord(month: string): string {
  return monthName.format(Date.parse(`${month}-01T00:00Z`));
}

/** "Monday, November 23, 2026" */
export function dayWord(day: string): string {
  return dayName.format(Date.parse(`${day}T00:00Z`));
}
