/** How long an outbox retains ended deliveries. */
import { expect, test } from "vitest";
import {
  DELIVERY_RETENTION_MS,
  PROGRESS_RETENTION_MS,
  EVENT_BODY_RETENTION_MS,
} from "../../../../core/channels/outbox/rules.ts";
import { deliveryOf, OutboxWorld } from "./world.ts";

test("ended deliveries and stored replies are deleted after thirty days", () => {
  const world = new OutboxWorld();
  const one = deliveryOf({ keepAs: "card" });
  world.put(one);
  world.run(() => ({ kind: "sent", ref: { ts: "1" } }));
  expect(world.store.refs(["card"])).toEqual({ card: { ts: "1" } });
  expect(world.forgetting.listExpired(world.now + DELIVERY_RETENTION_MS - 1)).toEqual([]);
  const old = world.forgetting.listExpired(world.now + DELIVERY_RETENTION_MS);
  expect(old).toEqual([one.id]);
  world.forgetting.deleteExpired(old, world.now + DELIVERY_RETENTION_MS);
  expect(world.store.look(one.id)).toBeNull();
  expect(world.store.refs(["card"])).toEqual({});
  expect(world.forgetting.nextExpiryAt()).toBeNull();
});

test("progress deliveries are deleted a day after they were sent, but their stored replies remain", () => {
  const world = new OutboxWorld();
  const [shown, result] = [deliveryOf({ kind: "progress", keepAs: "message" }), deliveryOf()];
  world.put(shown, result);
  world.run(() => ({ kind: "sent", ref: { ts: "1" } }));
  const day = world.now + PROGRESS_RETENTION_MS;
  expect(world.forgetting.nextExpiryAt()).toBe(day);
  expect([world.forgetting.listExpired(day - 1), world.forgetting.listExpired(day)]).toEqual([[], [shown.id]]);
  world.forgetting.deleteExpired([shown.id], day);
  expect(world.store.refs(["message"])).toEqual({ message: { ts: "1" } });
  expect(world.forgetting.nextExpiryAt()).toBe(world.now + DELIVERY_RETENTION_MS);
  expect(world.forgetting.listExpired(world.now + DELIVERY_RETENTION_MS)).toEqual([result.id]);
});

test("the body of a delivered event is deleted after three days, but its state remains", () => {
  const world = new OutboxWorld();
  const content = { text: 'said "content":{} and more' };
  const [taken, refused, message] = [
    deliveryOf({ kind: "event", content }),
    deliveryOf({ kind: "event", content }),
    deliveryOf({ content }),
  ];
  world.put(taken, refused, message);
  world.run(({ delivery }) =>
    delivery.id === refused.id ? { kind: "dead", why: "410" } : { kind: "sent", ref: null },
  );
  const over = world.now + EVENT_BODY_RETENTION_MS;
  expect(world.forgetting.nextExpiryAt()).toBe(over);
  expect(world.forgetting.emptyBodies(over - 1)).toBe(false);
  expect([world.forgetting.emptyBodies(over), world.forgetting.emptyBodies(over)]).toEqual([true, false]);
  const looks = [taken, refused, message].map(({ id }) => world.store.look(id));
  expect(looks.map((look) => look?.content)).toEqual([{}, content, content]);
  expect(looks[0]?.report.state).toBe("sent");
  expect(looks[0]?.attempts).toHaveLength(1);
  expect(world.forgetting.nextExpiryAt()).toBe(world.now + DELIVERY_RETENTION_MS);
});
