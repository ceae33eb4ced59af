/** Attempts of a webhook that Otto cut off do not count as the receiver's tries. */
import { describe, expect, test } from "vitest";
import {
  applyOutcome,
  createRow,
  startAttempt,
  type Outcome,
  type QueuedDelivery,
  toOutcome,
} from "../../../../core/channels/outbox/rules.ts";
import { deliveryOf, LATER, OutboxWorld, START } from "./world.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const CRASH: Outcome = { kind: "cut_off", why: "Otto restarted.", byCrash: true };
const BROKEN: Outcome = { kind: "cut_off", why: "Its sender failed unexpectedly.", byCrash: false };
const aWebhook = () => deliveryOf({ channel: "webhook", kind: "event" });

/** The remaining tries of a receiver that answers 500 to each. */
function countTries(from: QueuedDelivery): number {
  let row = from;
  let tries = 0;
  for (; row.state === "waiting"; tries += 1) row = applyOutcome(startAttempt(row, row.dueAt), LATER, row.dueAt);
  expect(row.state).toBe("dead");
  return tries;
}

/** The delivery after attempts with these outcomes, each started when due, or `everyMs` after the one before. */
function after(outcomes: readonly Outcome[], everyMs = 0): QueuedDelivery {
  let row = createRow(aWebhook(), START);
  for (const outcome of outcomes) {
    const now = Math.max(row.dueAt, row.begunAt === undefined ? 0 : row.begunAt + everyMs);
    row = applyOutcome(startAttempt(row, now), outcome, now);
  }
  return row;
}

const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome);

describe("attempts of a webhook that a crash cut off", () => {
  test("do not count: after twenty of them all ten tries remain, and each is repeated within a second", () => {
    const row = after(times(20, CRASH));
    expect([row.attempts, row.tries]).toEqual([20, 0]);
    expect(row.dueAt - (row.begunAt ?? 0)).toBe(SECOND);
    expect(countTries(row)).toBe(10);
  });

  test("count from the twenty-first on, so a delivery that always crashes the process is given up", () => {
    expect(countTries(after(times(21, CRASH)))).toBe(9);
    expect(after(times(30, CRASH)).state).toBe("dead");
  });

  test("do not count among answered tries, but count later than a day after the first attempt", () => {
    expect(countTries(after([LATER, CRASH, LATER, CRASH]))).toBe(8);
    const late = after([LATER, CRASH, CRASH, CRASH], 13 * HOUR);
    // The attempts began after 0, 13, 26 and 39 hours.
    expect(late.givenBack?.count).toBe(1);
    expect(countTries(late)).toBe(7);
  });

  test("are limited again after a person replays the delivery", () => {
    const world = new OutboxWorld();
    const one = aWebhook();
    world.put(one);
    for (let crashes = 0; crashes < 30; crashes += 1) {
      world.crash();
      world.sleep();
    }
    expect(world.state(one.id)).toBe("dead");
    world.replay(one.id);
    const before = world.attempts.length;
    world.crash();
    world.run(() => LATER);
    // The replay's first attempt was cut off; the receiver still has ten.
    expect(world.attempts.length - before).toBe(10);
  });
});

test("an attempt that is lost before the receiver counts as cut off", () => {
  const lost = toOutcome({ kind: "later", why: "The connection was lost.", afterMs: null, isCutOff: true });
  expect(lost).toEqual({ kind: "cut_off", why: "The connection was lost.", byCrash: false });
  expect(countTries(after(times(20, lost)))).toBe(10);
  const answered = { kind: "later", why: "The receiver answered 500.", afterMs: null } as const;
  expect(toOutcome(answered)).toBe(answered);
});

test("a message of another channel that is cut off until it is given up is unknown", () => {
  let row = createRow(deliveryOf({ channel: "slack" }), START);
  for (let tries = 0; row.state === "waiting" && tries < 1000; tries += 1)
    row = applyOutcome(startAttempt(row, row.dueAt), BROKEN, row.dueAt);
  expect(row.state).toBe("unknown");
});

test("a failing sender uses none of the receiver's tries, and is retried with back-off", () => {
  const row = after(times(20, BROKEN));
  expect(row.tries).toBe(0);
  expect(row.dueAt - (row.begunAt ?? 0)).toBe(5 * MINUTE);
  expect(countTries(row)).toBe(10);
});
