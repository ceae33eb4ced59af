import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PersonFields } from "../../../core/people/person.ts";
import {
  type AskToRoute,
  FALLBACK_AFTER_MS,
  type AskStep,
  listOthers,
  MAX_REMINDERS,
  MAX_ASK_DESTINATIONS,
  routeAsk,
  type AskDestination,
} from "../../../core/people/route-ask.ts";
import { addWorkingTime, isWorking, findNextWorking } from "../../../core/people/working-hours.ts";
import { makePerson } from "../../fakes/people.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OFFICE = { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" };
const BERLIN = { timeZone: "Europe/Berlin", workingHours: OFFICE };

/** A time in a zone with its offset. */
const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

function ana(change: Partial<PersonFields> = {}) {
  const addresses = [
    { kind: "email", address: "ana@acme.example" },
    { kind: "slack", team: "T1", user: "U1" },
  ] as const;
  return makePerson("per_ana", "Ana", { addresses, ...BERLIN, ...change });
}

const THREAD: AskDestination = { channel: "slack", to: "T1/C1/1.2", person: null };

function route(change: Partial<AskToRoute>): AskStep[] {
  return routeAsk({ person: null, conversations: [], askedAt: 0, expiresAt: null, waits: true, ...change });
}

const reported = (steps: readonly AskStep[]) =>
  steps.map(({ kind, destination, at: moment }) => `${kind} ${destination.channel} ${destination.to} ${iso(moment)}`);

describe("working hours", () => {
  test.each([
    ["in the middle of a Monday", "2026-11-23T12:00:00+01:00", true],
    ["when they begin", "2026-11-23T09:00:00+01:00", true],
    ["just before", "2026-11-23T08:59:59+01:00", false],
    ["when they end", "2026-11-23T17:00:00+01:00", false],
    ["on a Saturday", "2026-11-21T12:00:00+01:00", false],
    ["in summer, in summer time", "2026-07-01T09:00:00+02:00", true],
    ["in summer, an hour before", "2026-07-01T08:59:00+02:00", false],
  ])("are known %s", (_, moment, works) => {
    expect(isWorking(BERLIN, at(moment))).toBe(works);
  });

  test.each([
    ["the same evening", "2026-11-23T20:00:00+01:00", "2026-11-24T09:00:00+01:00"],
    ["a Friday evening", "2026-11-20T17:00:00+01:00", "2026-11-23T09:00:00+01:00"],
    ["the Saturday before clocks go forward", "2026-03-28T12:00:00+01:00", "2026-03-30T09:00:00+02:00"],
    ["the Saturday before clocks go back", "2026-10-24T12:00:00+02:00", "2026-10-26T09:00:00+01:00"],
  ])("begin again after %s", (_, moment, next) => {
    expect(iso(findNextWorking(BERLIN, at(moment)))).toBe(iso(at(next)));
  });

  test("that begin in a skipped hour begin at its end", () => {
    const early = { timeZone: "Europe/Berlin", workingHours: { days: [7], from: "02:30", to: "10:00" } };
    expect(iso(findNextWorking(early, at("2026-03-29T00:00:00+01:00")))).toBe("2026-03-29T01:00:00.000Z");
  });

  test("that begin in a repeated hour begin at the first of the two", () => {
    const early = { timeZone: "Europe/Berlin", workingHours: { days: [7], from: "02:30", to: "10:00" } };
    expect(iso(findNextWorking(early, at("2026-10-25T00:00:00+02:00")))).toBe("2026-10-25T00:30:00.000Z");
  });

  test("of a night belong to the day on which they begin", () => {
    const night = { timeZone: "Europe/Berlin", workingHours: { days: [5], from: "22:00", to: "06:00" } };
    expect(isWorking(night, at("2026-11-21T05:59:00+01:00"))).toBe(true);
    expect(isWorking(night, at("2026-11-21T06:00:00+01:00"))).toBe(false);
    expect(isWorking(night, at("2026-11-20T05:00:00+01:00"))).toBe(false);
    expect(iso(findNextWorking(night, at("2026-11-21T06:00:00+01:00")))).toBe(iso(at("2026-11-27T22:00:00+01:00")));
  });

  test("that never end are every moment", () => {
    const always = {
      timeZone: "Europe/Berlin",
      workingHours: { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" },
    };
    for (let hour = 0; hour < 24 * 9; hour += 1) {
      expect(isWorking(always, at("2026-10-20T00:00:00Z") + hour * HOUR)).toBe(true);
    }
  });

  test.each([
    ["within a day", "2026-11-23T10:00:00+01:00", 4, "2026-11-23T14:00:00+01:00"],
    ["over a night", "2026-11-23T15:00:00+01:00", 4, "2026-11-24T11:00:00+01:00"],
    ["over a weekend with another offset", "2026-10-23T15:00:00+02:00", 4, "2026-10-26T11:00:00+01:00"],
    ["from a Sunday", "2026-11-22T15:00:00+01:00", 4, "2026-11-23T13:00:00+01:00"],
    ["over two weeks", "2026-11-23T09:00:00+01:00", 76, "2026-12-04T13:00:00+01:00"],
  ])("are counted %s", (_, from, hours, end) => {
    expect(iso(addWorkingTime(BERLIN, at(from), hours * HOUR))).toBe(iso(at(end)));
  });

  test("work in any zone: the next working moment is in them, and no earlier one is", () => {
    const clock = (max: number) => fc.integer({ min: 0, max }).map((m) => `${pad(Math.floor(m / 60))}:${pad(m % 60)}`);
    const pad = (value: number) => String(value).padStart(2, "0");
    const worker = fc.record({
      timeZone: fc.constantFrom(
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kolkata",
        "Pacific/Apia",
      ),
      workingHours: fc
        .record({
          days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
          from: clock(1439),
          to: clock(1440),
        })
        .filter(({ from, to }) => from !== to),
    });
    const moment = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") });
    fc.assert(
      fc.property(worker, moment, fc.nat({ max: 1000 }), (whose, now, part) => {
        const next = findNextWorking(whose, now);
        expect(next).toBeGreaterThanOrEqual(now);
        expect(next - now).toBeLessThan(9 * DAY);
        expect(isWorking(whose, next)).toBe(true);
        const between = now + Math.floor(((next - now) * part) / 1001);
        if (between < next) expect(isWorking(whose, between)).toBe(false);
        const after = addWorkingTime(whose, now, HOUR);
        expect(after).toBeGreaterThanOrEqual(next + HOUR);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a question to a person in working hours", () => {
  const askedAt = at("2026-11-24T10:00:00+01:00");

  test("goes to Slack at once, to mail a quarter of an hour later, and is repeated at most three times", () => {
    expect(reported(route({ person: ana(), askedAt }))).toEqual([
      "ask slack T1/U1 2026-11-24T09:00:00.000Z",
      "ask email ana@acme.example 2026-11-24T09:15:00.000Z",
      "reminder slack T1/U1 2026-11-24T13:00:00.000Z",
      "reminder slack T1/U1 2026-11-25T13:00:00.000Z",
      "reminder slack T1/U1 2026-11-26T13:00:00.000Z",
    ]);
  });

  test("goes to mail first where that is preferred", () => {
    expect(reported(route({ person: ana({ preferred: "email" }), askedAt })).slice(0, 3)).toEqual([
      "ask email ana@acme.example 2026-11-24T09:00:00.000Z",
      "ask slack T1/U1 2026-11-24T09:15:00.000Z",
      "reminder email ana@acme.example 2026-11-24T13:00:00.000Z",
    ]);
  });

  test("is not repeated at night, nor on a weekend", () => {
    const late = at("2026-11-27T15:00:00+01:00");
    expect(reported(route({ person: ana(), askedAt: late })).filter((step) => step.startsWith("reminder"))).toEqual([
      "reminder slack T1/U1 2026-11-30T10:00:00.000Z",
      "reminder slack T1/U1 2026-12-01T10:00:00.000Z",
      "reminder slack T1/U1 2026-12-02T10:00:00.000Z",
    ]);
  });

  test("sends nothing at or after its deadline", () => {
    const expiresAt = askedAt + FALLBACK_AFTER_MS;
    expect(reported(route({ person: ana(), askedAt, expiresAt }))).toEqual([
      "ask slack T1/U1 2026-11-24T09:00:00.000Z",
    ]);
  });

  test("that is a notification goes to one destination, once", () => {
    expect(reported(route({ person: ana(), askedAt, waits: false }))).toEqual([
      "ask slack T1/U1 2026-11-24T09:00:00.000Z",
    ]);
  });
});

describe("a question outside working hours", () => {
  const askedAt = at("2026-11-24T20:00:00+01:00");

  test("goes to mail at once, and to Slack when the hours begin", () => {
    expect(reported(route({ person: ana(), askedAt })).slice(0, 3)).toEqual([
      "ask email ana@acme.example 2026-11-24T19:00:00.000Z",
      "ask slack T1/U1 2026-11-25T08:00:00.000Z",
      "reminder slack T1/U1 2026-11-25T12:00:00.000Z",
    ]);
  });

  test("waits for the hours without mail", () => {
    const [slack] = [ana().addresses[1]].filter((address) => address !== undefined);
    const person = ana({ addresses: slack === undefined ? [] : [slack] });
    expect(reported(route({ person, askedAt }))[0]).toBe("ask slack T1/U1 2026-11-25T08:00:00.000Z");
    expect(reported(route({ person, askedAt, waits: false }))).toEqual(["ask slack T1/U1 2026-11-25T08:00:00.000Z"]);
    // A question that would expire before the hours is sent at once.
    expect(reported(route({ person, askedAt, expiresAt: askedAt + HOUR }))).toEqual([
      "ask slack T1/U1 2026-11-24T19:00:00.000Z",
    ]);
  });
});

describe("a question without a person", () => {
  test("goes to its task's conversation, at any hour", () => {
    expect(reported(route({ conversations: [THREAD] })).slice(0, 2)).toEqual([
      "ask slack T1/C1/1.2 1970-01-01T00:00:00.000Z",
      "reminder slack T1/C1/1.2 1970-01-01T04:00:00.000Z",
    ]);
  });

  test("is not sent when the task delivers nowhere", () => {
    expect(route({})).toEqual([]);
  });

  test("of a task that others follow: they are told apart from the person who is asked", () => {
    const direct: AskDestination = { channel: "slack", to: "T1/D1/1.2", person: null };
    const own: AskDestination = { channel: "slack", to: "T1/U1", person: ana() };
    const all = [THREAD, direct, own];
    expect(listOthers(ana(), all)).toEqual([THREAD]);
    expect(listOthers(ana({ addresses: [] }), all)).toEqual([]);
  });

  test("has the same route as one for a person without an address", () => {
    expect(route({ person: ana({ addresses: [] }), conversations: [THREAD] })[0]?.destination).toEqual(THREAD);
    expect(route({ person: ana(), conversations: [THREAD] }).map(({ destination }) => destination)).not.toContainEqual(
      THREAD,
    );
  });
});

test("any question is sent in order, in time, once to each destination, and no more often than agreed", () => {
  const kinds = fc.uniqueArray(fc.constantFrom("slack" as const, "email" as const));
  const ask = fc.record({
    kinds,
    preferred: fc.constantFrom(null, "slack" as const, "email" as const),
    conversations: fc.array(fc.nat({ max: 8 }), { maxLength: 9 }),
    works: fc.boolean(),
    askedAt: fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") }),
    lasts: fc.option(fc.integer({ min: 1, max: 30 * DAY })),
    isNamed: fc.boolean(),
  });
  fc.assert(
    fc.property(ask, (given) => {
      const addresses = ana().addresses.filter(({ kind }) => given.kinds.includes(kind));
      const person = ana({ addresses, preferred: given.preferred, workingHours: given.works ? OFFICE : null });
      const conversations = given.conversations.map((n): AskDestination => ({ ...THREAD, to: `T1/C${n}` }));
      const expiresAt = given.lasts === null ? null : given.askedAt + given.lasts;
      const steps = route({ person: given.isNamed ? person : null, conversations, askedAt: given.askedAt, expiresAt });
      const moments = steps.map((step) => step.at);
      expect(moments).toEqual(moments.toSorted((one, other) => one - other));
      expect(moments.every((moment) => moment >= given.askedAt && (expiresAt === null || moment < expiresAt))).toBe(
        true,
      );
      const asked = steps
        .filter(({ kind }) => kind === "ask")
        .map(({ destination }) => `${destination.channel} ${destination.to}`);
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length).toBeLessThanOrEqual(MAX_ASK_DESTINATIONS);
      expect(steps.length - asked.length).toBeLessThanOrEqual(MAX_REMINDERS);
      const hasPlace = conversations.length > 0 || (given.isNamed && addresses.length > 0);
      expect(steps.length > 0).toBe(hasPlace);
      expect(steps[0]?.kind ?? "ask").toBe("ask");
    }),
    { numRuns: 500 },
  );
});
