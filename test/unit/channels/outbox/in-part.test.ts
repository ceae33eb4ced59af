/** What a sender knows of earlier attempts: whether a part of the delivery may have taken effect. */
import { expect, test } from "vitest";
import type { Outcome } from "../../../../core/channels/outbox/rules.ts";
import { CUT_OFF, deliveryOf, LATER, OutboxWorld, SENT } from "./world.ts";

const OURS: Outcome = { kind: "later", why: "the database is away", afterMs: null, isOurs: true };
const PAUSED: Outcome = { kind: "later", why: "429", afterMs: 1_000, pausesAllMs: 1_000 };
const IN_PART: Outcome = { kind: "later", why: "reset", afterMs: null, mayBeInPart: true };
const DEAD_IN_PART: Outcome = { kind: "dead", why: "locked", mayBeInPart: true };

/** What the following attempts know, each answered with one outcome. */
function listMayBeInPart(world: OutboxWorld, begin: () => unknown, outcomes: readonly Outcome[]): boolean[] {
  const from = world.attempts.length;
  const left = [...outcomes];
  begin();
  world.run(() => left.shift() ?? SENT);
  return world.attempts.slice(from).map(({ attempt }) => attempt.mayHaveLeft || attempt.mayBeInPart === true);
}

test.each([
  ["what Otto lacked", [OURS, OURS], [false, false, false]],
  ["a refusal that surely did nothing", [PAUSED, LATER], [false, false, false]],
  ["a failure in the middle", [PAUSED, IN_PART, PAUSED, OURS], [false, false, true, true, true]],
  ["an attempt that was cut off", [CUT_OFF, PAUSED], [false, true, true]],
])("after %s the next attempt knows it", (_what, outcomes, expected) => {
  const world = new OutboxWorld();
  expect(listMayBeInPart(world, () => world.put(deliveryOf()), outcomes)).toEqual(expected);
});

test("a replayed delivery knows of earlier parts, unless a person resends an unknown one", () => {
  const world = new OutboxWorld();
  const [dead, unknown] = [deliveryOf(), deliveryOf()];
  listMayBeInPart(world, () => world.put(dead), [DEAD_IN_PART]);
  expect(listMayBeInPart(world, () => world.replay(dead.id), [])).toEqual([true]);
  listMayBeInPart(world, () => world.put(unknown), [IN_PART, { kind: "unknown", why: "it cannot be looked up" }]);
  expect(listMayBeInPart(world, () => world.replay(unknown.id), [PAUSED])).toEqual([false, false]);
});

test("a row of an earlier release may be there in part once it was tried", () => {
  const world = new OutboxWorld();
  const [tried, fresh] = [deliveryOf(), deliveryOf({ notBefore: world.now + 60_000 })];
  world.put(tried, fresh);
  world.settle(world.underWay[0] ?? expect.unreachable(), PAUSED);
  for (const { id } of [tried, fresh]) {
    const { mayBeInPart: _, ...row } = world.store.row(id) ?? expect.unreachable();
    world.store.save(row);
  }
  expect(listMayBeInPart(world, () => null, [PAUSED, SENT, PAUSED])).toEqual([true, true, false, false]);
});
