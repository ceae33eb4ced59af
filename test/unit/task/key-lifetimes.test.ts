/** Keyed calls of a task that pauses longer than their receiver remembers a key. The receivers here forget. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { failed } from "../../../core/base/errors.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { readState } from "../../../core/task/state-versions.ts";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide } from "../../../core/task/task.ts";
import sendEmail from "../../../tools/mail/send-email.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeMail } from "../../fakes/mail.ts";
import { depsFor, outcomesOf } from "../steps/play-gateway.ts";
import { requestCalls, drawsFrom, preparedCall, startThinking, wake } from "./play-task.ts";
import { factsOf, type ScriptedCall, TaskWorld } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The kill switch is on. The task retries after a day and an hour. */
const STOPPED = {
  type: "turned_away",
  why: "stopped",
  message: "stopped",
  askAgainAfterMs: 25 * HOUR,
} as const;

/** A task whose mail has left by the provider `mail`, and whose answer was lost with everything in memory. */
async function mailInFlight() {
  let now = 0;
  const mail = fakeMail({ clock: { now: () => now } });
  const given = { to: "ana@example.com", subject: "The plan", body: "Hello" };
  const config = { ...DEFAULT_AGENT.config, approval: { dangerous: "allow" as const } };
  const facts = factsOf({ agent: { ...DEFAULT_AGENT, config } });
  const toolset = { ...(await buildToolset([sendEmail], facts)), mailKeyedForMs: mail.keyedForMs };
  const calls = await prepareCalls([{ name: "send_email", arguments: JSON.stringify(given) }], {
    facts,
    step: 1,
    toolset,
    repeat: null,
    context: BY_PRINCIPAL,
  });
  const opened = requestCalls(startThinking({ agent: facts.agent }), calls);
  const rows = opened.ledger.flatMap((change) => (change.kind === "insert" ? [change.row] : []));

  /** Makes the calls of a hop. A call that a crash cuts off after it left has no outcome. */
  async function act({ state, work }: ReturnType<typeof wake>, isCutOff: boolean): Promise<TaskState> {
    if (work?.kind !== "act") return state;
    const send = async (...of: Parameters<typeof mail.send>) => {
      await mail.send(...of);
      return failed("upstream_failed", "The answer was lost.");
    };
    const sending = isCutOff ? { ...mail, send } : mail;
    const ports = { ...depsFor([]).ports, mail: sending, files: fakeFiles(() => now) };
    const toMake = work.calls.flatMap((call) =>
      rows.filter(({ callId }) => callId === call.callId).map((row) => ({ ...row, ...call })),
    );
    const job = { facts, step: 1, timeoutMs: work.timeoutMs, calls: toMake };
    const deps = { ...depsFor([sendEmail]), ports, clock: { now: () => now } };
    const [outcome] = await outcomesOf(job, deps, new AbortController().signal);
    const [made] = calls;
    if (isCutOff || outcome === undefined || made === undefined || state.phase.name !== "acting") return state;
    const { incarnation } = state.phase;
    return decide(state, { type: "call_settled", step: 1, incarnation, callId: made.id, outcome }, now).state;
  }

  const state = await act(opened, true);
  expect(mail.sent).toHaveLength(1);
  return {
    mail,
    /** Stops the tenant, and releases it after this long. */
    async releaseAfter(ms: number): Promise<TaskState> {
      const halted = decide(state, { type: "halt", message: "stopped" }, now + 1000).state;
      now += ms;
      const called = decide(halted, { type: "called" }, now).state;
      return await act(wake(called, "second", now), false);
    },
  };
}

describe("a mail that is in flight when the kill switch stops its tenant", () => {
  test("is unknown, and left once, when the tenant is released after the provider forgot its key", async () => {
    const { mail, releaseAfter } = await mailInFlight();
    const state = await releaseAfter(25 * HOUR);
    expect(state.batch).toMatchObject([{ tool: "send_email", state: "unknown", attempts: 1 }]);
    expect(mail.sent).toHaveLength(1);
  });

  test("is sent again under its key, and leaves once, while the provider remembers that", async () => {
    const { mail, releaseAfter } = await mailInFlight();
    const state = await releaseAfter(HOUR);
    expect(state.batch).toMatchObject([{ tool: "send_email", state: "confirmed", attempts: 2 }]);
    expect(mail.sent).toHaveLength(1);
  });
});

const pay: ScriptedCall = { tool: "pay", effect: "keyed", keyedForMs: DAY };
const rowOf = (world: TaskWorld): LedgerRow => [...world.ledger.values()][0] ?? expect.unreachable();

/** Crashes after each of the effects with these numbers. `pause`: milliseconds until the task wakes again. */
function payCutOff(pause: number, effects: readonly number[] = [1], ask = false): TaskWorld {
  const agent = {
    ...DEFAULT_AGENT,
    config: { ...DEFAULT_AGENT.config, on_unknown: ask ? ("ask" as const) : ("tell" as const) },
  };
  let ran = 0;
  const faults = {
    crashRate: 0.5,
    chance: () => {
      if (world.ran.length === ran) return 1;
      ran = world.ran.length;
      if (!effects.includes(ran)) return 1;
      world.now += pause;
      return 0;
    },
  };
  const world: TaskWorld = new TaskWorld([[pay]], faults, factsOf({ agent }));
  return world;
}

describe("a keyed call that was cut off after it happened", () => {
  test("runs again within its key's lifetime and is confirmed", () => {
    const world = payCutOff(20 * HOUR);
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "confirmed", attempts: 2 });
    expect([...world.effects.values()]).toEqual([1]);
  });

  test("counts its key's lifetime from the first attempt, however often it was repeated since", () => {
    const world = payCutOff(9 * HOUR, [1, 2, 3]);
    world.run();
    expect(world.ran).toHaveLength(3);
    expect(rowOf(world)).toMatchObject({ state: "unknown", attempts: 3 });
    expect([...world.effects.values()]).toEqual([1]);
  });

  test("is unknown when its tenant was stopped for longer than that", () => {
    // Long enough for the permit to expire: the task requests another before it continues.
    const world = payCutOff(10_000);
    let isReleased = false;
    world.tenantSays = () => {
      if (isReleased || world.ran.length === 0) return { type: "admitted", forMs: 2000, grant: NOTHING, near: [] };
      isReleased = true;
      return STOPPED;
    };
    world.run();
    expect(isReleased).toBe(true);
    expect(rowOf(world)).toMatchObject({ state: "unknown", attempts: 1 });
    expect([...world.effects.values()]).toEqual([1]);
  });

  test("runs once more when a person requests it after that, and its key's lifetime begins again", () => {
    const world = payCutOff(25 * HOUR, [1], true);
    world.run();
    expect(getStatus(world.state)).toBe("waiting_approval");
    world.apply({ type: "unknown_decided", callId: rowOf(world).callId, decision: "retry", by: "ana", request: null });
    const [call] = world.state.batch;
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "confirmed", attempts: 2, key: rowOf(world).callId });
    expect([...world.effects.values()]).toEqual([2]);
    expect(call?.sentAt).toBeLessThan(HOUR);
  });

  test("is not repeated automatically after the repeat that a person requested was cut off for a day too", () => {
    const world = payCutOff(25 * HOUR, [1, 2], true);
    world.run();
    world.apply({ type: "unknown_decided", callId: rowOf(world).callId, decision: "retry", by: "ana", request: null });
    world.run();
    expect(getStatus(world.state)).toBe("waiting_approval");
    expect([...world.effects.values()]).toEqual([2]);
  });
});

const NOTHING = { tokens: null, costMicros: null };

test("no keyed call happens twice at a receiver that forgets, after any crashes and pauses", () => {
  const scripts: ScriptedCall[][] = [
    [pay, { tool: "post", effect: "keyed", keyedForMs: HOUR }, { tool: "read", effect: "none" }],
    [
      { tool: "save", effect: "keyed", keyedForMs: 30 * DAY },
      { ...pay, asks: false },
    ],
  ];
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
      const draw = drawsFrom(seed);
      const faults = {
        crashRate: 0.2,
        chance: () => {
          const drawn = draw();
          // A crash leaves the task alone for up to two days; a short outage is the commonest.
          if (drawn < 0.2) world.now += Math.floor(draw() ** 4 * 48 * HOUR);
          return drawn;
        },
      };
      const world: TaskWorld = new TaskWorld(scripts, faults);
      world.run();
      expect(getStatus(world.state)).toBe("completed");
      for (const { callId, effect, state } of world.ledger.values()) {
        const times = world.effects.get(callId) ?? 0;
        if (effect !== "keyed") continue;
        expect(times).toBeLessThanOrEqual(1);
        expect(state).toMatch(times === 1 ? /^(confirmed|unknown)$/ : /^unknown$/);
      }
    }),
    { numRuns: 300 },
  );
});

describe("a keyed call that an earlier release attempted", () => {
  /** As version 5 stored it: neither when it was sent nor how long its key lives. */
  function stored(tool: string) {
    const opened = requestCalls(startThinking(), [preparedCall(startThinking(), 0, { effect: "keyed", tool })]).state;
    const { facts, ...rest } = opened;
    const batch = rest.batch.map(({ sentAt: _, ...call }) => call);
    return { facts, state: { ...rest, v: 5, batch } };
  }
  const later = (tool: string, age: number | null) => {
    const { facts, state } = stored(tool);
    const read = readState(facts, state, () => (age === null ? null : 40 * DAY - age));
    return wake(read, "second", 40 * DAY).work?.kind ?? "unknown";
  };

  test.each([
    ["write_file", 29 * DAY, "act"],
    ["write_file", 31 * DAY, "unknown"],
    ["send_email", 23 * HOUR, "act"],
    ["send_email", 25 * HOUR, "unknown"],
    ["http_request", 20 * 60_000, "act"],
    ["http_request", HOUR, "unknown"],
    ["create_invoice", HOUR, "unknown"],
    ["write_file", null, "unknown"],
  ])("%s, whose row is %s ms old", (tool, age, work) => {
    expect(later(tool, age)).toBe(work);
  });
});
