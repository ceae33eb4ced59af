/**
 * Cron expressions of five fields: minute, hour, day of the month, month, day of the week. `croner` does the calendar, and
 * only that: it is asked for wall times as if they were UTC, and `due.ts` says when clocks read them.
 */
import { Cron } from "croner";
import { failed, ok, type Result } from "../base/errors.ts";

export const MAX_EXPRESSION = 200;
const NICKNAMES: ReadonlySet<string> = new Set(["@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"]);
/** What croner knows beyond this, such as `?` and `+`, means something else in other crons. */
const CHARACTERS = /^[0-9A-Za-z*,/#\s-]+$/;
const FORM =
  "Write five fields, minute hour day-of-month month day-of-week, such as `0 9 * * MON-FRI`; there are lists, ranges, steps, names, L, W and #.";
const HOURS = 24;

export interface CronRule {
  /** The first wall time after this one that fits; null: none ever does. */
  nextAfter(wall: number): number | null;
  /** True for one that goes by the hour, or by less: a day that fits has a fitting time in every hour. */
  readonly fitsEveryHour: boolean;
}

/** Reads an expression; `invalid_input` says what is wrong with it. A day is in it when either of its two fields fits, unless one is `*`. */
export function openCron(expression: string): Result<CronRule> {
  const text = expression.trim();
  const isNickname = NICKNAMES.has(text);
  if (text.length > MAX_EXPRESSION || !(isNickname || CHARACTERS.test(text))) return failed("invalid_input", FORM);
  const fields = text.split(/\s+/);
  if (!isNickname && fields.length !== 5) return failed("invalid_input", FORM);
  let cron: Cron;
  try {
    cron = new Cron(text, { mode: "5-part", utcOffset: 0, paused: true });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.replace(/^CronPattern: /, "") : "";
    return failed("invalid_input", `${why} ${FORM}`.trim());
  }
  return ok({
    nextAfter: (wall) => cron.nextRun(new Date(wall))?.getTime() ?? null,
    fitsEveryHour: text === "@hourly" || (!isNickname && hoursOf(fields[1] ?? "").size === HOURS),
  });
}

/** The hours of a field that was found to be well formed. */
function hoursOf(field: string): Set<number> {
  const hours = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first = "0", last = first] = range === "*" ? ["0", String(HOURS - 1)] : range.split("-");
    for (let hour = Number(first); hour <= Number(last); hour += Number(step)) hours.add(hour);
  }
  return hours;
}
