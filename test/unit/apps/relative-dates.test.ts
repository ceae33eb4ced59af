import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { correctMailQuery, resolveRelativeDates } from "../../../core/apps/intent/relative-dates.ts";
import { openZone, type Zone } from "../../../core/base/time-zone.ts";

const UTC = openZone("UTC") as Zone;
/** A Friday. */
const NOW = Date.parse("2026-11-27T12:00:00Z");

function days(text: string, now = NOW, zone = UTC): string[] {
  return resolveRelativeDates(text, now, zone).map(({ from, to }) => (from === to ? from : `${from} ${to}`));
}

describe("relative dates", () => {
  test.each([
    ["today", "2026-11-27"],
    ["Yesterday", "2026-11-26"],
    ["tomorrow", "2026-11-28"],
    ["last week", "2026-11-16 2026-11-22"],
    ["this week", "2026-11-23 2026-11-29"],
    ["next week", "2026-11-30 2026-12-06"],
    ["last month", "2026-10-01 2026-10-31"],
    ["next month", "2026-12-01 2026-12-31"],
    ["this quarter", "2026-10-01 2026-12-31"],
    ["last quarter", "2026-07-01 2026-09-30"],
    ["last year", "2025-01-01 2025-12-31"],
    ["last weekend", "2026-11-21 2026-11-22"],
    ["last friday", "2026-11-20"],
    ["last thursday", "2026-11-26"],
    ["last saturday", "2026-11-21"],
    ["next friday", "2026-12-04"],
    ["next monday", "2026-11-30"],
    ["this sunday", "2026-11-29"],
    ["the past 3 days", "2026-11-24 2026-11-27"],
    ["last two weeks", "2026-11-13 2026-11-27"],
    ["next 10 days", "2026-11-27 2026-12-07"],
    ["a month ago", "2026-10-27"],
    ["two weeks ago", "2026-11-13"],
    ["the lasting weekly profile", ""],
  ])("%s is %s", (text, expected) => {
    expect(days(`show mails of ${text}, please`).join()).toBe(expected);
  });

  test("in the caller's time zone", () => {
    const evening = Date.parse("2026-11-27T23:30:00Z");
    expect(days("today", evening, openZone("Asia/Tokyo") as Zone)).toEqual(["2026-11-28"]);
    expect(days("today", evening, openZone("America/Los_Angeles") as Zone)).toEqual(["2026-11-27"]);
  });

  test("the end of a shorter month", () => {
    expect(days("a month ago", Date.parse("2026-03-31T00:00:00Z"))).toEqual(["2026-02-28"]);
  });

  test("every range is in order, on any day", () => {
    const phrases = fc.constantFrom(
      "last week",
      "next month",
      "last quarter",
      "next sunday",
      "last 9 months",
      "this year",
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true }),
        phrases,
        (date, phrase) => {
          const [range] = resolveRelativeDates(phrase, date.getTime(), UTC);
          expect(range !== undefined && range.from <= range.to).toBe(true);
        },
      ),
    );
  });
});

describe("a mail search", () => {
  const week = resolveRelativeDates("mails of last week", NOW, UTC);

  test.each([
    ["from:ana after:2024/11/16 before:2024/11/23", "from:ana after:2026/11/16 before:2026/11/23"],
    ["after:2026/11/10 before:2026/11/20", "after:2026/11/16 before:2026/11/23"],
    ["before:2026-11-16 is:unread", "is:unread after:2026/11/16 before:2026/11/23"],
  ])("%s contradicts the request", (query, corrected) => {
    const found = correctMailQuery(query, week);
    expect(found?.query).toBe(corrected);
    expect(found?.note).toContain("“last week”");
  });

  test.each([
    "from:ana",
    "after:2026/11/16 before:2026/11/23",
    "after:2026/11/18 before:2026/11/19",
    "after:2026/11/16",
    'subject:"after:2020/01/01"',
    "newer_than:7d",
    "after:1700000000",
    "{after:2020/01/01 after:2021/01/01}",
    "after:2020/01/01 after:2021/01/01",
    "-after:2020/01/01",
  ])("%s stays", (query) => {
    expect(correctMailQuery(query, week)).toBeNull();
  });

  test("stays if the request has several dates, or none", () => {
    expect(correctMailQuery("after:2020/01/01", resolveRelativeDates("last week and today", NOW, UTC))).toBeNull();
    expect(correctMailQuery("after:2020/01/01", [])).toBeNull();
  });
});
