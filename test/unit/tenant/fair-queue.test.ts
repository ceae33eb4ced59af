import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairQueue } from "../../../core/tenant/fair-queue.ts";
import { LONGEST_PERMIT_MS, OFFER_MS, type SlotLimits, Slots } from "../../../core/tenant/slots.ts";

const NOW = 1_800_000_000_000;
const limitsOf = (share: number): SlotLimits => ({ share, held: 1000, isWaiting: () => false });
const held = (tasks: readonly string[], key: string | null = null) => tasks.map((task) => ({ task, key }));

function drain(queue: FairQueue): string[] {
  const order: string[] = [];
  for (let next = queue.next(); next !== null; next = queue.next()) order.push(next.task);
  return order;
}

describe("the queue", () => {
  test("gives the keys turns and keeps the order within a key", () => {
    const queue = new FairQueue();
    for (const task of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(task, task.charAt(0));
    expect(drain(queue)).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  });

  test("delays a key's one task by one turn, however many another key has queued", () => {
    const queue = new FairQueue();
    for (let index = 0; index < 1000; index += 1) queue.add(`many${index}`, "many");
    queue.add("one", "one");
    expect([queue.next()?.task, queue.next()?.task]).toEqual(["many0", "one"]);
  });

  test("prefers the key that has the least, and gives turns to those that have as little", () => {
    const queue = new FairQueue();
    for (const task of ["a1", "a2", "b1", "b2", "c1"]) queue.add(task, task.charAt(0));
    const has = new Map([["a", 1]]);
    const order = Array.from({ length: 5 }, () => queue.next((key) => has.get(key) ?? 0)?.task);
    expect(order).toEqual(["b1", "c1", "b2", "a1", "a2"]);
    expect(queue.next()).toBeNull();
  });

  test("keeps the position of a task that is added again, and drops a removed one", () => {
    const queue = new FairQueue();
    for (const task of ["1", "2", "3"]) queue.add(task, null);
    queue.add("1", null);
    queue.remove("2");
    queue.remove("nobody");
    expect(queue.size).toBe(2);
    expect(drain(queue)).toEqual(["1", "3"]);
  });

  test("gives every task once, and no key twice before each that waits had its turn", () => {
    const joins = fc.array(fc.record({ task: fc.nat(50), key: fc.nat(5) }), { maxLength: 100 });
    fc.assert(
      fc.property(joins, (all) => {
        const queue = new FairQueue();
        const keys = new Map<string, string>();
        for (const { task, key } of all) {
          if (!keys.has(`t${task}`)) keys.set(`t${task}`, `k${key}`);
          queue.add(`t${task}`, `k${key}`);
        }
        const order = drain(queue);
        expect(order.toSorted()).toEqual([...keys.keys()].toSorted());
        const turns = new Map<string, number>();
        for (const task of order) {
          const key = keys.get(task) ?? "";
          turns.set(key, (turns.get(key) ?? 0) + 1);
          for (const [other, had] of turns) {
            const waits = order.slice(order.indexOf(task) + 1).some((later) => keys.get(later) === other);
            if (waits) expect(had).toBeGreaterThanOrEqual((turns.get(key) ?? 0) - 1);
          }
        }
      }),
    );
  });
});

describe("the slots of a tenant", () => {
  test("are taken while there are any, and then waited for in turn", () => {
    const slots = new Slots([]);
    expect(["a1", "a2", "a3", "b1"].map((task) => slots.request(task, task.charAt(0), limitsOf(2), NOW))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual([]);
    slots.dequeue("a1");
    slots.dequeue("a2");
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual(["a3", "b1"]);
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual([]);
  });

  test("are reserved for a called task, then go to the next", () => {
    const slots = new Slots(held(["running"]));
    slots.request("first", null, limitsOf(1), NOW);
    slots.request("second", null, limitsOf(1), NOW);
    slots.dequeue("running");
    expect(slots.takeTasksToCall(limitsOf(1), NOW)).toEqual(["first"]);
    expect(slots.request("newcomer", null, limitsOf(1), NOW + 1)).toBe(false);
    expect(slots.getNextOfferEnd()).toBe(NOW + OFFER_MS);
    expect(slots.takeTasksToCall(limitsOf(1), NOW + OFFER_MS)).toEqual(["second"]);
    expect(slots.request("first", null, limitsOf(1), NOW + OFFER_MS)).toBe(false);
    expect(slots.request("second", null, limitsOf(1), NOW + OFFER_MS)).toBe(true);
    expect(slots.getNextOfferEnd()).toBeNull();
  });

  test("are not taken past those who wait longer", () => {
    const slots = new Slots(held(["running"]));
    slots.request("waiting", null, limitsOf(1), NOW);
    slots.dequeue("running");
    expect(slots.request("newcomer", null, limitsOf(1), NOW)).toBe(false);
    expect(slots.takeTasksToCall(limitsOf(1), NOW)).toEqual(["waiting"]);
  });

  test("stay with a task that asks again, until there are fewer than are held", () => {
    const slots = new Slots(held(["a", "b", "c"]));
    expect(slots.request("a", null, limitsOf(3), NOW)).toBe(true);
    expect(slots.request("a", null, limitsOf(2), NOW)).toBe(false);
    expect(slots.request("b", null, limitsOf(2), NOW)).toBe(true);
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual([]);
    expect(slots.takeTasksToCall(limitsOf(3), NOW)).toEqual(["a"]);
  });

  test("are yielded at the next question by the key that has more than its part, one for each task that is called", () => {
    const slots = new Slots(held(["a1", "a2", "a3", "a4"], "a"));
    const ask = (task: string) => slots.request(task, task.charAt(0), limitsOf(4), NOW);
    expect([ask("b1"), ask("b2"), ask("b3")]).toEqual([false, false, false]);
    expect([ask("a1"), slots.takeTasksToCall(limitsOf(4), NOW)]).toEqual([false, ["b1"]]);
    expect([ask("a2"), slots.takeTasksToCall(limitsOf(4), NOW)]).toEqual([false, ["b2"]]);
    expect([ask("a3"), ask("a4"), slots.takeTasksToCall(limitsOf(4), NOW)]).toEqual([true, true, []]);
    expect([ask("b1"), ask("b2"), ask("b1"), ask("a3")]).toEqual([true, true, true, true]);
  });

  test("stay with a key that has no more than the others, and with one whose own tasks alone wait", () => {
    const slots = new Slots([...held(["a1", "a2"], "a"), ...held(["b1"], "b")]);
    const ask = (task: string) => slots.request(task, task.charAt(0), limitsOf(3), NOW);
    expect([ask("b2"), ask("a3"), ask("a1"), ask("a2"), ask("b1")]).toEqual([false, false, true, true, true]);
    const alone = new Slots(held(["a1"], "a"));
    expect([alone.request("a2", "a", limitsOf(1), NOW), alone.request("a1", "a", limitsOf(1), NOW)]).toEqual([
      false,
      true,
    ]);
  });

  test("delay no key for more requests of those that hold them than there are keys, however long tasks run", () => {
    const shape = fc.record({
      share: fc.integer({ min: 1, max: 6 }),
      keys: fc.integer({ min: 2, max: 8 }),
      tasks: fc.integer({ min: 1, max: 8 }),
      order: fc.array(fc.nat(1000), { minLength: 60, maxLength: 120 }),
    });
    fc.assert(
      fc.property(shape, ({ share, keys, tasks, order }) => {
        const keyOf = (task: string) => task.split(" ")[0] ?? "";
        const names = Array.from({ length: keys }, (_, key) => `k${key}`);
        const all = names.flatMap((key) => Array.from({ length: tasks }, (_, task) => `${key} t${task}`));
        // The first key has all of the places, and the work for them.
        const first = Array.from({ length: share }, (_, task) => `k0 long${task}`);
        const slots = new Slots(held(first, "k0"));
        const holding = new Set(first);
        const ask = (task: string) => {
          if (slots.request(task, keyOf(task), limitsOf(share), NOW)) holding.add(task);
          else holding.delete(task);
          for (const called of slots.takeTasksToCall(limitsOf(share), NOW)) ask(called);
          expect(holding.size).toBeLessThanOrEqual(share);
        };
        for (const task of all) ask(task);
        const waits = new Map(names.map((key) => [key, 0]));
        const counts = () => names.map((key) => [...holding].filter((task) => keyOf(task) === key).length);
        for (const pick of order) {
          ask([...holding][pick % holding.size] ?? "");
          for (const [index, count] of counts().entries()) {
            const key = `k${index}`;
            waits.set(key, count > 0 ? 0 : (waits.get(key) ?? 0) + 1);
            expect(waits.get(key)).toBeLessThanOrEqual(keys);
          }
        }
        // When every task that holds a place has asked, no key that could use more has two fewer than another.
        for (let round = 0; round < share; round += 1) {
          const asking = [...holding];
          for (const task of asking) if (holding.has(task)) ask(task);
        }
        const usable = counts().filter((count) => count < tasks);
        expect(Math.max(...counts()) - Math.min(...usable, Math.max(...counts()))).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("are counted while a task runs, waits or was called", () => {
    const slots = new Slots([]);
    const counts = () => [slots.heldCount, slots.queuedCount];
    expect(counts()).toEqual([0, 0]);
    slots.request("a", null, limitsOf(0), NOW);
    expect(counts()).toEqual([0, 1]);
    slots.takeTasksToCall(limitsOf(1), NOW);
    expect(counts()).toEqual([0, 1]);
    slots.request("a", null, limitsOf(1), NOW);
    expect(counts()).toEqual([1, 0]);
    slots.dequeue("a");
    expect(counts()).toEqual([0, 0]);
  });

  test("never exceed their number, and are never idle while an uncalled task waits", () => {
    const step = fc.record({ task: fc.nat(9), leaves: fc.boolean(), pause: fc.nat(3000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 4 }), (steps, share) => {
        const slots = new Slots([]);
        const [holding, waiting] = [new Map<string, number>(), new Set<string>()];
        let [now, calls] = [NOW, new Map<string, number>()];
        for (const { task, leaves, pause } of steps) {
          now += pause;
          const name = `t${task}`;
          holding.delete(name);
          waiting.delete(name);
          calls.delete(name);
          if (leaves) slots.dequeue(name);
          else if (slots.request(name, `k${task % 3}`, limitsOf(share), now)) holding.set(name, now);
          else waiting.add(name);
          for (const called of slots.takeTasksToCall(limitsOf(share), now)) {
            waiting.delete(called);
            calls.set(called, now);
          }
          calls = new Map([...calls].filter(([, at]) => now < at + OFFER_MS));
          // A holder that asks for no further permit is in a long call.
          const working = [...holding.values()].filter((at) => now < at + LONGEST_PERMIT_MS).length;
          expect(working + calls.size).toBeLessThanOrEqual(share);
          if (waiting.size > 0) expect(working + calls.size).toBe(share);
        }
      }),
    );
  });
});
