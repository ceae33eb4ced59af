import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../web/src/api/types.generated.ts";
import { draftOfPerson, emptyAddress, newPerson, readPerson } from "../../../web/src/pages/people/person-draft.ts";
import { draftOfSchedule, newSchedule, readSchedule } from "../../../web/src/pages/schedules/schedule-draft.ts";

const AT = "2026-11-21T09:00:00.000Z";
const config: Pick<Schedule, "name" | "when" | "time_zone" | "jitter_seconds" | "missed" | "overlap"> = {
  name: "Morning",
  when: { kind: "cron", expression: "0 9 * * MON-FRI" },
  time_zone: "Europe/Berlin",
  jitter_seconds: 90,
  missed: { policy: "all", window_seconds: 5_400 },
  overlap: "queue",
};
const caller = { acts_for: { person_id: "per_1", name: "Ana" }, acts_for_cleared: false };
const view = { id: "sch_1", version: 3, paused: false, next_at: AT, created_at: AT, updated_at: AT, ...caller };

describe("a schedule", () => {
  it.each([
    {
      ...config,
      starts_at: "2026-12-01T00:00:00.000Z",
      ends_at: "2027-12-01T00:00:00.000Z",
      task: {
        input: "Look at the numbers",
        agent: "agent_1",
        project: "sales",
        tools: ["read_*"],
        metadata: { of: "finance" },
        budget: { max_steps: 5, max_duration_s: 90, max_cost_usd: 0.25 },
        deliver: [{ channel: "slack" as const, to: "#sales" }],
      },
      alert: { deliver: [{ channel: "email" as const, to: "a@example.com" }], if_not_finished_within_seconds: 1_800 },
    },
    { ...config, reminder: { text: "Stretch", to: [{ channel: "person" as const, to: "Ada" }] } },
    {
      ...config,
      task: {
        input: [
          { role: "assistant" as const, content: "Hello" },
          { role: "user" as const, content: "Go" },
        ],
      },
    },
  ])("goes through the form's fields unchanged", (given) => {
    expect(readSchedule(draftOfSchedule({ ...given, ...view }))).toEqual({ ok: true, value: given });
  });

  it("that is not filled in says what is missing, by the API's names", () => {
    const read = readSchedule({
      ...newSchedule("Nowhere/Land"),
      alertMinutes: "10",
      deliver: [{ channel: "slack", to: " " }],
    });
    expect(read.ok ? [] : Object.keys(read.faults).toSorted()).toEqual([
      "alert.deliver",
      "name",
      "task.deliver.0.to",
      "task.input",
      "time_zone",
    ]);
  });

  it("reads its numbers as the console prints them, and an amount that may have decimals in one way only", () => {
    const draft = {
      ...newSchedule("UTC"),
      name: "n",
      input: "i",
      jitterMinutes: "1,5",
      limits: { max_steps: "", max_tokens: "100,000", max_cost_usd: "0,5", max_duration_s: "" },
    };
    expect(readSchedule(draft)).toMatchObject({
      value: { jitter_seconds: 90, task: { budget: { max_tokens: 100_000, max_cost_usd: 0.5 } } },
    });
    const read = readSchedule({
      ...draft,
      when: { ...draft.when, rhythm: "interval", every: "1,000" },
      missedHours: "1,000",
      limits: { ...draft.limits, max_cost_usd: "0,125" },
    });
    const twoWays = expect.stringContaining("can mean two things") as string;
    expect(read).toEqual({
      ok: false,
      faults: { "when.every_seconds": twoWays, "missed.window_seconds": twoWays, "task.budget.max_cost_usd": twoWays },
    });
  });

  it("does not end before it starts", () => {
    const read = readSchedule({
      ...newSchedule("UTC"),
      name: "n",
      input: "i",
      startsAt: "2026-12-02T00:00",
      endsAt: "2026-12-01T00:00",
    });
    expect(read).toMatchObject({ ok: false, faults: { ends_at: expect.any(String) as string } });
  });
});

describe("a person", () => {
  const person = {
    id: "per_1",
    name: "Ada",
    aliases: ["finance", "Ada L."],
    addresses: [
      { kind: "slack" as const, team: "T1", user: "U1" },
      { kind: "email" as const, address: "ada@example.com" },
    ],
    preferred: "email" as const,
    time_zone: "Europe/London",
    working_hours: { days: [1, 2], from: "22:00", to: "24:00" },
    may_answer: true,
    may_approve: false,
  };

  it("goes through the form's fields unchanged", () => {
    const stored = { ...person, version: 1, created_at: AT, updated_at: AT };
    const { id: _, ...setting } = person;
    expect(readPerson(draftOfPerson(stored))).toEqual({ ok: true, value: setting });
  });

  it("that is not filled in says what is missing, by the API's names", () => {
    const draft = { ...newPerson("UTC"), addresses: [emptyAddress("email")], hasHours: true, days: [] };
    const read = readPerson({ ...draft, preferred: "slack" });
    expect(read.ok ? [] : Object.keys(read.faults).toSorted()).toEqual([
      "addresses.0",
      "name",
      "preferred",
      "working_hours.days",
    ]);
  });
});
