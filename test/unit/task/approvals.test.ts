import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Command, RevisedCall } from "../../../core/task/commands.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { requestCalls, drawsFrom, preparedCall, toView, startThinking, wake } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { ASK, call, factsOf, NO_LIMITS, type ScriptedCall, TaskWorld } from "./world.ts";

type Decided = Extract<Command, { type: "approval_decided" }>;

const asks: ScriptedCall = { tool: "send", effect: "once", asks: true };
const rowsOf = (world: TaskWorld) => [...world.ledger.values()];
const count = (world: TaskWorld, type: string) => world.events.filter((event) => event.type === type).length;
const approvalsOf = (world: TaskWorld) =>
  toView(world.state).pending.flatMap((entry) => (entry.kind === "approval" ? [entry] : []));

function decision(approval: string, change: Partial<Decided> = {}): Decided {
  return {
    type: "approval_decided",
    approval,
    decision: "approve",
    revised: null,
    reason: null,
    by: "ana",
    request: null,
    ...change,
  };
}

/** Other arguments that a person put in the place of those with the hash `from`. */
const revised = (from: string, hash = "revised", change: Partial<RevisedCall> = {}) => ({
  arguments: { to: "bob" },
  argumentsHash: hash,
  effect: "once" as const,
  revisedFrom: from,
  note: "A person approved this with other arguments.",
  ...change,
});

/** A task that waits for approvals of all calls of its one step. */
function parked(calls: readonly ScriptedCall[] = [asks]): TaskWorld {
  const world = new TaskWorld([calls]);
  world.run(1000);
  return world;
}

describe("a call that needs an approval", () => {
  test("waits for a person, with the hash of exactly what would run", () => {
    const world = parked();
    expect(toView(world.state)).toMatchObject({
      status: "waiting_approval",
      pending: [
        { kind: "approval", tool: "send", arguments_hash: "send-1-0", reason: "the policy asks", effect: "once" },
      ],
    });
    expect(world.ran).toEqual([]);
    expect(rowsOf(world)).toMatchObject([{ state: "intended", attempts: 0, settledAt: null }]);
    const [requested] = world.events.filter(({ type }) => type === "approval.requested");
    expect(requested?.data).toMatchObject({
      arguments: {},
      arguments_hash: "send-1-0",
      approval_id: approvalsOf(world)[0]?.id,
    });
  });

  test("waits together with others, each under its own id, while calls without an approval run", () => {
    const world = parked([asks, call("keyed"), asks, asks]);
    const ids = approvalsOf(world).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(world.ran).toHaveLength(1);
    for (const id of [...ids].reverse()) {
      expect(world.apply(decision(id)).refused).toBeNull();
      world.run(world.now);
    }
    world.run();
    expect(rowsOf(world).map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 4 }, () => ["confirmed", 1]),
    );
    expect([...world.effects.values()]).toEqual([1, 1, 1, 1]);
    expect(count(world, "step.completed")).toBe(2);
  });

  test("runs exactly once when it is approved", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    world.apply(decision(id));
    expect(rowsOf(world)).toMatchObject([{ attempts: 0 }]);
    world.run();
    expect(world.ran).toEqual([{ callId: rowsOf(world)[0]?.callId, argumentsHash: "send-1-0" }]);
    expect(rowsOf(world)).toMatchObject([{ state: "confirmed", attempts: 1 }]);
    expect(count(world, "task.resumed")).toBe(1);
  });

  test("never runs when it is refused, and the model reads why", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    world.apply(decision(id, { decision: "refuse", reason: "not today" }));
    world.run();
    expect(world.ran).toEqual([]);
    expect(rowsOf(world)).toMatchObject([
      {
        state: "refused",
        content: expect.stringContaining("not today"),
        result: { error: { code: "permission_denied" } },
      },
    ]);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("is refused as gone when its time is up, and later decisions are gone too", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    const expiresAt = world.alarm ?? 0;
    expect(decide(world.state, decision(id), expiresAt).refused?.code).toBe("gone");
    expect(decide(world.state, decision(id), expiresAt - 1).refused).toBeNull();
    world.run();
    expect(rowsOf(world)).toMatchObject([{ state: "refused", result: { error: { code: "gone" } } }]);
    expect(world.apply(decision(id)).refused?.code).toBe("gone");
    expect([world.ran, count(world, "approval.expired")]).toEqual([[], 1]);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("is decided once, for any later decision", () => {
    const world = parked([asks, call("none", ASK)]);
    const [{ id } = { id: "" }] = approvalsOf(world);
    world.apply(decision(id));
    for (const by of ["ana", "bob"]) {
      for (const again of ["approve", "refuse"] as const) {
        const { refused, state } = world.apply(decision(id, { by, decision: again }));
        expect(refused).toMatchObject({ code: "conflict", message: expect.stringContaining("ana") });
        expect(state).toBe(world.state);
      }
    }
    expect(count(world, "approval.decided")).toBe(1);
  });

  test("knows a request that is sent again", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    expect(world.apply(decision(id, { request: "r" })).refused).toBeNull();
    expect(world.apply(decision(id, { request: "r" }))).toMatchObject({ refused: null, events: [], ledger: [] });
  });

  test.each([
    ["at once when it was approved while a hop was under way", true, 30],
    ["with the calls that the hop cut off when it was approved meanwhile", false, 1030],
  ] as const)("is due %s", (_, isSettled, due) => {
    const calls = [
      preparedCall(startThinking(), 0, { effect: "none" }),
      preparedCall(startThinking(), 1, { approval: { reason: "asked", expiresInMs: 60_000 } }),
    ];
    const acting = requestCalls(startThinking(), calls, 10).state;
    expect(acting.phase.name).toBe("acting");
    const approval = toView(acting).pending.find((entry) => entry.kind === "approval")?.id ?? "";
    const approved = decide(acting, decision(approval), 20).state;
    const hop = { step: 1, incarnation: "a" } as const;
    const outcome = confirmedOutcome({}, "done", 1);
    const settled = { type: "call_settled", ...hop, callId: calls[0]?.id ?? "", outcome } as const;
    const before = isSettled ? decide(approved, settled, 25).state : approved;
    const ended = decide(before, { type: "runner_call_ended", ...hop }, 30).state;
    expect(findNextWake(ended, 30)).toBe(due);
    const again = [{ callId: calls[0]?.id, attempt: 2 }];
    const { work } = wake(ended, "b", due);
    expect(work).toMatchObject({
      kind: "act",
      calls: [...(isSettled ? [] : again), { callId: calls[1]?.id, attempt: 1 }],
    });
  });

  test("costs its task none of its time while it waits", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 20_000 } });
    const world = new TaskWorld([[asks]], undefined, facts);
    world.run(1000);
    const [{ id } = { id: "" }] = approvalsOf(world);
    world.now = 500_000;
    expect(world.apply(decision(id)).refused).toBeNull();
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("is gone with its task, and one that never was is not found", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    world.apply({ type: "cancel", by: "ana" });
    expect(rowsOf(world)).toMatchObject([{ state: "failed" }]);
    expect(world.apply(decision(id)).refused?.code).toBe("gone");
    expect(world.apply(decision("apr_other")).refused?.code).toBe("not_found");
  });
});

describe("an approval with other arguments", () => {
  test("runs exactly those, and a note tells the model before the result", () => {
    const world = parked();
    const [{ id, arguments_hash: from } = { id: "", arguments_hash: "" }] = approvalsOf(world);
    const { events } = world.apply(decision(id, { revised: revised(from, "h2", { effect: "keyed" }) }));
    expect(events.find(({ type }) => type === "approval.decided")?.data).toMatchObject({
      arguments_hash: "h2",
      arguments: { to: "bob" },
    });
    world.run();
    expect(world.ran.map(({ argumentsHash }) => argumentsHash)).toEqual(["h2"]);
    expect(rowsOf(world)).toMatchObject([
      {
        arguments: { to: "bob" },
        argumentsHash: "h2",
        effect: "keyed",
        state: "confirmed",
        content: "A person approved this with other arguments.\nsend done",
      },
    ]);
  });

  test("that were made from other arguments is refused, and changes nothing", () => {
    const world = parked();
    const [{ id } = { id: "" }] = approvalsOf(world);
    const stale = world.apply(decision(id, { revised: revised("what was shown before") }));
    expect(stale).toMatchObject({ refused: { code: "conflict" }, ledger: [], events: [] });
    expect(approvalsOf(world)).toMatchObject([{ id, arguments_hash: "send-1-0" }]);
  });

  test("changes no argument when it is a refusal", () => {
    const world = parked();
    const [{ id, arguments_hash: from } = { id: "", arguments_hash: "" }] = approvalsOf(world);
    world.apply(decision(id, { decision: "refuse", revised: revised(from) }));
    expect(rowsOf(world)).toMatchObject([{ state: "refused", arguments: {}, argumentsHash: "send-1-0" }]);
  });
});

test("whatever is decided, however late or often, a call runs only with the arguments that were approved", () => {
  let ran = 0;
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          call: fc.nat({ max: 3 }),
          decision: fc.constantFrom("approve", "approve", "refuse"),
          edit: fc.constantFrom("none", "none", "fresh", "stale"),
          after: fc.constantFrom(0, 0, 0, 1000, 250_000),
          runs: fc.boolean(),
        }),
        { maxLength: 12 },
      ),
      fc.integer(),
      (tries, seed) => {
        const world = new TaskWorld(
          [[asks, { ...asks, effect: "keyed" }, asks, { ...asks, effect: "none" }]],
          crashing(drawsFrom(seed), 0.1),
        );
        world.run(60_000);
        const view = approvalsOf(world);
        const approved = new Map<string, string>();
        tries.forEach(({ call: at, decision: what, edit, after, runs }, index) => {
          const approval = view[at];
          if (approval === undefined) return;
          world.now += after;
          const change =
            edit === "none" ? null : revised(edit === "fresh" ? approval.arguments_hash : "stale", `edited ${index}`);
          const { refused } = world.apply(decision(approval.id, { decision: what, revised: change }));
          if (edit === "stale") expect(refused).not.toBeNull();
          if (refused === null) {
            expect(approved.has(approval.call_id)).toBe(false);
            approved.set(
              approval.call_id,
              what === "refuse" ? "never" : (change?.argumentsHash ?? approval.arguments_hash),
            );
          }
          if (runs) world.run(world.now);
        });
        world.run();
        ran += world.ran.length;
        for (const { callId, argumentsHash } of world.ran) expect(argumentsHash).toBe(approved.get(callId));
        for (const [callId, hash] of approved) {
          if (hash === "never") expect(world.ledger.get(callId)?.state).toBe("refused");
          else expect(["confirmed", "unknown"]).toContain(world.ledger.get(callId)?.state);
        }
        expect(getStatus(world.state)).toBe("completed");
      },
    ),
    { numRuns: 300 },
  );
  expect(ran).toBeGreaterThan(100);
});
