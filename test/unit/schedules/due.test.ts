import { CronExpressionParser } from "cron-parser";
import { describe, expect, test } from "vitest";
import { type DueClock, type DueRule, openDueClock } from "../../../core/schedules/due.ts";
import { openZone } from "../../../core/base/time-zone.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const ZONES = ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"];

/** An expression, and the same rule as words over the fields of a wall time. */
const PATTERNS: readonly (readonly [string, (wall: Date) => boolean])[] = [
  ["30 2 * * *", (at) => at.getUTCHours() === 2 && at.getUTCMinutes() === 30],
  ["15 1 * * *", (at) => at.getUTCHours() === 1 && at.getUTCMinutes() === 15],
  ["0 0 * * *", (at) => at.getUTCHours() === 0 && at.getUTCMinutes() === 0],
  ["*/20 0-3 * * *", (at) => at.getUTCHours() <= 3 && at.getUTCMinutes() % 20 === 0],
  ["0 9 * * MON-FRI", (at) => at.getUTCHours() === 9 && at.getUTCMinutes() === 0 && at.getUTCDay() % 6 !== 0],
  ["45 23 L * *", (at) => at.getUTCHours() === 23 && at.getUTCMinutes() === 45 && isLastOfMonth(at)],
  ["0 0 29 2 *", (at) => at.getUTCMonth() === 1 && at.getUTCDate() === 29 && isMidnight(at)],
  [
    "0 2 * * 0#1",
    (at) => at.getUTCHours() === 2 && at.getUTCMinutes() === 0 && at.getUTCDay() === 0 && at.getUTCDate() <= 7,
  ],
];
/** The rules that fit every hour. */
const FREQUENT: readonly (readonly [string, (wall: Date) => boolean])[] = [
  ["*/30 * * * *", (at) => at.getUTCMinutes() % 30 === 0],
  ["50 0-23 * * SUN", (at) => at.getUTCMinutes() === 50 && at.getUTCDay() === 0],
];

function isMidnight(at: Date): boolean {
  return at.getTime() % DAY === 0;
}
function isLastOfMonth(at: Date): boolean {
  return new Date(at.getTime() + DAY).getUTCDate() === 1;
}

function ruleOf(expression: string, timeZone: string, change: Partial<DueRule> = {}): DueRule {
  return { when: { kind: "cron", expression }, timeZone, startsAt: null, endsAt: null, ...change };
}

function clockOf(rule: DueRule): DueClock {
  const clock = openDueClock(rule);
  if (!clock.ok) throw new Error(clock.error.message);
  return clock.value;
}

/** All due times from `start` on, each computed from the one before. */
function dues(clock: DueClock, start: number, end: number): number[] {
  const found: number[] = [];
  for (let next = clock.nextAfter(start - 1); next !== null && next < end; next = clock.nextAfter(next))
    found.push(next);
  return found;
}

const formatMinutes = (moments: readonly number[]) => moments.map((at) => new Date(at).toISOString().slice(0, 16));

/** A period with one offset from UTC. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The periods of a zone, as the platform reads its clocks: daily, and every quarter of an hour on days with another offset at their end. */
function spansOf(timeZone: string, start: number, end: number): Span[] {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const offsetAt = (at: number) => {
    const [year = 0, month = 1, day, hour, minute] = format
      .formatToParts(at)
      .filter(({ type }) => type !== "literal")
      .map(({ value }) => Number(value));
    return Date.UTC(year, month - 1, day, hour, minute) - at;
  };
  const starts: Omit<Span, "to">[] = [{ from: start, offset: offsetAt(start) }];
  const note = (from: number) => {
    const offset = offsetAt(from);
    if (offset !== starts.at(-1)?.offset) starts.push({ from, offset });
  };
  for (let day = start; day < end; day += DAY) {
    if (offsetAt(day + DAY) === starts.at(-1)?.offset) continue;
    for (let at = day; at <= day + DAY; at += 15 * MINUTE) note(at);
  }
  return starts.map((span, index) => ({ ...span, to: starts[index + 1]?.from ?? end }));
}

/** Every matching wall time of the two years, in any zone. */
function fitting(fits: (wall: Date) => boolean): number[] {
  const found: number[] = [];
  const wall = new Date(0);
  for (let at = start - DAY; at < end + DAY; at += MINUTE) {
    wall.setTime(at);
    if (fits(wall)) found.push(at);
  }
  return found;
}

/** Each wall time once, at the first moment whose reading has reached it. */
function keepWalls(spans: readonly Span[], walls: readonly number[]): number[] {
  const found = new Set<number>();
  let reached = start + (spans[0]?.offset ?? 0) - MINUTE;
  for (const { from, to, offset } of spans) {
    const last = to + offset - MINUTE;
    for (const wall of walls) if (wall > reached && wall <= last) found.add(Math.max(from, wall - offset));
    reached = Math.max(reached, last);
  }
  return [...found];
}

/** Each moment at which clocks read one of the wall times. */
function read(spans: readonly Span[], walls: readonly number[]): number[] {
  return spans.flatMap(({ from, to, offset }) =>
    walls.filter((wall) => wall - offset >= from && wall - offset < to).map((wall) => wall - offset),
  );
}

/** Two years with a leap day. */
const [start, end] = [Date.UTC(2027, 2, 1), Date.UTC(2029, 2, 1)];

describe("over 24 months with a leap day", () => {
  const patterns = PATTERNS.map(([expression, fits]) => ({ expression, walls: fitting(fits) }));
  const frequent = FREQUENT.map(([expression, fits]) => ({ expression, walls: fitting(fits) }));

  test("the offsets change where they should, so that the test means something", () => {
    const changes = ZONES.map((zone) => spansOf(zone, start, end).length - 1);
    expect(changes).toEqual([4, 4, 4, 0, 4]);
  });

  test.each(ZONES)("every wall time in %s is due once, and nothing else is due", (zone) => {
    const spans = spansOf(zone, start, end);
    for (const { expression, walls } of patterns) {
      const found = dues(clockOf(ruleOf(expression, zone)), start, end);
      expect(formatMinutes(found), expression).toEqual(formatMinutes(keepWalls(spans, walls)));
    }
  });

  test.each(ZONES)(
    "a rule that fits every hour is due in %s at each fitting reading",
    (zone) => {
      const spans = spansOf(zone, start, end);
      for (const { expression, walls } of frequent) {
        const wanted = read(spans, walls);
        const found = dues(clockOf(ruleOf(expression, zone)), start, end);
        expect(found.length, expression).toBe(wanted.length);
        expect(
          found.filter((at, index) => at !== wanted[index]),
          expression,
        ).toEqual([]);
      }
    },
    60_000,
  );
});

describe("at an offset change", () => {
  test.each([
    [
      "a wall time in the gap is kept after it",
      "30 2 * * *",
      "America/New_York",
      "2026-03-08T00:00Z",
      ["2026-03-08T07:00"],
    ],
    [
      "several of one gap are kept together",
      "0,20,40 2 * * *",
      "America/New_York",
      "2026-03-08T00:00Z",
      ["2026-03-08T07:00"],
    ],
    [
      "a wall time that comes twice is kept at the first",
      "30 1 * * *",
      "America/New_York",
      "2026-11-01T00:00Z",
      ["2026-11-01T05:30"],
    ],
    ["a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", ["2026-10-03T15:30"]],
    ["half an hour that comes twice", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", ["2026-04-04T14:45"]],
    ["midnight in the gap", "0 0 * * *", "America/Sao_Paulo", "2018-11-04T00:00Z", ["2018-11-04T03:00"]],
    [
      "a day that was left out",
      "0 9 * * *",
      "Pacific/Apia",
      "2011-12-30T06:00Z",
      ["2011-12-30T10:00", "2011-12-30T19:00"],
    ],
    [
      "an hourly rule where an hour comes twice",
      "0 * * * *",
      "America/New_York",
      "2026-11-01T04:30Z",
      ["2026-11-01T05:00", "2026-11-01T06:00", "2026-11-01T07:00"],
    ],
    [
      "an hourly rule where half an hour is left out",
      "0 * * * *",
      "Australia/Lord_Howe",
      "2026-10-03T14:30Z",
      ["2026-10-03T14:30", "2026-10-03T16:00", "2026-10-03T17:00"],
    ],
  ])("%s", (_, expression, zone, from, wanted) => {
    const start = Date.parse(from);
    expect(formatMinutes(dues(clockOf(ruleOf(expression, zone)), start, start + DAY)).slice(0, wanted.length)).toEqual(
      wanted,
    );
  });
});

describe("compared with cron-parser", () => {
  const years = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2028, 0, 1) };
  /** It finds no next moment at a change by half an hour, as on Lord Howe. */
  const zones = ZONES.filter((zone) => zone !== "Australia/Lord_Howe");
  const theirs = (expression: string, zone: string, { from, to }: Pick<Span, "from" | "to">) => {
    const found: number[] = [];
    const parsed = CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(from - 1) });
    for (let at = parsed.next().getTime(); at < to; at = parsed.next().getTime()) found.push(at);
    return found;
  };
  const differences = (expression: string, zone: string, time: Pick<Span, "from" | "to"> = years) => {
    const own = dues(clockOf(ruleOf(expression, zone)), time.from, time.to);
    const others = theirs(expression, zone, time);
    const [inOwn, inOthers] = [new Set(own), new Set(others)];
    return {
      own: formatMinutes(own.filter((at) => !inOthers.has(at))),
      theirs: formatMinutes(others.filter((at) => !inOwn.has(at))),
    };
  };

  test.each(zones)("all rules that touch no offset change agree in %s", (zone) => {
    for (const expression of [
      "0 9 * * MON-FRI",
      "30 12 1,15 * *",
      "0 6-22/4 * * 3",
      "5 18 L * *",
      "0 9 * * 1#1",
      "0 12 * 2 5",
    ])
      expect(differences(expression, zone), expression).toEqual({ own: [], theirs: [] });
  });

  test.each(zones)("hourly rules agree in %s in the days around each offset change", (zone) => {
    for (const { from } of spansOf(zone, years.from, years.to))
      expect(differences("0 * * * *", zone, { from: from - 2 * DAY, to: from + 2 * DAY })).toEqual({
        own: [],
        theirs: [],
      });
  });

  test("it moves a wall time in a gap by the gap, where the rule here uses the gap's end", () => {
    expect(differences("30 2 * * *", "America/New_York")).toEqual({
      own: ["2026-03-08T07:00", "2027-03-14T07:00"],
      theirs: ["2026-03-08T07:30", "2027-03-14T07:30"],
    });
  });

  test("it runs a list of minutes within a repeated hour twice", () => {
    const { own, theirs: more } = differences("*/20 1 * * *", "America/New_York");
    expect(own).toEqual([]);
    for (const at of more) expect(at).toMatch(/^20(26-11-01|27-11-07)T06/);
  });
});

describe("intervals and single times", () => {
  const anchor = Date.UTC(2026, 0, 1);

  test("an interval is counted from its anchor, across offset changes", () => {
    const when = { kind: "interval", everyMs: 90 * MINUTE, anchor } as const;
    const clock = clockOf({ when, timeZone: "America/New_York", startsAt: null, endsAt: null });
    expect(clock.nextAfter(anchor - DAY)).toBe(anchor);
    expect(clock.nextAfter(anchor)).toBe(anchor + 90 * MINUTE);
    const [after] = dues(clock, anchor + 400 * DAY, anchor + 401 * DAY);
    expect(((after ?? 0) - anchor) % (90 * MINUTE)).toBe(0);
  });

  test("a single time is due once", () => {
    const clock = clockOf({ when: { kind: "once", at: anchor }, timeZone: "UTC", startsAt: null, endsAt: null });
    expect(clock.nextAfter(anchor - 1)).toBe(anchor);
    expect(clock.nextAfter(anchor)).toBeNull();
  });

  test("nothing is due before the start, nor from the end on", () => {
    const bounds = { startsAt: anchor + DAY, endsAt: anchor + 2 * DAY };
    const found = dues(clockOf(ruleOf("0 */12 * * *", "UTC", bounds)), anchor, anchor + 9 * DAY);
    expect(formatMinutes(found)).toEqual(["2026-01-02T00:00", "2026-01-02T12:00"]);
  });
});

describe("an invalid rule", () => {
  test.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "0 24 * * *",
    "0 9 * * 8",
    "0 9 * * MON-",
    "5/15 * * * *",
    "0 9 ? * *",
    "0 9 * * +1",
    "@reboot",
    "a b c d e",
    "0 22-2 * * *",
    `${"1,".repeat(200)}1 * * * *`,
  ])("is rejected: %s", (expression) => {
    expect(openDueClock(ruleOf(expression, "UTC"))).toMatchObject({
      ok: false,
      error: { code: "invalid_input", field: "when.expression" },
    });
  });

  test.each(["Mars/Olympus", "", "+02:00", "Europe/Lisbon "])("is rejected for its zone: %s", (zone) => {
    expect(openZone(zone)).toBeNull();
    expect(openDueClock(ruleOf("@daily", zone))).toMatchObject({ ok: false, error: { field: "time_zone" } });
  });

  test("that is never due has no next time", () => {
    expect(clockOf(ruleOf("0 0 31 2 *", "UTC")).nextAfter(0)).toBeNull();
  });
});
