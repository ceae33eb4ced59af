/** Parses reminders in words: `me in 20 minutes to call Ana`, `@Ana every weekday at 9:00: stand-up`. */
import { failed, ok, type Result } from "../base/errors.ts";
import { storable } from "../base/storable.ts";
import type { ScheduleConfig } from "./schedule.ts";
import { toMoment, openZone, toWallTime, type Zone } from "../base/time-zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Furthest time of a reminder. */
const MAX_AHEAD_MS = 5 * 366 * DAY_MS;
const MAX_TEXT = 3_000;

/** Examples for error messages. */
const REMINDER_FORMS = [
  "me in 20 minutes to …, in 2 hours, in 3 days",
  "me at 15:30 to …, at 15:30 tomorrow, at 15:30 on 2026-11-25",
  "me tomorrow at 9 to …",
  "@Ana every day at 9:00 to …, every weekday, every monday,thursday",
] as const;

export interface ParsedReminder {
  /** The addressee as written; null for the writer. */
  readonly who: string | null;
  readonly text: string;
  readonly when: ScheduleConfig["when"];
}

const WHO = /^(me|@\S+|<@[^>\s]+>)\s+(.+)$/is;
const TEXT = String.raw`(?:\s+to\s+|\s*:\s+|\s*,\s+)(.+)$`;
const TIME = String.raw`(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?`;
const DATE = String.raw`today|tomorrow|on\s+\d{4}-\d{2}-\d{2}`;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const IN = new RegExp(String.raw`^in\s+(an?|\d{1,4})\s*(minute|min|hour|h|day|week)s?${TEXT}`, "is");
const AT = new RegExp(String.raw`^at\s+${TIME}(?:\s+(${DATE}))?${TEXT}`, "is");
const ON = new RegExp(String.raw`^(${DATE})\s+at\s+${TIME}${TEXT}`, "is");
const EVERY = new RegExp(String.raw`^every\s+([a-z]+(?:\s*(?:,|and)\s*[a-z]+)*)\s+at\s+${TIME}${TEXT}`, "is");

/** Parses words in a person's time zone. `invalid_input` shows examples. */
export function parseReminder(
  words: string,
  { now, timeZone }: { now: number; timeZone: string },
): Result<ParsedReminder> {
  const zone = openZone(timeZone);
  if (zone === null) return failed("invalid_input", `${timeZone} is not a time zone.`, { field: "time_zone" });
  const [, who = "", rest = ""] = WHO.exec(words.trim()) ?? [];
  const read = parseIn(rest, zone, now) ?? parseAt(rest, zone, now) ?? parseEvery(rest);
  if (who === "" || read === null) return failUnclear("Otto cannot read this reminder.");
  if (!read.ok) return read;
  const { text, when } = read.value;
  if (text.trim().length > MAX_TEXT) return failUnclear(`A reminder has at most ${MAX_TEXT} characters.`);
  if (when.kind === "once" && !isAhead(Date.parse(when.at), now))
    return failUnclear("That time is past, or too far away.");
  return ok({ who: who.toLowerCase() === "me" ? null : who, text: storable(text.trim()), when });
}

type Read = Result<Pick<ParsedReminder, "text" | "when">> | null;

function parseIn(words: string, zone: Zone, now: number): Read {
  const [, count, unit = "", text] = IN.exec(words) ?? [];
  if (count === undefined || text === undefined) return null;
  const many = /^an?$/i.test(count) ? 1 : Number(count);
  switch (unit.toLowerCase()) {
    case "minute":
    case "min":
      return once(now + many * MINUTE_MS, text);
    case "hour":
    case "h":
      return once(now + many * HOUR_MS, text);
    default: {
      // Days are calendar days: the same time of day, also across an offset change.
      const days = many * (unit.toLowerCase() === "week" ? 7 : 1);
      return once(toMoment(zone, toWallTime(zone, now) + days * DAY_MS), text);
    }
  }
}

function parseAt(words: string, zone: Zone, now: number): Read {
  const [, hour, minute, half, day, text] = AT.exec(words) ?? reorderGroups(ON.exec(words));
  if (hour === undefined || text === undefined) return null;
  const time = parseTime(hour, minute, half);
  if (time === null) return failUnclear("That is not a time of day.");
  const midnight = Math.floor(toWallTime(zone, now) / DAY_MS) * DAY_MS;
  const today = toMoment(zone, midnight + time);
  if (day === undefined) return once(today > now ? today : toMoment(zone, midnight + DAY_MS + time), text);
  const start = parseDay(day, midnight);
  return start === null ? failUnclear("That is not a date.") : once(toMoment(zone, start + time), text);
}

/** The groups of `ON` in the order of those of `AT`. */
function reorderGroups(found: RegExpExecArray | null): readonly (string | undefined)[] {
  const [whole, day, hour, minute, half, text] = found ?? [];
  return [whole, hour, minute, half, day, text];
}

function parseEvery(words: string): Read {
  const [, days = "", hour, minute, half, text] = EVERY.exec(words) ?? [];
  if (hour === undefined || text === undefined) return null;
  const time = parseTime(hour, minute, half);
  if (time === null) return failUnclear("That is not a time of day.");
  const list = parseDays(days);
  if (list === null) return failUnclear("That is not a day of the week.");
  const [hours, minutes] = [Math.floor(time / HOUR_MS), (time % HOUR_MS) / MINUTE_MS];
  return ok({ text, when: { kind: "cron", expression: `${minutes} ${hours} * * ${list}` } });
}

/** The cron field for `day`, `weekday` or days of the week; null when one is unknown. */
function parseDays(words: string): string | null {
  const names = words.toLowerCase().split(/\s*(?:,|\band\b)\s*/);
  if (names.length === 1 && names[0] === "day") return "*";
  if (names.length === 1 && /^weekdays?$/.test(names[0] ?? "")) return "1-5";
  const numbers = names.map((name) =>
    DAYS.findIndex((day) => name.length >= 3 && day.startsWith(name.replace(/s$/, ""))),
  );
  return numbers.includes(-1) ? null : [...new Set(numbers)].toSorted((a, b) => a - b).join(",");
}

/** Milliseconds since midnight; null for an invalid time. */
function parseTime(hour: string, minute = "0", half: string | undefined): number | null {
  const [hours, minutes] = [Number(hour), Number(minute)];
  if (minutes > 59 || hours > 23 || (half !== undefined && (hours < 1 || hours > 12))) return null;
  const isPm = half?.toLowerCase() === "pm";
  const full = half === undefined ? hours : (hours % 12) + (isPm ? 12 : 0);
  return full * HOUR_MS + minutes * MINUTE_MS;
}

/** The wall time at which a day begins; null for an invalid date. */
function parseDay(word: string, midnight: number): number | null {
  if (/^today$/i.test(word)) return midnight;
  if (/^tomorrow$/i.test(word)) return midnight + DAY_MS;
  const date = word.slice(-10);
  const start = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== date ? null : start;
}

function once(at: number, text: string): Read {
  return Number.isFinite(at)
    ? ok({ text, when: { kind: "once", at: new Date(at).toISOString() } })
    : failUnclear("That is too far away.");
}

function isAhead(at: number, now: number): boolean {
  return at > now && at < now + MAX_AHEAD_MS;
}

/** Formats a time in a time zone: `Monday 23 November 2026, 09:00 (Europe/Lisbon)`. */
export function formatMoment(at: number, timeZone: string): string {
  const parts = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  const day = new Intl.DateTimeFormat("en-GB", { ...parts, timeZone }).format(at).replace(",", "");
  const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone }).format(at);
  return `${day}, ${time} (${timeZone})`;
}

function failUnclear(why: string) {
  return failed("invalid_input", `${why} Write, for example: ${REMINDER_FORMS.join(" · ")}`, { field: "text" });
}
