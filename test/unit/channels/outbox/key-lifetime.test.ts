/**
 * An outbox gives its sender the time of the first attempt that may have been sent: a provider stores its key for a day
 * only.
 */
import { describe, expect, test } from "vitest";
import type { StartedAttempt } from "../../../../core/channels/outbox/queue.ts";
import type { Outcome } from "../../../../core/channels/outbox/rules.ts";
import { chooseRecovery } from "../../../../core/gateway/outcome.ts";
import { CUT_OFF, deliveryOf, LATER, OutboxWorld, SENT, START } from "./world.ts";

const [SECOND, HOUR] = [1000, 3_600_000];
const DAY = 24 * HOUR;
const LOST: Outcome = { kind: "later", why: "the answer was lost", afterMs: null, mayHaveLeft: true };
const OURS: Outcome = { kind: "later", why: "the database is away", afterMs: null, isOurs: true };
const aMail = () => deliveryOf({ channel: "email", to: "ana@example.com" });

/** A provider that stores a mail's key for a day, and a sender that looks up before it resends. */
class Provider {
  readonly left: string[] = [];
  private readonly seenAt = new Map<string, number>();
  private readonly world: OutboxWorld;

  constructor(world: OutboxWorld) {
    this.world = world;
  }

  send({ delivery, attempt }: StartedAttempt): Outcome {
    const since = attempt.mayHaveLeftSince;
    const mail = { effect: "keyed", keyedForMs: DAY, ...(since !== undefined && { sentAt: since }) } as const;
    if (attempt.mayHaveLeft && chooseRecovery(mail, this.world.now) !== "run")
      return { kind: "unknown", why: "the provider has forgotten it" };
    const seenAt = this.seenAt.get(delivery.id);
    if (seenAt === undefined || this.world.now - seenAt >= DAY) {
      this.left.push(delivery.id);
      this.seenAt.set(delivery.id, this.world.now);
    }
    return SENT;
  }
}

function openWorld() {
  const world = new OutboxWorld();
  return { world, provider: new Provider(world), mail: aMail() };
}

/** Otto cannot read the mail's parts for `ms`: that counts as no try and ends no delivery. */
function runAfterOutage(world: OutboxWorld, provider: Provider, ms: number): void {
  world.run((leaving) => {
    if (world.now - START >= ms) return provider.send(leaving);
    world.now = START + ms;
    return OURS;
  });
}

describe("a mail that may have been sent", () => {
  test("is unknown, and was sent once, after an outage longer than its key is stored", () => {
    const { world, provider, mail } = openWorld();
    world.put(mail);
    provider.send(world.underWay[0] ?? expect.unreachable());
    world.crash();
    runAfterOutage(world, provider, 25 * HOUR);
    expect(world.state(mail.id)).toBe("unknown");
    expect(provider.left).toEqual([mail.id]);
  });

  test("is resent under its key while that is stored, and arrives once", () => {
    const { world, provider, mail } = openWorld();
    world.put(mail);
    provider.send(world.underWay[0] ?? expect.unreachable());
    world.crash();
    runAfterOutage(world, provider, 20 * HOUR);
    expect(world.state(mail.id)).toBe("sent");
    expect(provider.left).toEqual([mail.id]);
  });

  test("counts from the first attempt with a lost answer, not from one that surely was not sent", () => {
    const { world, mail } = openWorld();
    world.put(mail);
    const answers = [LATER, LOST, LATER, CUT_OFF, SENT];
    world.run(() => answers.shift() ?? SENT);
    const second = world.attempts[1]?.at;
    expect(second).toBeGreaterThan(START);
    expect(world.attempts.map(({ attempt }) => attempt.mayHaveLeftSince)).toEqual([
      undefined,
      undefined,
      second,
      second,
      second,
    ]);
  });

  test("ends unknown, not dead, when it is given up after a lost answer", () => {
    const { world, mail } = openWorld();
    world.put(mail);
    world.run(({ attempt }) => (attempt.number === 1 ? LOST : LATER));
    expect(world.state(mail.id)).toBe("unknown");
    expect(world.now - START).toBeGreaterThan(23 * HOUR);
  });

  test("is sent again at a person's request, and its key counts from then on", () => {
    const { world, provider, mail } = openWorld();
    world.put(mail);
    provider.send(world.underWay[0] ?? expect.unreachable());
    world.crash();
    runAfterOutage(world, provider, 25 * HOUR);
    world.replay(mail.id);
    world.run((leaving) => provider.send(leaving));
    expect([world.state(mail.id), world.attempts.at(-1)?.attempt.mayHaveLeftSince]).toEqual(["sent", undefined]);
    expect(provider.left).toEqual([mail.id, mail.id]);
  });

  test("keeps its first attempt when it is replayed as dead", () => {
    const { world, mail } = openWorld();
    world.put(mail);
    world.run(({ attempt }) => (attempt.number === 1 ? LOST : { kind: "dead", why: "no" }));
    world.now += DAY;
    world.replay(mail.id);
    expect(world.attempts.at(-1)?.attempt).toMatchObject({ mayHaveLeft: true, mayHaveLeftSince: START });
  });

  test("in a row of an earlier release counts from its earliest possible start", () => {
    const world = new OutboxWorld();
    const mail = deliveryOf({ channel: "email", to: "ana@example.com", notBefore: START + HOUR });
    world.put(mail);
    world.sleep();
    world.crash();
    const { leftSince: _, begunAt: __, ...row } = world.store.row(mail.id) ?? expect.unreachable();
    world.store.save(row);
    world.sleep();
    expect(world.attempts.at(-1)?.attempt.mayHaveLeftSince).toBe(START + HOUR);
  });
});

test("a webhook that may have arrived is delivered at least once: it is retried to its end, then dead", () => {
  const world = new OutboxWorld();
  const one = deliveryOf({ channel: "webhook", kind: "event" });
  world.put(one);
  world.run(({ attempt }) => (attempt.number === 1 ? CUT_OFF : LATER));
  // The attempt that Otto cut off does not count.
  expect(world.attempts).toHaveLength(11);
  expect(world.now - START).toBeGreaterThan(2 * DAY + SECOND);
  expect(world.state(one.id)).toBe("dead");
});
