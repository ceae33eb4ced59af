/** How often something is due, as people say it, and as the API writes it. */
import type { Schedule } from "../../api/types.generated.ts";
import type { Faults } from "../../ui/faults.ts";
import { readNumber } from "../../ui/typed-number.ts";
import { daysInWords } from "../../ui/weekday-words.ts";
import { momentOf, offsetWord, wallText } from "./zoned-time.ts";

type When = Schedule["when"];

export const RHYTHMS = {
  daily: "Every day at a time",
  weekdays: "Monday to Friday at a time",
  weekly: "On days of the week at a time",
  monthly: "On a day of every month",
  hourly: "Every hour",
  interval: "Every so many minutes, hours or days",
  once: "Once",
  cron: "By a cron expression",
} as const;
export type Rhythm = keyof typeof RHYTHMS;

export const UNITS = { minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** The fields' values; only those of the chosen rhythm count. */
export interface WhenDraft {
  readonly rhythm: Rhythm;
  /** `09:00` */
  readonly time: string;
  /** 1 is Monday. */
  readonly days: readonly number[];
  /** 1 to 31, or `L`: the last one. */
  readonly monthDay: string;
  readonly minute: string;
  readonly every: string;
  readonly unit: Unit;
  /** The moment from which intervals are counted, as the API wrote it; empty: none is set. */
  readonly anchor: string;
  /** A wall time of the schedule's zone. */
  readonly at: string;
  readonly expression: string;
}

export const NEW_WHEN: WhenDraft = {
  rhythm: "daily",
  time: "09:00",
  days: [1],
  monthDay: "1",
  minute: "0",
  every: "30",
  unit: "minutes",
  anchor: "",
  at: "",
  expression: "0 9 * * MON-FRI",
};

/** Names of cron by their days, Monday first. */
const CRON_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
const WORKDAYS = "1,2,3,4,5";

export function draftOfWhen(when: When, zone: string): WhenDraft {
  switch (when.kind) {
    case "once":
      return { ...NEW_WHEN, rhythm: "once", at: wallText(zone, Date.parse(when.at)) };
    case "interval": {
      const { every_seconds: seconds, anchor = "" } = when;
      const unit = (["days", "hours", "minutes"] as const).find((one) => seconds % UNITS[one] === 0) ?? "minutes";
      return { ...NEW_WHEN, rhythm: "interval", every: String(seconds / UNITS[unit]), unit, anchor };
    }
    case "cron":
      return { ...NEW_WHEN, expression: when.expression, ...readExpression(when.expression) };
  }
}

type Read = { readonly ok: true; readonly when: When } | { readonly ok: false; readonly faults: Faults };

export function readWhen(draft: WhenDraft, zone: string): Read {
  switch (draft.rhythm) {
    case "once": {
      const at = momentOf(zone, draft.at);
      if (at === null) return fault("when.at", "Choose a day and a time.");
      return { ok: true, when: { kind: "once", at: new Date(at).toISOString() } };
    }
    case "interval": {
      const every = readNumber(draft.every, { isWhole: false });
      if (every.kind === "fault") return fault("when.every_seconds", every.fault);
      const seconds = every.kind === "none" ? 0 : Math.round(every.value * UNITS[draft.unit]);
      if (!(seconds >= UNITS.minutes)) return fault("when.every_seconds", "Write a number; a minute is the least.");
      const anchor = draft.anchor === "" ? {} : { anchor: draft.anchor };
      return { ok: true, when: { kind: "interval", every_seconds: seconds, ...anchor } };
    }
    case "cron":
      return draft.expression.trim() === ""
        ? fault("when.expression", "Write an expression of five fields.")
        : cron(draft.expression.trim());
    case "hourly":
      return /^[0-5]?\d$/.test(draft.minute.trim())
        ? cron(`${Number(draft.minute)} * * * *`)
        : fault("when.minute", "Write a minute from 0 to 59.");
    case "daily":
    case "weekdays":
    case "weekly":
    case "monthly":
      return readAtTime(draft);
  }
}

function readAtTime({ rhythm, time, days, monthDay }: WhenDraft): Read {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) return fault("when.time", "Choose a time.");
  const clock = `${Number(minute)} ${Number(hour)}`;
  if (rhythm === "weekdays") return cron(`${clock} * * MON-FRI`);
  if (rhythm === "monthly") return cron(`${clock} ${monthDay} * *`);
  if (rhythm !== "weekly") return cron(`${clock} * * *`);
  if (days.length === 0) return fault("when.days", "Choose a day at least.");
  return cron(`${clock} * * ${days.map((day) => CRON_DAYS[day - 1]).join(",")}`);
}

/** What the form has a choice for; an expression of another form is shown as it is. */
function readExpression(expression: string): Partial<WhenDraft> & { readonly rhythm: Rhythm } {
  const [minute = "", hour = "", monthDay = "", month = "", days = "", ...rest] = expression.trim().split(/\s+/);
  const isPlain = rest.length === 0 && month === "*" && isBelow(minute, 60);
  if (!isPlain) return { rhythm: "cron" };
  if (hour === "*" && monthDay === "*" && days === "*") return { rhythm: "hourly", minute: String(Number(minute)) };
  if (!isBelow(hour, 24)) return { rhythm: "cron" };
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (days === "*") {
    if (monthDay === "*") return { rhythm: "daily", time };
    const isDay = monthDay === "L" || (isBelow(monthDay, 32) && Number(monthDay) > 0);
    return isDay ? { rhythm: "monthly", time, monthDay: monthDay.replace(/^0/, "") } : { rhythm: "cron" };
  }
  const chosen = monthDay === "*" ? readDays(days) : null;
  if (chosen === null) return { rhythm: "cron" };
  return chosen.join() === WORKDAYS ? { rhythm: "weekdays", time } : { rhythm: "weekly", time, days: chosen };
}

/** Days of a list of names, numbers and ranges; null for anything else. */
function readDays(field: string): number[] | null {
  const days = new Set<number>();
  for (const part of field.split(",")) {
    const [first, last = first] = part.split("-").map(parseDay);
    if (first == null || last == null || last < first) return null;
    for (let day = first; day <= last; day += 1) days.add(day);
  }
  return [...days].toSorted((one, other) => one - other);
}

function parseDay(text: string): number | null {
  const named = CRON_DAYS.findIndex((name) => name === text.toUpperCase());
  if (named !== -1) return named + 1;
  if (!/^[0-7]$/.test(text)) return null;
  return text === "0" ? 7 : Number(text);
}

/** A schedule's rule in words: "every weekday at 09:00 in Europe/Berlin". */
export function whenInWords(when: When, zone: string): string {
  const place = ` in ${zone.replaceAll("_", " ")}`;
  const draft = draftOfWhen(when, zone);
  switch (draft.rhythm) {
    case "daily":
      return `every day at ${draft.time}${place}`;
    case "weekdays":
      return `every weekday at ${draft.time}${place}`;
    case "weekly":
      return `${draft.days.length === 7 ? "" : "every "}${daysInWords(draft.days)} at ${draft.time}${place}`;
    case "monthly":
      return `on ${draft.monthDay === "L" ? "the last day" : `day ${draft.monthDay}`} of every month at ${draft.time}${place}`;
    case "hourly":
      return `every hour at minute ${draft.minute}${place}`;
    case "interval":
      return draft.every === "1" ? `every ${draft.unit.slice(0, -1)}` : `every ${draft.every} ${draft.unit}`;
    case "once":
      return `once, on ${momentInWords(when.kind === "once" ? when.at : "", zone)}${place}`;
    case "cron":
      return `by ${draft.expression}${place}`;
  }
}

/** "Mon, Nov 23, 2026, 09:00" in the local time of a zone. */
export function momentInWords(at: string, zone: string): string {
  const wall = Date.parse(`${wallText(zone, Date.parse(at))}Z`);
  return moment.format(wall).replace(" at ", ", ");
}

/** The same with the offset, which tells summer time from winter time. */
export function exactInWords(at: string, zone: string): string {
  return `${momentInWords(at, zone)} (${offsetWord(zone, Date.parse(at))})`;
}

const moment = new Intl.DateTimeFormat("en", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

function cron(expression: string): Read {
  return { ok: true, when: { kind: "cron", expression } };
}

function fault(field: string, message: string): Read {
  return { ok: false, faults: { [field]: message } };
}

function isBelow(text: string, bound: number): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) < bound;
}
