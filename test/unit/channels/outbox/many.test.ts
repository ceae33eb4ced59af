/** An outbox with a long queue, as for an endpoint that was away for a day. */
import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { deliveryOf, LATER, OutboxWorld, START } from "./world.ts";

describe("an outbox with thousands of waiting deliveries", () => {
  const alone = (more: Partial<Delivery> = {}) => {
    const one = deliveryOf({ channel: "webhook", kind: "event", ...more });
    return { ...one, lane: one.id };
  };

  /** The shortest time to start and end an attempt. */
  function effort(waiting: number): number {
    const world = new OutboxWorld();
    const many = Array.from({ length: waiting }, () => alone());
    world.tables.change(() => {
      for (const one of many) world.queue.put(one, world.now);
    });
    const efforts = Array.from({ length: 20 }, () => {
      const from = performance.now();
      const leaving = world.queue.begin(world.now);
      if (leaving === null) throw new Error("nothing leaves");
      world.queue.settle(leaving.delivery.id, leaving.attempt.number, LATER, world.now);
      world.queue.nextAt(world.now);
      return performance.now() - from;
    });
    return Math.min(...efforts);
  }

  test("takes no longer for the next delivery when each has its own partition", () => {
    expect(effort(20_000) / effort(100)).toBeLessThan(20);
  }, 60_000);

  test("sends the longest due first, and shows when each is due", () => {
    const world = new OutboxWorld();
    const first = alone();
    world.put(first);
    expect(world.store.look(first.id)?.report.dueAt).toBe(START);
    world.underWay.forEach((leaving) => world.settle(leaving, LATER));
    const again = world.store.row(first.id)?.dueAt ?? 0;
    world.now = again + 1;
    const [early, late] = [alone(), alone()];
    world.tables.change(() => {
      for (const one of [early, late]) world.queue.put(one, world.now);
    });
    world.work();
    expect(world.ids()).toEqual([first.id, first.id, early.id, late.id]);
  });
});
