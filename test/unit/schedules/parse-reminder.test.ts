import { describe, expect, test } from "vitest";
import { parseReminder, formatMoment } from "../../../core/schedules/parse-reminder.ts";

/** A Saturday, 23:30 in Lisbon. */
const now = Date.parse("2026-11-21T23:30:00Z");
const read = (words: string, timeZone = "Europe/Lisbon", at = now) => parseReminder(words, { now: at, timeZone });

test.each([
  ["2026-11-23T09:00:00Z", "Europe/Lisbon", "Monday 23 November 2026, 09:00 (Europe/Lisbon)"],
  ["2026-11-23T00:30:00Z", "America/New_York", "Sunday 22 November 2026, 19:30 (America/New_York)"],
  ["2027-06-30T18:15:00Z", "Asia/Kathmandu", "Thursday 1 July 2027, 00:00 (Asia/Kathmandu)"],
])("formats the time %s in %s", (at, timeZone, words) => {
  expect(formatMoment(Date.parse(at), timeZone)).toBe(words);
});

describe("a reminder in words", () => {
  test.each([
    ["me in 20 minutes to call Ana", null, "call Ana", "2026-11-21T23:50:00.000Z"],
    ["me in an hour: water the plants", null, "water the plants", "2026-11-22T00:30:00.000Z"],
    ["@Ana in 2 hours to pay", "@Ana", "pay", "2026-11-22T01:30:00.000Z"],
    ["<@U123> in 3 days to pay", "<@U123>", "pay", "2026-11-24T23:30:00.000Z"],
    ["ME AT 15:30 TO rest", null, "rest", "2026-11-22T15:30:00.000Z"],
    ["me at 23:45 to sleep", null, "sleep", "2026-11-21T23:45:00.000Z"],
    ["me at 9 tomorrow to wake: really", null, "wake: really", "2026-11-22T09:00:00.000Z"],
    ["me tomorrow at 9pm to dance\nand sing", null, "dance\nand sing", "2026-11-22T21:00:00.000Z"],
    ["me at 12am on 2026-11-25: x", null, "x", "2026-11-25T00:00:00.000Z"],
    ["me on 2026-12-24 at 18.05 to give", null, "give", "2026-12-24T18:05:00.000Z"],
  ])("is due once: %s", (words, who, text, at) => {
    expect(read(words)).toEqual({ ok: true, value: { who, text, when: { kind: "once", at } } });
  });

  test.each([
    ["me every day at 9:00 to stand up", "0 9 * * *"],
    ["me every weekday at 17:45: go home", "45 17 * * 1-5"],
    ["@Ana every monday,thursday at 8am to plan", "0 8 * * 1,4"],
    ["@Ana every fri and tue at 8 to plan", "0 8 * * 2,5"],
    ["me every sundays at 0:30 to rest", "30 0 * * 0"],
  ])("is due repeatedly: %s", (words, expression) => {
    expect(read(words)).toMatchObject({ ok: true, value: { when: { kind: "cron", expression } } });
  });

  test("is stored without characters that Postgres rejects", () => {
    expect(read("me in 20 minutes to call\u0000 Ana \ud83d")).toMatchObject({
      value: { text: "call\ufffd Ana \ufffd" },
    });
  });

  test("counts days by the person's clocks, and hours by real time", () => {
    const before = Date.parse("2026-03-28T12:00:00Z");
    expect(read("me in 1 day to x", "Europe/Lisbon", before)).toMatchObject({
      value: { when: { at: "2026-03-29T11:00:00.000Z" } },
    });
    expect(read("me in 24 hours to x", "Europe/Lisbon", before)).toMatchObject({
      value: { when: { at: "2026-03-29T12:00:00.000Z" } },
    });
    expect(read("me at 9 to x", "Asia/Kolkata")).toMatchObject({ value: { when: { at: "2026-11-22T03:30:00.000Z" } } });
  });

  test.each([
    "",
    "me",
    "me to x",
    "me in to x",
    "me soon to x",
    "in 5 minutes to x",
    "me in 5 minutes",
    "me in 5 minutes to ",
    "me at 25:00 to x",
    "me at 9:75 to x",
    "me at 13pm to x",
    "me at 9 on 2026-02-30 to x",
    "me at 9 today to x",
    "me at 9 on 1999-01-01 to x",
    "me every noon at 9 to x",
    "me every day to x",
    "me in 9999 weeks to x",
    `me in 1 minute to ${"x".repeat(3001)}`,
  ])("that is unclear is rejected with examples: %s", (words) => {
    expect(read(words)).toMatchObject({
      ok: false,
      error: { code: "invalid_input", message: expect.stringContaining("me tomorrow at 9 to"), field: "text" },
    });
  });

  test("is parsed in linear time", () => {
    for (const words of [
      `me every ${"monday,".repeat(500)}`,
      `me at ${" ".repeat(5000)}`,
      `me in 1${" ".repeat(5000)}x`,
    ])
      expect(read(words).ok).toBe(false);
  });
});
