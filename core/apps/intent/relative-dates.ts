/**
 * Dates that a request names relative to today, such as “last week”, in the caller's time zone. A model reads
 * them resolved (`hints.ts`), and a mail search whose dates contradict the request is corrected before its arguments are
 * hashed (`core/steps/mail-search.ts`).
 *
 * A week begins on Monday. A range includes its first and its last day.
 */
import { toWallTime, type Zone } from "../../base/time-zone.ts";

/** Days as `YYYY-MM-DD`. */
export interface DateRange {
  /** As the request says it, in lower case. */
  readonly phrase: string;
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const COUNT = `\\d{1,3}|${NUMBERS.slice(1).join("|")}`;
const PHRASE = new RegExp(
  String.raw`\b(?:(?<day>today|yesterday|tomorrow)|(?<which>last|past|previous|this|next|coming) (?:(?<count>${COUNT}) (?<counted>days?|weeks?|months?)|(?<unit>week|month|quarter|year|weekend|${DAYS.join("|")}))|(?<ago>${COUNT}|a) (?<before>days?|weeks?|months?) ago)\b`,
  "gi",
);
/** The most phrases of a request. */
const MAX_PHRASES = 10;

/** Finds the different relative dates of a text that was written at `now` (milliseconds since the epoch). */
export function resolveRelativeDates(text: string, now: number, zone: Zone): DateRange[] {
  const today = Math.floor(toWallTime(zone, now) / DAY_MS);
  const ranges = new Map<string, DateRange>();
  for (const { 0: phrase, groups = {} } of text.replaceAll(/\s+/g, " ").matchAll(PHRASE)) {
    const [from, to] = resolve(groups, today);
    const named = phrase.toLowerCase();
    ranges.set(named, { phrase: named, from: formatDay(from), to: formatDay(to) });
    if (ranges.size === MAX_PHRASES) break;
  }
  return [...ranges.values()];
}

/** First and last day, counted from the epoch. */
type Days = readonly [from: number, to: number];
type Groups = Readonly<Record<string, string | undefined>>;

function resolve({ day, which, count, counted, unit, ago, before }: Groups, today: number): Days {
  if (day !== undefined) {
    const at = today + ({ yesterday: -1, tomorrow: 1 }[day.toLowerCase()] ?? 0);
    return [at, at];
  }
  if (ago !== undefined) {
    const at = shift(today, -toNumber(ago), before ?? "");
    return [at, at];
  }
  const direction = toDirection(which ?? "");
  if (count !== undefined) {
    const end = shift(today, (direction === 1 ? 1 : -1) * toNumber(count), counted ?? "");
    return direction === 1 ? [today, end] : [end, today];
  }
  return resolveUnit((unit ?? "").toLowerCase(), direction, today);
}

function toDirection(which: string): -1 | 0 | 1 {
  if (which.toLowerCase() === "this") return 0;
  return ["next", "coming"].includes(which.toLowerCase()) ? 1 : -1;
}

function resolveUnit(unit: string, direction: -1 | 0 | 1, today: number): Days {
  const monday = today - ((getWeekday(today) + 6) % 7);
  switch (unit) {
    case "week":
      return [monday + 7 * direction, monday + 7 * direction + 6];
    case "weekend":
      return [monday + 7 * direction + 5, monday + 7 * direction + 6];
    case "month":
      return getMonths(today, direction, 1);
    case "quarter":
      return getMonths(today, 3 * direction, 3);
    case "year":
      return getMonths(today, 12 * direction, 12);
    default:
      return resolveWeekday(DAYS.indexOf(unit), direction, { today, monday });
  }
}

/** “Last Friday” is the one before today, “next Friday” the one after it, “this Friday” that of this week. */
function resolveWeekday(
  weekday: number,
  direction: -1 | 0 | 1,
  { today, monday }: { today: number; monday: number },
): Days {
  if (direction === 0) {
    const at = monday + ((weekday + 6) % 7);
    return [at, at];
  }
  const distance = (((weekday - getWeekday(today)) * direction + 13) % 7) + 1;
  const at = today + direction * distance;
  return [at, at];
}

/** The block of `length` months that contains today, moved by `offset` months. */
function getMonths(today: number, offset: number, length: number): Days {
  const date = new Date(today * DAY_MS);
  const first = Math.floor(date.getUTCMonth() / length) * length + offset;
  const year = date.getUTCFullYear();
  return [toDay(year, first, 1), toDay(year, first + length, 1) - 1];
}

function shift(today: number, count: number, unit: string): number {
  if (unit.toLowerCase().startsWith("day")) return today + count;
  if (unit.toLowerCase().startsWith("week")) return today + 7 * count;
  const date = new Date(today * DAY_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
  // 31 March less a month is the last day of February.
  return Math.min(toDay(year, month, date.getUTCDate()), toDay(year, month + 1, 1) - 1);
}

function toDay(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month, day) / DAY_MS);
}

function getWeekday(day: number): number {
  return new Date(day * DAY_MS).getUTCDay();
}

function toNumber(text: string): number {
  const named = NUMBERS.indexOf(text.toLowerCase());
  return text.toLowerCase() === "a" ? 1 : named > 0 ? named : Number(text);
}

function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A search that was corrected. */
export interface CorrectedQuery {
  readonly query: string;
  /** For the model, in one sentence. */
  readonly note: string;
}

const BOUND = /^(after|before):(\d{4})[/-](\d{1,2})[/-](\d{1,2})$/i;
const TOKEN = /"[^"]*"|\S+/g;

/**
 * Corrects `after:` and `before:` of a mail search that lie outside the one relative date of the request. Null if the
 * search needs no correction, has no dates, or says something more intricate: several of a kind, groups, times.
 */
export function correctMailQuery(query: string, ranges: readonly DateRange[]): CorrectedQuery | null {
  const [range] = ranges;
  if (range === undefined || ranges.length > 1 || /[{}()]/.test(query)) return null;
  const tokens = query.match(TOKEN) ?? [];
  const bounds = tokens.flatMap((token) => readBound(token) ?? []);
  const kinds = new Set(bounds.map(({ kind }) => kind));
  if (bounds.length === 0 || kinds.size < bounds.length) return null;
  const [first, end] = [toDayNumber(range.from), toDayNumber(range.to) + 1];
  // `before:` excludes its day.
  if (bounds.every(({ day, kind }) => (kind === "after" ? day >= first && day < end : day > first && day <= end))) {
    return null;
  }
  const rest = tokens.filter((token) => readBound(token) === null);
  const dates = `after:${toGmail(first)} before:${toGmail(end)}`;
  const note = `The dates of the search were corrected to ${dates}, because the request says “${range.phrase}”.`;
  return { query: [...rest, dates].join(" "), note };
}

interface Bound {
  readonly kind: "after" | "before";
  readonly day: number;
}

function readBound(token: string): Bound | null {
  const [, kind, year, month, day] = BOUND.exec(token) ?? [];
  if (kind === undefined) return null;
  return {
    kind: kind.toLowerCase() === "after" ? "after" : "before",
    day: toDay(Number(year), Number(month) - 1, Number(day)),
  };
}

function toDayNumber(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

function toGmail(day: number): string {
  return formatDay(day).replaceAll("-", "/");
}
