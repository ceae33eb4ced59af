/** For whom the tasks of a schedule act, after any changes of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Actor } from "../../../core/connections/actors.ts";
import {
  confirmSchedule,
  describeCallerChange,
  findClearedCaller,
  findScheduleCaller,
  forgetSchedulePerson,
} from "../../../core/schedules/acts-for.ts";
import { changeSchedule, createSchedule, pauseSchedule } from "../../../core/schedules/change.ts";
import { toClearedNotification } from "../../../core/schedules/notifications.ts";
import { type ScheduleConfig, scheduleConfigSchema, type ScheduleState } from "../../../core/schedules/schedule.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";

const NOW = Date.UTC(2026, 0, 1);
const ANA = { person: "per_ana", name: "Ana" };
const BEN = { person: "per_ben", name: "Ben" };
const KEY: Actor = { person: null, name: "API key nightly" };

const configOf = (change: Record<string, unknown> = {}): ScheduleConfig =>
  scheduleConfigSchema.parse({
    name: "Morning mail",
    when: { kind: "interval", every_seconds: 3600 },
    task: { input: "Read my mail.", metadata: { a: 1, b: 2 } },
    ...change,
  });

function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const made = (actsFor: typeof ANA | null = ANA, config = configOf()): ScheduleState =>
  valueOf(createSchedule({ tenant: "ten_a", id: "sch_a", config, actsFor }, NOW));

const change = (state: ScheduleState, by: Actor | null | undefined, more: Record<string, unknown>): ScheduleState =>
  valueOf(changeSchedule(state, { config: configOf(more), ifVersion: null, ...(by === undefined ? {} : { by }) }, NOW));

const OTHER_TASK = { task: { input: "Send my mail to Ben." } };
const who = (state: ScheduleState) => findScheduleCaller(state)?.person ?? null;
const confirmed = (state: ScheduleState, by: typeof ANA, more: object = {}) =>
  confirmSchedule(state, { ...by, mayManage: true, ifVersion: null, ...more }, NOW);

describe("a schedule acts for", () => {
  test("the person who created it, and nobody without one", () => {
    expect(who(made())).toBe("per_ana");
    expect(who(made(null))).toBeNull();
    const { actsFor: _, ...ofEarlierRelease } = made();
    expect(who(ofEarlierRelease)).toBeNull();
  });

  test.each<[string, Actor | null | undefined]>([
    ["another person", BEN],
    ["a key without a person", KEY],
    ["an unknown author", null],
    ["a Worker of an earlier release, which names no author", undefined],
  ])("nobody after a change of its task by %s", (_, by) => {
    const changed = change(made(), by, OTHER_TASK);
    expect([who(changed), findClearedCaller(changed)?.person]).toEqual([null, "per_ana"]);
  });

  test.each([
    [{ name: "Evening mail" }],
    [{ when: { kind: "interval", every_seconds: 60 } }],
    [{ overlap: "allow" }],
    [{ alert: { deliver: [{ channel: "email", to: "ben@acme.example" }] } }],
    [{ task: { metadata: { b: 2, a: 1 }, input: "Read my mail." } }],
  ])("the same person after a change by others of %j", (more) => {
    const changed = change(made(), BEN, more);
    expect([who(changed), findClearedCaller(changed)]).toEqual(["per_ana", null]);
  });

  test.each([
    [{ agent: "mailer" }],
    [{ project: "sales" }],
    [{ tools: ["*"] }],
    [{ skills: ["a"] }],
    [{ budget: { max_steps: 9 } }],
    [{ deliver: [{ channel: "email", to: "ben@acme.example" }] }],
    [{ metadata: {} }],
  ])("nobody after a change by others of the task's %j", (part) => {
    const task = { input: "Read my mail.", metadata: { a: 1, b: 2 }, ...part };
    expect(who(change(made(), BEN, { task }))).toBeNull();
  });

  test("the same person after their own change", () => {
    expect(who(change(made(), ANA, OTHER_TASK))).toBe("per_ana");
  });

  test("nobody after a change that does not know the rule", () => {
    const state = made();
    const byEarlierRelease = { ...state, version: state.version + 1, config: configOf(OTHER_TASK) };
    expect(who(byEarlierRelease)).toBeNull();
    expect(who(pauseSchedule(byEarlierRelease, NOW))).toBeNull();
  });

  test("nobody once the person's record was deleted", () => {
    expect(who(forgetSchedulePerson(made(), "per_ana"))).toBeNull();
    expect(who(forgetSchedulePerson(made(), "per_ben"))).toBe("per_ana");
    const cleared = change(made(), BEN, OTHER_TASK);
    expect(findClearedCaller(forgetSchedulePerson(cleared, "per_ana"))).toBeNull();
  });
});

describe("a confirmation", () => {
  const cleared = change(made(), BEN, OTHER_TASK);

  test("makes it act for whom it acted, who need not be an administrator", () => {
    const again = valueOf(confirmed(cleared, ANA, { mayManage: false, ifVersion: 2 }));
    expect([who(again), findClearedCaller(again), again.version]).toEqual(["per_ana", null, 2]);
  });

  test("by anybody else needs an administrator, for whom it acts then", () => {
    const refused = confirmed(cleared, BEN, { mayManage: false });
    expect(refused).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(who(valueOf(confirmed(cleared, BEN)))).toBe("per_ben");
    expect(confirmed(made(null), ANA, { mayManage: false })).toMatchObject({ error: { code: "forbidden" } });
  });

  test("counts for what was read", () => {
    const later = change(cleared, BEN, { task: { input: "Delete my mail." } });
    const refused = confirmed(later, ANA, { mayManage: false, ifVersion: 2 });
    expect(refused).toMatchObject({ ok: false, error: { code: "conflict", field: "If-Match" } });
    expect(who(later)).toBeNull();
  });

  test("changes nothing when repeated", () => {
    const once = valueOf(confirmed(cleared, ANA));
    expect(confirmed(once, ANA)).toEqual({ ok: true, value: once });
  });
});

describe("the person whose confirmation a change ended", () => {
  test("gets one message, with the task that they would confirm", () => {
    const cleared = change(made(), { ...BEN, name: "*Ben*" }, OTHER_TASK);
    const told = toClearedNotification(cleared, "https://otto.example", NOW);
    expect(told).toMatchObject({
      id: "sch_a/cleared/2",
      deliver: [{ channel: "person", to: "per_ana" }],
      message: { confirm: { schedule: "sch_a", version: 2, task: { input: "Send my mail to Ben." } } },
      telling: { kind: "notification", seed: "sch_a/cleared/2" },
    });
    expect(told?.message.text).toContain(String.raw`\*Ben\* changed the task of the schedule **Morning mail**`);
    expect(told?.message.text).toContain("here: https://otto.example/schedules/sch_a");
    expect(toClearedNotification(change(cleared, BEN, { name: "x", ...OTHER_TASK }), null, NOW)).toBeNull();
    expect(toClearedNotification(made(), null, NOW)).toBeNull();
  });

  test("is offered no confirmation of a task that is too long to show", () => {
    const cleared = change(made(), BEN, { task: { input: "x".repeat(20_000) } });
    expect(toClearedNotification(cleared, null, NOW)?.message.confirm).toMatchObject({ task: null });
  });

  test("is in the audit entry", () => {
    const act: AuditEntry = {
      id: "aud_1",
      at: NOW,
      actor: "key_1",
      action: "schedule.update",
      target: "sch_a",
      requestId: "r",
    };
    const cleared = change(made(), BEN, OTHER_TASK);
    const details = { acts_for: null, acts_for_before: "per_ana" };
    expect(describeCallerChange(act, made(), cleared)).toEqual({ ...act, details });
    expect(describeCallerChange(act, made(), change(made(), BEN, { name: "x" }))).toEqual(act);
    expect(describeCallerChange(act, cleared, valueOf(confirmed(cleared, ANA)))).toMatchObject({
      details: { acts_for: "per_ana", acts_for_before: null },
    });
  });
});

type Person = typeof ANA | null;

interface Step {
  readonly by: Person;
  readonly what: "task" | "name" | "confirm" | "pause" | "old release";
  readonly text: string;
}

/** Plays the steps, and returns for whom it acted although that person neither wrote nor confirmed its text. */
function findUnvouched(creator: Person, steps: readonly Step[]): readonly string[] {
  let text = "a";
  let state = made(creator, configOf({ task: { input: text } }));
  let vouches = new Set([creator?.person ?? null]);
  const unvouched: string[] = [];
  for (const step of steps) {
    const { by, what } = step;
    const isWritten = what === "task" || what === "old release";
    if (isWritten && step.text !== text) vouches = new Set();
    if (what === "task") vouches.add(by?.person ?? null);
    if (isWritten) text = step.text;
    const next = { task: { input: text }, name: what };
    if (what === "pause") state = pauseSchedule(state, NOW);
    else if (what === "old release") state = { ...state, config: configOf(next), version: state.version + 1 };
    else if (what !== "confirm") state = change(state, by, next);
    else if (by !== null) {
      const result = confirmed(state, by, { mayManage: false });
      if (result.ok) vouches.add(by.person);
      state = result.ok ? result.value : state;
    }
    const acting = who(state);
    if (acting !== null && !vouches.has(acting)) unvouched.push(acting);
  }
  return unvouched;
}

test("it acts for a person only with a task that this person wrote or confirmed", () => {
  const person = fc.constantFrom(ANA, BEN, null);
  const step = fc.record({
    by: person,
    what: fc.constantFrom("task", "name", "confirm", "pause", "old release"),
    text: fc.constantFrom("a", "b", "c"),
  } as const);
  fc.assert(
    fc.property(person, fc.array(step, { maxLength: 12 }), (creator, steps) => {
      expect(findUnvouched(creator, steps)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
