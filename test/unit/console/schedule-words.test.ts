import { describe, expect, it } from "vitest";
import {
  draftOfWhen,
  momentInWords,
  NEW_WHEN,
  readWhen,
  whenInWords,
} from "../../../web/src/pages/schedules/rhythm.ts";
import { whyInWords } from "../../../web/src/pages/schedules/occurrence-words.ts";
import { daysInWords } from "../../../web/src/ui/weekday-words.ts";

const cron = (expression: string) => ({ kind: "cron", expression }) as const;
const every = (every_seconds: number) => ({ kind: "interval", every_seconds }) as const;

describe("a schedule's rule", () => {
  it.each([
    [cron("0 9 * * *"), "every day at 09:00 in Europe/Berlin"],
    [cron("0 9 * * MON-FRI"), "every weekday at 09:00 in Europe/Berlin"],
    [cron("5 17 * * 1-5"), "every weekday at 17:05 in Europe/Berlin"],
    [cron("30 8 * * mon,WED,5"), "every Mon, Wed, Fri at 08:30 in Europe/Berlin"],
    [cron("0 10 * * 0,6"), "every Sat, Sun at 10:00 in Europe/Berlin"],
    [cron("0 6 1 * *"), "on day 1 of every month at 06:00 in Europe/Berlin"],
    [cron("0 6 L * *"), "on the last day of every month at 06:00 in Europe/Berlin"],
    [cron("15 * * * *"), "every hour at minute 15 in Europe/Berlin"],
    [cron("*/15 9-17 * * MON-FRI"), "by */15 9-17 * * MON-FRI in Europe/Berlin"],
    [cron("0 9 1 * MON"), "by 0 9 1 * MON in Europe/Berlin"],
    [cron("0 9 * 3 *"), "by 0 9 * 3 * in Europe/Berlin"],
    [cron("0 9 * * MON#1"), "by 0 9 * * MON#1 in Europe/Berlin"],
    [cron("0 9 0 * *"), "by 0 9 0 * * in Europe/Berlin"],
    [cron("@daily"), "by @daily in Europe/Berlin"],
    [every(60), "every minute"],
    [every(5_400), "every 90 minutes"],
    [every(7_200), "every 2 hours"],
    [every(86_400), "every day"],
    [{ kind: "once", at: "2026-12-24T17:00:00.000Z" }, "once, on Thu, Dec 24, 2026, 18:00 in Europe/Berlin"],
  ] as const)("%j is said as %s", (when, words) => {
    expect(whenInWords(when, "Europe/Berlin")).toBe(words);
  });

  it.each([
    cron("0 9 * * *"),
    cron("0 9 * * MON-FRI"),
    cron("30 8 * * MON,WED"),
    cron("0 6 31 * *"),
    cron("0 6 L * *"),
    cron("15 * * * *"),
    cron("*/7 1-3 * JAN-MAR SUN"),
    every(60),
    every(90),
    every(3_600),
    { kind: "interval", every_seconds: 3_600, anchor: "2026-01-01T00:00:00.000Z" },
    { kind: "once", at: "2026-12-24T17:00:00.000Z" },
    { kind: "once", at: "2026-12-24T17:00:30.000Z" },
  ] as const)("%j goes through the form's fields unchanged", (when) => {
    expect(readWhen(draftOfWhen(when, "America/New_York"), "America/New_York")).toEqual({ ok: true, when });
  });

  it.each([
    [{ rhythm: "weekly", days: [] }, "when.days"],
    [{ rhythm: "daily", time: "" }, "when.time"],
    [{ rhythm: "hourly", minute: "60" }, "when.minute"],
    [{ rhythm: "interval", every: "0.5" }, "when.every_seconds"],
    [{ rhythm: "interval", every: "often" }, "when.every_seconds"],
    [{ rhythm: "once", at: "" }, "when.at"],
    [{ rhythm: "cron", expression: " " }, "when.expression"],
  ] as const)("with %j says which field is not filled in", (part, field) => {
    const read = readWhen({ ...NEW_WHEN, ...part }, "UTC");
    expect(read).toMatchObject({ ok: false, faults: { [field]: expect.any(String) as string } });
  });

  it("formats a time in the local time of its zone", () => {
    expect(momentInWords("2026-07-01T22:30:00.000Z", "Asia/Kolkata")).toBe("Thu, Jul 2, 2026, 04:00");
  });
});

describe("why something became of a due moment", () => {
  it.each([
    ["the run of run/340c6129c39df783 had not ended", "A run by hand had not ended"],
    ["waits for the run of 2026-11-23T08:00:00.000Z", "Waits for the run of Mon, Nov 23, 2026, 09:00"],
    ["it was missed, and missed runs are skipped", "It was missed, and missed runs are skipped"],
  ])("%s is said as %s", (why, words) => {
    expect(whyInWords(why, "Europe/Berlin")).toBe(words);
  });
});

describe("days of the week", () => {
  it.each([
    [[1, 2, 3, 4, 5], "Mon–Fri"],
    [[5, 1, 3], "Mon, Wed, Fri"],
    [[1, 2, 4, 5, 6], "Mon, Tue, Thu–Sat"],
    [[7], "Sun"],
    [[1, 2, 3, 4, 5, 6, 7], "every day"],
  ])("%j are said as %s", (days, words) => {
    expect(daysInWords(days)).toBe(words);
  });
});
