/** How often a codebase is indexed again: `6h`, `2d`, or a cron expression in UTC. */
import { failed, ok, type Result } from "../base/errors.ts";
import { type DueClock, openDueClock } from "../schedules/due.ts";

const HOUR_MS = 3_600_000;
const MIN_HOURS = 1;
const MAX_HOURS = 7 * 24;
export const MAX_RULE_CHARACTERS = 100;
const INTERVAL = /^([1-9]\d{0,2})([hd])$/;
/** The minute of a cron expression that is due once an hour at most. */
const ONE_MINUTE = /^(?:[0-5]?\d\s|@)/;

/** `invalid_input` says what a rule is. `from`: the time from which an interval is counted, in milliseconds since the epoch. */
function openReindexRule(every: string, from: number): Result<DueClock> {
  const text = every.trim();
  const [, count, unit] = INTERVAL.exec(text) ?? [];
  const bounds = { timeZone: "UTC", startsAt: null, endsAt: null };
  if (count !== undefined) {
    const hours = Number(count) * (unit === "d" ? 24 : 1);
    if (hours < MIN_HOURS || hours > MAX_HOURS) return refuse("An interval is from 1h to 7d.");
    return openDueClock({ when: { kind: "interval", everyMs: hours * HOUR_MS, anchor: from }, ...bounds });
  }
  const clock = openDueClock({ when: { kind: "cron", expression: text }, ...bounds });
  if (!clock.ok) return refuse(`Write an interval from 1h to 7d, or a cron expression. ${clock.error.message}`);
  if (!ONE_MINUTE.test(text)) return refuse("A cron expression has one minute, because once an hour is the most.");
  return ok(clock.value);
}

/** When a codebase with this rule is due next; null: never. `invalid_input` says what a rule is, with the field `every`. */
export function findNextReindex(every: string | null, now: number): Result<number | null> {
  if (every === null) return ok(null);
  const clock = openReindexRule(every, now);
  return clock.ok ? ok(clock.value.nextAfter(now)) : clock;
}

function refuse(why: string): Result<never> {
  return failed("invalid_input", why, { field: "every" });
}
