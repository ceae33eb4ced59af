/** What an outbox remembers of what is over, and for how long. */
import { expect, test } from "vitest";
import { KEPT_MS, PROGRESS_KEPT_MS } from "../../core/channels/outbox-rules.ts";
import { deliveryOf, OutboxWorld } from "./outbox-world.ts";

test("what is over is forgotten after thirty days, with what its channel answered", () => {
  const world = new OutboxWorld();
  const one = deliveryOf({ keepAs: "card" });
  world.put(one);
  world.run(() => ({ kind: "sent", ref: { ts: "1" } }));
  expect(world.store.refs(["card"])).toEqual({ card: { ts: "1" } });
  expect(world.store.old(world.now + KEPT_MS - 1)).toEqual([]);
  const old = world.store.old(world.now + KEPT_MS);
  expect(old).toEqual([one.id]);
  world.store.forget(old, world.now + KEPT_MS);
  expect(world.store.look(one.id)).toBeNull();
  expect(world.store.refs(["card"])).toEqual({});
  expect(world.store.nextForgetAt()).toBeNull();
});

test("what showed the progress of a task is forgotten a day after it left, and what it answered is kept", () => {
  const world = new OutboxWorld();
  const [shown, result] = [deliveryOf({ kind: "progress", keepAs: "message" }), deliveryOf()];
  world.put(shown, result);
  world.run(() => ({ kind: "sent", ref: { ts: "1" } }));
  const day = world.now + PROGRESS_KEPT_MS;
  expect(world.store.nextForgetAt()).toBe(day);
  expect([world.store.old(day - 1), world.store.old(day)]).toEqual([[], [shown.id]]);
  world.store.forget([shown.id], day);
  expect(world.store.refs(["message"])).toEqual({ message: { ts: "1" } });
  expect(world.store.nextForgetAt()).toBe(world.now + KEPT_MS);
  expect(world.store.old(world.now + KEPT_MS)).toEqual([result.id]);
});
