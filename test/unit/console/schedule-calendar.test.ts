import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueByDay, monthBounds, monthGrid, monthOf, shiftMonth } from "../../../web/src/pages/schedules/calendar.ts";
import { clockChangeOn, isZone, momentOf, offsetWord, wallText } from "../../../web/src/pages/schedules/zoned-time.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
const HOUR_MS = 3_600_000;
const NO_BOUNDS = { startsAt: undefined, endsAt: undefined };

describe("the grid of a month", () => {
  it("starts each week on Monday, and contains each of its days once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2000, max: 2100 }), fc.integer({ min: 1, max: 12 }), (year, number) => {
        const month = `${year}-${String(number).padStart(2, "0")}`;
        const weeks = monthGrid(month);
        expect(weeks.every((week) => week.length === 7)).toBe(true);
        expect(weeks.every(([monday]) => new Date(monday?.day ?? "").getUTCDay() === 1)).toBe(true);
        const own = weeks.flat().filter(({ isInMonth }) => isInMonth);
        expect(own.length).toBe(new Date(Date.UTC(year, number, 0)).getUTCDate());
        expect(weeks.every((week) => week.some(({ isInMonth }) => isInMonth))).toBe(true);
      }),
    );
  });

  it("continues past the end of a year", () => {
    expect([shiftMonth("2026-12", 1), shiftMonth("2026-01", -1)]).toEqual(["2027-01", "2025-12"]);
  });

  it("puts what is due on the day that clocks of the zone show", () => {
    const due = ["2026-11-23T23:30:00.000Z", "2026-11-24T08:00:00.000Z"];
    expect([...dueByDay("Europe/Berlin", due)]).toEqual([["2026-11-24", due]]);
    expect([...dueByDay("America/New_York", due).keys()]).toEqual(["2026-11-23", "2026-11-24"]);
    expect(monthOf("Asia/Kolkata", Date.parse("2026-11-30T20:00:00Z"))).toBe("2026-12");
  });

  it("is bounded by the zone's local time, and by the schedule's start and end", () => {
    const berlin = { from: "2026-09-30T22:00:00.000Z", to: "2026-10-31T23:00:00.000Z" };
    expect(monthBounds("Europe/Berlin", "2026-10", NO_BOUNDS)).toEqual(berlin);
    const startsAt = "2026-10-12T00:00:00.000Z";
    expect(monthBounds("Europe/Berlin", "2026-10", { startsAt, endsAt: undefined })).toEqual({
      ...berlin,
      from: startsAt,
    });
    expect(monthBounds("Europe/Berlin", "2026-10", { startsAt: undefined, endsAt: berlin.from })).toBeNull();
  });
});

describe("a wall time", () => {
  it("is read as the moment at which the zone's clocks show it", () => {
    const moments = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, (zone, at) => {
        const wall = wallText(zone, Math.floor(at / 1000) * 1000);
        const read = momentOf(zone, wall);
        expect(read === null ? null : wallText(zone, read)).toBe(wall);
      }),
    );
  });

  it("that clocks repeat is the first of both, and one that they skip is after the gap", () => {
    expect(momentOf("Europe/Berlin", "2026-10-25T02:30")).toBe(Date.parse("2026-10-25T00:30:00Z"));
    expect(momentOf("Europe/Berlin", "2026-03-29T02:30")).toBe(Date.parse("2026-03-29T01:30:00Z"));
  });

  it.each(["", "2026-10-25", "tomorrow", "2026-13-40T00:00"])("is not %j", (text) => {
    expect(momentOf("UTC", text)).toBeNull();
  });

  it("knows on which day clocks change, and by how much", () => {
    expect(clockChangeOn("Europe/Berlin", "2026-03-29")).toBe(HOUR_MS);
    expect(clockChangeOn("Europe/Berlin", "2026-10-25")).toBe(-HOUR_MS);
    expect(clockChangeOn("Australia/Lord_Howe", "2026-04-05")).toBe(-HOUR_MS / 2);
    expect(clockChangeOn("Europe/Berlin", "2026-10-26")).toBe(0);
  });

  it("is distinguished by its offset", () => {
    expect(offsetWord("America/St_Johns", Date.parse("2026-01-01T00:00:00Z"))).toBe("UTC−03:30");
    expect(offsetWord("Europe/Berlin", Date.parse("2026-07-01T00:00:00Z"))).toBe("UTC+02:00");
  });

  it("needs a zone that there is", () => {
    expect([isZone("Europe/Berlin"), isZone("Europe/Atlantis"), isZone("+02:00"), isZone("")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
