import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { type Outcome, applyOutcome, createRow, startAttempt } from "../../../../core/channels/outbox/rules.ts";
import { listFailedSince } from "../../../../durable-objects/outbox/store.ts";
import type { StartedAttempt } from "../../../../core/channels/outbox/queue.ts";
import { CUT_OFF, deliveryOf, LATER, OutboxWorld, SENT, START } from "./world.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** The waits between the attempts of one delivery. */
function waits(world: OutboxWorld, id: string): number[] {
  const at = world.attempts.filter(({ delivery }) => delivery.id === id).map((one) => one.at);
  return at.slice(1).map((moment, index) => moment - (at[index] ?? 0));
}

describe("a failing delivery", () => {
  test("is tried ten times as a webhook over three days, then dead", () => {
    const world = new OutboxWorld();
    const one = deliveryOf({ channel: "webhook", kind: "event" });
    world.put(one);
    world.run(() => LATER);
    const plain = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
    const waited = waits(world, one.id);
    expect(waited).toHaveLength(9);
    for (const [index, wait] of waited.entries()) {
      expect(wait).toBeGreaterThanOrEqual(plain[index] ?? 0);
      expect(wait).toBeLessThanOrEqual((plain[index] ?? 0) * 1.1);
    }
    expect(world.state(one.id)).toBe("dead");
    expect(world.attempts.every(({ attempt }) => !attempt.mayHaveLeft)).toBe(true);
  });

  test.each(["slack", "email"] as const)(
    "is tried for a day by %s, from one second up to five minutes apart",
    (channel) => {
      const world = new OutboxWorld();
      const one = deliveryOf({ channel });
      world.put(one);
      world.run(() => LATER);
      const waited = waits(world, one.id);
      expect(waited[0]).toBeGreaterThanOrEqual(SECOND);
      expect(waited[0]).toBeLessThanOrEqual(1.1 * SECOND);
      expect(waited[3]).toBeGreaterThanOrEqual(8 * SECOND);
      expect(Math.max(...waited)).toBeLessThanOrEqual(5.5 * MINUTE);
      expect(world.now - START).toBeGreaterThan(23.8 * HOUR);
      expect(world.now - START).toBeLessThanOrEqual(24 * HOUR);
      expect(world.state(one.id)).toBe("dead");
    },
  );

  test("waits as long as its provider requests, at most a day", () => {
    const world = new OutboxWorld();
    const one = deliveryOf();
    world.put(one);
    const delays = [30 * SECOND, 1, Number.POSITIVE_INFINITY, Number.NaN];
    world.run(({ attempt }) => ({ kind: "later", why: "busy", afterMs: delays[attempt.number - 1] ?? 0 }));
    const waited = waits(world, one.id);
    expect(waited[0]).toBe(30 * SECOND);
    expect(waited[1]).toBeLessThan(3 * SECOND);
    expect(world.state(one.id)).toBe("dead");
    expect(world.now - START).toBeLessThan(24 * HOUR);
  });

  test("is unknown, not dead, when its last attempt was cut off", () => {
    const world = new OutboxWorld();
    const one = deliveryOf({ otherwise: [deliveryOf()] });
    world.put(one);
    world.run(() => CUT_OFF);
    expect(world.state(one.id)).toBe("unknown");
    expect(world.store.listFallbacks(10)).toEqual([]);
  });

  test("is dead after three days in which Otto could not send it", () => {
    const away: Outcome = { kind: "later", why: "away", afterMs: null, isOurs: true };
    let row = createRow(deliveryOf({ channel: "webhook", kind: "event", notBefore: START }), START);
    while (row.endedAt === null) row = applyOutcome(startAttempt(row, row.dueAt), away, row.dueAt);
    expect(row.state).toBe("dead");
    expect(row.dueAt - START).toBeGreaterThan(71 * HOUR);
    expect(row.dueAt - START).toBeLessThanOrEqual(72 * HOUR);
  });

  test("stores its latest hundred attempts", () => {
    const world = new OutboxWorld();
    const one = deliveryOf();
    world.put(one);
    world.run(({ attempt }) => (attempt.number < 150 ? LATER : SENT));
    const attempts = world.store.look(one.id)?.attempts ?? [];
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, index) => 51 + index));
    expect(attempts.at(-1)).toMatchObject({ outcome: "sent", why: null });
  });

  test("counts a late report that it was sent, while no other attempt has started", () => {
    const world = new OutboxWorld();
    const one = deliveryOf();
    world.put(one);
    const [leaving] = world.underWay;
    if (leaving === undefined) throw new Error("it did not begin");
    world.settle(leaving, CUT_OFF);
    world.settle(leaving, LATER);
    expect(world.state(one.id)).toBe("waiting");
    world.settle(leaving, SENT);
    expect(world.state(one.id)).toBe("sent");
    world.run(() => SENT);
    expect(world.ids()).toEqual([one.id]);
  });
});

describe("a partition", () => {
  test("waits for a retry, but not for a delivery with a later start nor for events", () => {
    const world = new OutboxWorld();
    const reminder = deliveryOf({ lane: "a", notBefore: START + HOUR });
    const [first, second] = [deliveryOf({ lane: "a" }), deliveryOf({ lane: "a" })];
    const events = [0, 1].map(() => deliveryOf({ lane: "b", channel: "webhook", kind: "event" }));
    world.put(reminder, first, second, ...events);
    world.run(({ attempt, delivery }) => (attempt.number === 1 && delivery !== second ? LATER : SENT));
    const order = world.ids().filter((id) => ![...events].some((event) => event.id === id));
    expect(order).toEqual([first.id, first.id, second.id, second.id, reminder.id, reminder.id]);
    const [one, other] = events;
    expect(world.ids().indexOf(other?.id ?? "")).toBeLessThan(world.ids().lastIndexOf(one?.id ?? ""));
  });

  test("sends only the latest of a slot, in the position of the first", () => {
    const world = new OutboxWorld();
    const busy = deliveryOf({ lane: "a" });
    const progress = [0, 1, 2].map(() => deliveryOf({ lane: "a", slot: "progress", kind: "progress" }));
    const result = deliveryOf({ lane: "a" });
    const [first, second, third] = progress;
    world.put(busy);
    world.put(...progress.slice(0, 1), result);
    world.put(...progress.slice(1));
    world.run(() => SENT);
    expect(world.ids()).toEqual([busy.id, third?.id, result.id]);
    expect([first, second].map((one) => world.state(one?.id ?? ""))).toEqual(["called_off", "called_off"]);
  });

  test("does not replace a delivery in its slot that may have been sent", () => {
    const world = new OutboxWorld();
    const [old, next] = [0, 1].map(() => deliveryOf({ lane: "a", slot: "progress" })) as [Delivery, Delivery];
    world.put(old);
    world.crash();
    world.put(next);
    world.run(() => SENT);
    expect(world.ids()).toEqual([old.id, old.id, next.id]);
  });
});

test("a delivery that is put again is sent once, at the earlier time", () => {
  const world = new OutboxWorld();
  const planned = deliveryOf({ notBefore: START + HOUR });
  world.put(planned);
  world.put({ ...planned, notBefore: START + 2 * HOUR });
  expect(world.ids()).toEqual([]);
  world.put({ ...planned, notBefore: START });
  expect(world.ids()).toEqual([planned.id]);
  world.run(() => SENT);
  world.put({ ...planned, notBefore: START - HOUR });
  world.run(() => SENT);
  expect(world.ids()).toEqual([planned.id]);
});

describe("a cancelled delivery", () => {
  test("is not retried after its running attempt, and is sent when that succeeds", () => {
    const world = new OutboxWorld();
    const [off, through] = [deliveryOf({ about: "q" }), deliveryOf({ about: "q" })];
    world.put(off, through);
    world.callOff("q");
    world.run(({ delivery }) => (delivery.id === off.id ? LATER : SENT));
    expect([off, through].map(({ id }) => world.state(id))).toEqual(["called_off", "sent"]);
  });

  test("can be replayed, and the same cancellation does not cancel it again", () => {
    const world = new OutboxWorld();
    const one = deliveryOf({ about: "q", notBefore: START + HOUR });
    world.put(one);
    world.callOff("q");
    world.now += 1;
    expect(world.replay(one.id)).toBe(true);
    world.run(({ attempt }) => (attempt.number === 1 ? LATER : SENT));
    expect(world.state(one.id)).toBe("sent");
  });

  test("was created before the cancellation; a later one about the same is sent", () => {
    const world = new OutboxWorld();
    world.now += 10;
    world.callOff("q");
    const [before, after] = [
      deliveryOf({ about: "q", createdAt: START }),
      deliveryOf({ about: "q", createdAt: world.now }),
    ];
    world.put(before, after);
    world.run(() => SENT);
    expect(world.ids()).toEqual([after.id]);
  });
});

describe("an undeliverable delivery", () => {
  test("is dead at once when it is refused or too large, and its fallbacks are sent", () => {
    const world = new OutboxWorld();
    const instead = deliveryOf({ channel: "email", to: "ann@example.com" });
    const refused = deliveryOf({ refused: "There is nobody called Ann.", otherwise: [instead] });
    const large = deliveryOf({ content: { text: "x".repeat(500_001) } });
    world.put(refused, large);
    world.run(() => SENT);
    expect(world.ids()).toEqual([]);
    expect([refused, large].map(({ id }) => world.state(id))).toEqual(["dead", "dead"]);
    expect(world.store.row(refused.id)?.why).toBe("There is nobody called Ann.");
    expect(world.store.listFallbacks(10).map(({ delivery }) => delivery)).toEqual([instead]);
  });

  test("is never replayed, and blocks no other", () => {
    const world = new OutboxWorld();
    const [refused, large] = [
      deliveryOf({ refused: "There is nobody called Ann." }),
      deliveryOf({ content: { text: "x".repeat(500_000) } }),
    ];
    const dead = deliveryOf();
    world.put(refused, large, dead);
    world.run(() => ({ kind: "dead", why: "gone" }));
    expect([refused, large, dead].map(({ id }) => world.replay(id))).toEqual([false, false, true]);
    world.run(() => ({ kind: "dead", why: "gone" }));
    expect(listFailedSince(world.tables, 0, 1)).toEqual({ ids: [dead.id], left: 0 });
    expect(world.ids()).toEqual([dead.id, dead.id]);
  });

  test("that is unknown is replayed as if it was never sent: a person has decided so", () => {
    const world = new OutboxWorld();
    const one = deliveryOf();
    world.put(one);
    world.crash();
    const maybe = () => world.attempts.at(-1)?.attempt.mayHaveLeft;
    world.run(({ attempt }) => (attempt.mayHaveLeft ? { kind: "unknown", why: "nobody can tell" } : SENT));
    expect(world.state(one.id)).toBe("unknown");
    world.replay(one.id);
    expect(maybe()).toBe(false);
    world.run(() => SENT);
    expect(world.state(one.id)).toBe("sent");
  });
});

/** An event in the life of an outbox. */
type Step =
  | {
      readonly do: "put";
      readonly lane: number;
      readonly slot: boolean;
      readonly about: boolean;
      readonly later: boolean;
    }
  | {
      readonly do: "answer";
      readonly which: number;
      readonly how: "sent" | "later" | "cut_off" | "dead";
      readonly left: boolean;
    }
  | { readonly do: "crash"; readonly left: boolean }
  | { readonly do: "sleep" | "call off" }
  | { readonly do: "again"; readonly which: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("put" as const),
        lane: fc.nat(3),
        slot: fc.boolean(),
        about: fc.boolean(),
        later: fc.boolean(),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("answer" as const),
        which: fc.nat(7),
        how: fc.constantFrom("sent", "later", "cut_off", "dead"),
        left: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("crash" as const), left: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("sleep" as const, "call off" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("again" as const), which: fc.nat(50) }) },
  ),
  { maxLength: 60 },
);

/**
 * An outside recorder: how often each delivery took effect, and whether the sender knew each time that it might have.
 */
class Recorder {
  readonly left = new Map<string, number>();
  readonly untold: string[] = [];

  take({ delivery: { id }, attempt }: StartedAttempt): void {
    const before = this.left.get(id) ?? 0;
    if (before > 0 && !attempt.mayHaveLeft) this.untold.push(id);
    this.left.set(id, before + 1);
  }
}

function play(world: OutboxWorld, recorder: Recorder, all: Delivery[], step: Step): void {
  switch (step.do) {
    case "put": {
      const about = step.about ? "q" : null;
      const slot = step.slot ? "s" : null;
      const notBefore = step.later ? world.now + 5000 : 0;
      const one = deliveryOf({ lane: `lane ${step.lane}`, slot, about, notBefore, createdAt: world.now });
      all.push(one);
      return world.put(one);
    }
    case "again": {
      const one = all[step.which % Math.max(1, all.length)];
      return one === undefined ? undefined : world.put(one);
    }
    case "answer": {
      const leaving = world.underWay[step.which % Math.max(1, world.underWay.length)];
      if (leaving === undefined) return;
      if (step.how === "sent" || (step.how === "cut_off" && step.left)) recorder.take(leaving);
      const outcomes: Readonly<Record<typeof step.how, Outcome>> = {
        sent: SENT,
        later: LATER,
        cut_off: CUT_OFF,
        dead: { kind: "dead", why: "no" },
      };
      return world.settle(leaving, outcomes[step.how]);
    }
    case "crash":
      if (step.left) for (const leaving of world.underWay) recorder.take(leaving);
      return world.crash();
    case "sleep":
      world.sleep();
      return;
    case "call off":
      return world.callOff("q");
  }
}

describe("any sequence of events", () => {
  test("resends only with a warning, keeps the order of partitions, and loses nothing", () => {
    fc.assert(
      fc.property(steps, (happened) => {
        const world = new OutboxWorld();
        const recorder = new Recorder();
        const all: Delivery[] = [];
        for (const step of happened) {
          play(world, recorder, all, step);
          const lanes = world.underWay.map(({ delivery }) => delivery.lane);
          expect(new Set(lanes).size).toBe(lanes.length);
          expect(lanes.length).toBeLessThanOrEqual(8);
        }
        world.run((leaving) => {
          recorder.take(leaving);
          return SENT;
        });
        expect(recorder.untold).toEqual([]);
        for (const one of all) {
          const state = world.state(one.id);
          expect(["sent", "dead", "called_off"]).toContain(state);
          if (state === "sent") expect(recorder.left.get(one.id)).toBeGreaterThan(0);
          if (state === "called_off") expect(one.about ?? one.slot).not.toBeNull();
        }
        const plain = all.filter(({ slot, notBefore }) => slot === null && notBefore === 0);
        for (const lane of new Set(plain.map((one) => one.lane))) {
          const put = plain.filter((one) => one.lane === lane && world.ids().includes(one.id)).map(({ id }) => id);
          const left = [...new Set(world.ids())].filter((id) => put.includes(id));
          expect(left).toEqual(put);
        }
      }),
      { numRuns: 300 },
    );
  });
});
