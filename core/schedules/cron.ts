/**
 * Parses cron expressions of five fields: minute, hour, day of the month, month, day of the week. `croner` computes
 * wall times as if they were UTC; `due.ts` converts them to the time zone.
 */
import { Cron } from "croner";
import { failed, ok, type Result } from "../base/errors.ts";

export const MAX_EXPRESSION = 200;
const NICKNAMES: ReadonlySet<string> = new Set(["@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"]);
/** croner's other characters, such as `?` and `+`, have another meaning in other crons. */
const CHARACTERS = /^[0-9A-Za-z*,/#\s-]+$/;
const FORM =
  "Write five fields, minute hour day-of-month month day-of-week, such as `0 9 * * MON-FRI`; there are lists, ranges, steps, names, L, W and #.";
const HOURS = 24;

export interface CronRule {
  /** The first matching wall time after this one; null without one. */
  nextAfter(wall: number): number | null;
  /** True for a rule that runs hourly or more often: each matching day has a matching time in every hour. */
  readonly fitsEveryHour: boolean;
}

/**
 * Parses an expression; `invalid_input` explains the problem. A day matches when either of its two fields matches,
 * unless one is `*`.
 */
export function parseCron(expression: string): Result<CronRule> {
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
    fitsEveryHour: text === "@hourly" || (!isNickname && parseHours(fields[1] ?? "").size === HOURS),
  });
}

/** The hours of a valid field. */
function parseHours(field: string): Set<number> {
  const hours = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first = "0", last = first] = range === "*" ? ["0", String(HOURS - 1)] : range.split("-");
    for (let hour = Number(first); hour <= Number(last); hour += Number(step)) hours.add(hour);
  }
  return hours;
}
