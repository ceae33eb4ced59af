import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changeSchedule,
  isReactivated,
  createSchedule,
  pauseSchedule,
  resumeSchedule,
} from "../../../core/schedules/change.ts";
import { openDueClock } from "../../../core/schedules/due.ts";
import {
  type Decision,
  decideAfterStart,
  decideDueRuns,
  decideTaskEnd,
  decideRequestedRun,
  GRACE_MS,
  getDeletionTime,
  getNextWake,
} from "../../../core/schedules/decide-runs.ts";
import {
  recordStart,
  isOpen,
  getDueKey,
  recordFailedStart,
  type Occurrence,
} from "../../../core/schedules/occurrence.ts";
import {
  toDueRule,
  type ScheduleConfig,
  scheduleConfigSchema,
  type ScheduleState,
} from "../../../core/schedules/schedule.ts";
import type { TaskStatus } from "../../../core/task/status.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function configOf(change: Record<string, unknown> = {}): ScheduleConfig {
  return scheduleConfigSchema.parse({
    name: "hourly",
    when: { kind: "interval", every_seconds: 3600 },
    task: { input: "Work." },
    ...change,
  });
}

function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A schedule with its run history, as its object stores them. */
class Ledger {
  state: ScheduleState;
  readonly rows = new Map<string, Occurrence>();
  readonly alerts: Occurrence[] = [];

  constructor(change: Record<string, unknown> = {}) {
    this.state = valueOf(createSchedule({ tenant: "ten_a", id: "sch_a", config: configOf(change) }, START));
  }

  open(): Occurrence[] {
    return [...this.rows.values()].filter(isOpen).toSorted((a, b) => a.due - b.due);
  }

  keep({ state, occurrences, alerts }: Decision): void {
    this.state = state;
    for (const one of occurrences) this.rows.set(one.key, one);
    this.alerts.push(...alerts);
  }

  /** Decides everything that is due by now. */
  tick(now: number): void {
    for (;;) {
      const clock = valueOf(openDueClock(toDueRule(this.state.config, this.state.createdAt)));
      this.keep(decideDueRuns(this.state, clock, this.open(), now));
      if (this.state.next === null || this.state.next.at > now) return;
    }
  }

  run(key: string, now: number): void {
    this.keep(decideRequestedRun(this.state, { key, due: now }, this.open(), now));
  }

  /** Gives every starting occurrence its task. */
  start(now: number): void {
    for (const one of this.open().filter(({ state }) => state === "starting"))
      this.keep(decideAfterStart(this.state, this.open(), recordStart(one, `task_${one.key}`, now), now));
  }

  end(key: string, status: TaskStatus, now: number): void {
    this.keep(decideTaskEnd(this.state, this.open(), { key, end: { status, why: null } }, now));
  }

  states(): string[] {
    return [...this.rows.values()].toSorted((a, b) => a.due - b.due).map(({ state }) => state);
  }
}

const at = (hours: number) => START + hours * HOUR;
const key = (hours: number) => getDueKey(at(hours));

describe("an occurrence", () => {
  test("starts when it is due, runs, and ends", () => {
    const ledger = new Ledger();
    expect(getNextWake(ledger.state, [], START)).toBe(at(1));
    ledger.tick(at(1) - 1);
    expect(ledger.states()).toEqual([]);
    ledger.tick(at(1));
    expect(ledger.states()).toEqual(["starting"]);
    ledger.start(at(1));
    ledger.end(key(1), "completed", at(1) + MINUTE);
    expect(ledger.rows.get(key(1))).toMatchObject({ state: "finished", status: "completed", task: `task_${key(1)}` });
    expect(getNextWake(ledger.state, ledger.open(), at(1))).toBe(at(2));
  });

  test("is retried while the error is retryable and its time lasts, and fails otherwise", () => {
    const ledger = new Ledger({ missed: { policy: "skip", window_seconds: 60 } });
    ledger.tick(at(1));
    const [first] = ledger.open();
    if (first === undefined) throw new Error("nothing is open");
    const away = { code: "upstream_failed", message: "away" } as const;
    const again = recordFailedStart(first, away, MINUTE, at(1));
    expect(again).toMatchObject({ state: "starting", failures: 1, why: "away" });
    expect(again.tryAt).toBeGreaterThan(at(1));
    expect(recordStart(again, "task_a", at(1))).toMatchObject({ state: "fired", why: null, failures: 1 });
    expect(recordFailedStart(again, away, MINUTE, at(3))).toMatchObject({ state: "failed", why: "away" });
    const stopped = { code: "conflict", message: "stopped", cause: { kind: "tenant_stopped" } } as const;
    expect(recordFailedStart(first, stopped, MINUTE, at(1)).state).toBe("starting");
    expect(recordFailedStart(first, { code: "not_found", message: "no agent" }, MINUTE, at(1)).state).toBe("failed");
  });

  test("runs later by its jitter, the same each time and before the next one", () => {
    const ledger = new Ledger({ when: { kind: "interval", every_seconds: 60 }, jitter_seconds: 3600 });
    const seen = new Set<number>();
    for (let due = 1; due <= 50; due += 1) {
      const { next } = ledger.state;
      if (next === null) throw new Error("nothing is due");
      expect(next.due).toBe(START + due * MINUTE);
      expect(next.at).toBeGreaterThanOrEqual(next.due);
      expect(next.at).toBeLessThan(next.due + MINUTE);
      seen.add(next.at - next.due);
      ledger.tick(next.at);
    }
    expect(seen.size).toBeGreaterThan(10);
  });
});

describe("an outage of five hours", () => {
  const after = (missed: object, more: Record<string, unknown> = {}) => {
    const ledger = new Ledger({ missed, overlap: "allow", ...more });
    ledger.tick(at(5) + 30 * MINUTE);
    return ledger;
  };

  test("skips all missed occurrences", () => {
    const ledger = after({ policy: "skip", window_seconds: 86_400 });
    expect(ledger.states()).toEqual(["skipped", "skipped", "skipped", "skipped", "skipped"]);
    expect(ledger.rows.get(key(3))?.why).toMatch(/missed/);
  });

  test("runs once for the latest", () => {
    expect(after({ policy: "once", window_seconds: 86_400 }).states()).toEqual([
      "coalesced",
      "coalesced",
      "coalesced",
      "coalesced",
      "starting",
    ]);
    expect(after({ policy: "once", window_seconds: 60 }).states().at(-1)).toBe("skipped");
  });

  test("runs all within the window, in order", () => {
    const ledger = after({ policy: "all", window_seconds: 9_000 });
    expect(ledger.states()).toEqual(["skipped", "skipped", "starting", "starting", "starting"]);
    expect(ledger.open().map(({ due }) => due)).toEqual([at(3), at(4), at(5)]);
  });

  test("continues with the next occurrence of the rule, not of the present time", () => {
    expect(after({ policy: "once", window_seconds: 86_400 }).state.next).toEqual({ due: at(6), at: at(6) });
  });

  test("does not affect punctual occurrences", () => {
    const ledger = new Ledger({ missed: { policy: "skip", window_seconds: 60 } });
    ledger.tick(at(5) + GRACE_MS);
    expect(ledger.states()).toEqual(["skipped", "skipped", "skipped", "skipped", "starting"]);
  });

  test("of a year is decided in parts, completely", () => {
    const ledger = new Ledger({ missed: { policy: "once", window_seconds: 86_400 } });
    ledger.tick(START + 366 * 24 * HOUR);
    expect(ledger.rows.size).toBe(366 * 24);
    expect(ledger.open()).toHaveLength(1);
  });
});

describe("an overlapping run", () => {
  const two = (overlap: string) => {
    const ledger = new Ledger({ overlap });
    ledger.tick(at(1));
    ledger.start(at(1));
    ledger.tick(at(2));
    return ledger;
  };

  test("is skipped, and names the run that it overlaps", () => {
    const ledger = two("skip");
    expect(ledger.states()).toEqual(["fired", "skipped"]);
    expect(ledger.rows.get(key(2))?.why).toContain(key(1));
    ledger.end(key(1), "completed", at(2) + 1);
    ledger.tick(at(3));
    expect(ledger.states()).toEqual(["finished", "skipped", "starting"]);
  });

  test("is queued in order, and starts when the one before it ends", () => {
    const ledger = two("queue");
    ledger.tick(at(3));
    expect(ledger.states()).toEqual(["fired", "queued", "queued"]);
    ledger.end(key(1), "failed", at(3) + 1);
    expect(ledger.states()).toEqual(["failed", "starting", "queued"]);
  });

  test("cancels the one before, without an alert", () => {
    const ledger = two("cancel_previous");
    expect(ledger.rows.get(key(1))).toMatchObject({ state: "fired", gaveWay: true });
    expect(ledger.rows.get(key(2))?.state).toBe("starting");
    ledger.end(key(1), "cancelled", at(2) + 1);
    expect(ledger.rows.get(key(1))).toMatchObject({ state: "failed", why: expect.stringContaining(key(2)) });
    expect(ledger.alerts).toEqual([]);
  });

  test("replaces one whose task surely was not created yet", () => {
    const ledger = new Ledger({ overlap: "cancel_previous" });
    ledger.tick(at(1));
    ledger.tick(at(2));
    expect(ledger.states()).toEqual(["skipped", "starting"]);
  });

  test("is allowed", () => {
    expect(two("allow").states()).toEqual(["fired", "starting"]);
  });

  test("that was requested follows the same policy", () => {
    const ledger = two("skip");
    ledger.run("run/a", at(2) + 1);
    expect(ledger.rows.get("run/a")).toMatchObject({ state: "skipped", isManual: true });
  });
});

describe("an alert", () => {
  const alert = { deliver: [{ channel: "email", to: "ops@example.com" }], if_not_finished_within_seconds: 600 };

  test("is sent once when a run has not ended in time", () => {
    const ledger = new Ledger({ alert });
    ledger.tick(at(1));
    ledger.start(at(1));
    expect(getNextWake(ledger.state, ledger.open(), at(1))).toBe(at(1) + 10 * MINUTE);
    ledger.tick(at(1) + 10 * MINUTE);
    ledger.tick(at(1) + 11 * MINUTE);
    expect(ledger.alerts.map((one) => one.key)).toEqual([key(1)]);
    expect(ledger.rows.get(key(1))).toMatchObject({ state: "fired", isLate: true });
  });

  test("is sent when a run fails, if alerts are configured", () => {
    for (const wasReported of [true, false]) {
      const ledger = new Ledger(wasReported ? { alert } : {});
      ledger.tick(at(1));
      ledger.start(at(1));
      ledger.end(key(1), "failed", at(1) + 1);
      expect(ledger.alerts).toHaveLength(wasReported ? 1 : 0);
    }
  });
});

describe("a changed schedule", () => {
  test("is due by its new rule, and never twice at one time", () => {
    const ledger = new Ledger();
    ledger.tick(at(1));
    const half = configOf({ when: { kind: "interval", every_seconds: 1800 } });
    ledger.state = valueOf(changeSchedule(ledger.state, { config: half, ifVersion: 1 }, at(1)));
    expect(ledger.state).toMatchObject({ version: 2, next: { due: at(1.5) } });
    expect(changeSchedule(ledger.state, { config: half, ifVersion: 1 }, at(1))).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
  });

  test("is not due while paused, and misses nothing", () => {
    const ledger = new Ledger();
    ledger.state = pauseSchedule(ledger.state, at(0.5));
    expect(getNextWake(ledger.state, [], at(0.5))).toBeNull();
    ledger.tick(at(4));
    expect(ledger.states()).toEqual([]);
    ledger.state = valueOf(resumeSchedule(ledger.state, at(4.5)));
    expect(ledger.state.next).toEqual({ due: at(5), at: at(5) });
  });

  test("is reactivated only after it ended, also by being paused", () => {
    const ledger = new Ledger({ when: { kind: "once", at: new Date(at(1)).toISOString() } });
    const again = configOf();
    const due = ledger.state;
    ledger.tick(at(1));
    const over = ledger.state;
    const changed = (state: ScheduleState) => valueOf(changeSchedule(state, { config: again, ifVersion: null }, at(1)));
    expect(isReactivated(over, changed(over))).toBe(true);
    expect(isReactivated(over, pauseSchedule(over, at(1)))).toBe(true);
    expect(isReactivated(over, over)).toBe(false);
    for (const state of [due, pauseSchedule(due, START)]) expect(isReactivated(state, changed(state))).toBe(false);
  });

  test.each([
    ["task", { task: undefined }],
    ["task", { reminder: { text: "x", to: [{ channel: "email", to: "a@b.c" }] } }],
    ["task.hold", { task: { input: "x", hold: true } }],
    ["task.mode", { task: { input: "x", mode: "staged" } }],
    ["when.at", { when: { kind: "once", at: "2025-12-31T23:59:00Z" } }],
    ["when.expression", { when: { kind: "cron", expression: "0 0 * *" } }],
    ["when", { when: { kind: "cron", expression: "0 0 31 2 *" } }],
    ["time_zone", { time_zone: "Mars/Olympus" }],
    ["ends_at", { ends_at: "2026-01-01T00:30:00Z" }],
  ])("is rejected for its %s", (field, change) => {
    expect(createSchedule({ tenant: "t", id: "s", config: configOf(change) }, START)).toMatchObject({
      ok: false,
      error: { field },
    });
  });
});

test("in any sequence of events, each due time is decided once, in order, and no policy runs two at once", () => {
  const command = fc.oneof(
    fc.record({ kind: fc.constant("tick" as const), minutes: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ kind: fc.constant("start" as const) }),
    fc.record({
      kind: fc.constant("end" as const),
      pick: fc.nat(),
      status: fc.constantFrom<TaskStatus>("completed", "failed", "cancelled"),
    }),
    fc.record({ kind: fc.constant("run" as const) }),
    fc.record({ kind: fc.constant("pause" as const) }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("skip", "queue", "cancel_previous", "allow"),
      fc.constantFrom("skip", "once", "all"),
      fc.integer({ min: 0, max: 3600 }),
      fc.array(command, { maxLength: 40 }),
      (overlap, policy, jitter, commands) => {
        const ledger = new Ledger({ overlap, missed: { policy, window_seconds: 7200 }, jitter_seconds: jitter });
        let [now, runs] = [START, 0];
        const decided = new Set<number>();
        for (const one of commands) {
          if (one.kind === "tick") {
            const before = ledger.state;
            ledger.tick((now += one.minutes * MINUTE));
            // From the next due time on, every hour up to the last one was decided.
            for (let due = before.next?.due ?? Infinity; due <= (ledger.state.last ?? -Infinity); due += HOUR) {
              expect(decided.has(due)).toBe(false);
              expect(ledger.rows.has(getDueKey(due))).toBe(true);
              decided.add(due);
            }
          } else if (one.kind === "start") ledger.start(now);
          else if (one.kind === "run") ledger.run(`run/${(runs += 1)}`, now);
          else if (one.kind === "pause")
            ledger.state = ledger.state.paused
              ? valueOf(resumeSchedule(ledger.state, now))
              : pauseSchedule(ledger.state, now);
          else {
            const working = ledger.open().filter(({ state }) => state === "fired");
            const ending = working[one.pick % Math.max(1, working.length)];
            if (ending !== undefined) ledger.end(ending.key, one.status, now);
          }
          const atWork = ledger.open().filter(({ state, gaveWay }) => state !== "queued" && !gaveWay);
          if (overlap !== "allow") expect(atWork.length).toBeLessThanOrEqual(1);
          if (ledger.open().some(({ state }) => state === "queued")) expect(atWork).toHaveLength(1);
        }
        const due = [...ledger.rows.values()].filter(({ isManual }) => !isManual);
        expect(new Set(due.map((one) => one.due))).toEqual(decided);
      },
    ),
    { numRuns: 300 },
  );
});

test("a schedule is deleted a month after it ended, and not while it may be due or a run is open", () => {
  const ledger = new Ledger({ when: { kind: "once", at: new Date(at(1)).toISOString() } });
  expect(getDeletionTime(ledger.state, [])).toBeNull();
  ledger.tick(at(1));
  expect(getDeletionTime(ledger.state, ledger.open())).toBeNull();
  ledger.start(at(1));
  ledger.end(key(1), "completed", at(1));
  expect(getDeletionTime(ledger.state, ledger.open())).toBe(at(1) + 30 * 24 * 60 * MINUTE);
  expect(getDeletionTime({ ...ledger.state, paused: true }, [])).toBeNull();
});
