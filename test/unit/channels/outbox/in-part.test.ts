/** What an outbox tells a sender of the attempts before: whether a part of the delivery may be there. */
import { expect, test } from "vitest";
import type { Outcome } from "../../../../core/channels/outbox/rules.ts";
import { CUT_OFF, deliveryOf, LATER, OutboxWorld, SENT } from "./world.ts";

const OURS: Outcome = { kind: "later", why: "the database is away", afterMs: null, isOurs: true };
const PAUSED: Outcome = { kind: "later", why: "429", afterMs: 1_000, pausesAllMs: 1_000 };
const IN_PART: Outcome = { kind: "later", why: "reset", afterMs: null, mayBeInPart: true };
const DEAD_IN_PART: Outcome = { kind: "dead", why: "locked", mayBeInPart: true };

/** What the attempts are told that begin from here on, answered so one after the other. */
function toldOf(world: OutboxWorld, begin: () => unknown, outcomes: readonly Outcome[]): boolean[] {
  const from = world.begun.length;
  const left = [...outcomes];
  begin();
  world.run(() => left.shift() ?? SENT);
  return world.begun.slice(from).map(({ attempt }) => attempt.mayHaveLeft || attempt.mayBeInPart === true);
}

test.each([
  ["what Otto lacked", [OURS, OURS], [false, false, false]],
  ["a refusal that surely did nothing", [PAUSED, LATER], [false, false, false]],
  ["a failure in the middle", [PAUSED, IN_PART, PAUSED, OURS], [false, false, true, true, true]],
  ["an attempt that was cut off", [CUT_OFF, PAUSED], [false, true, true]],
])("after %s the next attempt is told so", (_what, outcomes, told) => {
  const world = new OutboxWorld();
  expect(toldOf(world, () => world.put(deliveryOf()), outcomes)).toEqual(told);
});

test("one that is replayed is told of the parts before, unless nobody knew and a person has said to send it", () => {
  const world = new OutboxWorld();
  const [dead, unknown] = [deliveryOf(), deliveryOf()];
  toldOf(world, () => world.put(dead), [DEAD_IN_PART]);
  expect(toldOf(world, () => world.replay(dead.id), [])).toEqual([true]);
  toldOf(world, () => world.put(unknown), [IN_PART, { kind: "unknown", why: "it cannot be looked up" }]);
  expect(toldOf(world, () => world.replay(unknown.id), [PAUSED])).toEqual([false, false]);
});

test("one whose row an earlier release wrote may be there in part once it was tried", () => {
  const world = new OutboxWorld();
  const [tried, fresh] = [deliveryOf(), deliveryOf({ notBefore: world.now + 60_000 })];
  world.put(tried, fresh);
  world.settle(world.underWay[0] ?? expect.unreachable(), PAUSED);
  for (const { id } of [tried, fresh]) {
    const { mayBeInPart: _, ...row } = world.store.row(id) ?? expect.unreachable();
    world.store.save(row);
  }
  expect(toldOf(world, () => null, [PAUSED, SENT, PAUSED])).toEqual([true, true, false, false]);
});
