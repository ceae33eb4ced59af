import { describe, expect, test } from "vitest";
import { FairShare } from "../../../core/tenant/fair-share.ts";

const NOW = 1_800_000_000_000;
const BUSY = { held: 1, queued: 0 };
const IDLE = { held: 0, queued: 0 };

function makeShare(...tenants: string[]): FairShare {
  const shares = new FairShare();
  for (const tenant of tenants) shares.record(tenant, BUSY, NOW);
  return shares;
}

const places = { own: 256, shared: 64 };

describe("a tenant's part of the slots", () => {
  test("is all of them for one alone, known or not", () => {
    expect(makeShare().computeSlots("a", places, NOW)).toBe(256);
    expect(makeShare("a").computeSlots("a", places, NOW)).toBe(256);
  });

  test("is an equal part of what they share for all that are active", () => {
    const shares = makeShare("a", "b", "c");
    expect(["a", "b", "c", "newcomer"].map((tenant) => shares.computeSlots(tenant, places, NOW))).toEqual([
      21, 21, 21, 16,
    ]);
  });

  test("never falls below two, and never passes the tenant's own limit", () => {
    const many = makeShare(...Array.from({ length: 500 }, (_, index) => `t${index}`));
    expect(many.computeSlots("t1", places, NOW)).toBe(2);
    expect(many.computeSlots("t1", { own: 1, shared: 64 }, NOW)).toBe(1);
    expect(makeShare("a", "b").computeSlots("a", { own: 5, shared: 64 }, NOW)).toBe(5);
  });

  test("grows when another reported nothing for ten seconds, and not before", () => {
    const shares = makeShare("a", "b", "c", "d");
    shares.record("a", BUSY, NOW + 9000);
    expect(shares.computeSlots("a", places, NOW + 9999)).toBe(16);
    shares.record("b", BUSY, NOW + 9999);
    expect(shares.computeSlots("a", places, NOW + 10_000)).toBe(32);
    expect(shares.computeSlots("a", places, NOW + 19_999)).toBe(256);
  });

  test("grows as soon as another holds no slot and has no queue", () => {
    const shares = makeShare("a", "b", "c", "d");
    shares.record("d", IDLE, NOW);
    expect(shares.computeSlots("a", places, NOW)).toBe(21);
    for (const tenant of ["b", "c", "unknown"]) shares.record(tenant, IDLE, NOW);
    expect(shares.computeSlots("a", places, NOW)).toBe(256);
    expect(shares.isAlone("a", NOW)).toBe(true);
    shares.record("b", { held: 0, queued: 1 }, NOW);
    expect(shares.computeSlots("a", places, NOW)).toBe(32);
    shares.clear();
    expect(shares.computeSlots("a", places, NOW)).toBe(256);
  });

  test("is not reduced when the clock was set back", () => {
    const shares = makeShare("a", "b");
    expect(shares.computeSlots("c", places, NOW - 60_000)).toBe(256);
  });
});

describe("a tenant whose tasks wait for their models", () => {
  test("takes no part, from a tenth of a second on and without a report", () => {
    const shares = makeShare();
    shares.record("b", { held: 2, queued: 0 }, NOW);
    const ends = ["b1", "b2"].map((task) => shares.beginWait("b", task, NOW));
    expect(shares.computeSlots("a", places, NOW + 99)).toBe(32);
    expect(shares.computeSlots("a", places, NOW + 100)).toBe(256);
    ends[0]?.();
    expect(shares.computeSlots("a", places, NOW + 100)).toBe(32);
    ends[1]?.();
  });

  test("takes its part while another of its tasks works or waits for a slot", () => {
    for (const use of [
      { held: 3, queued: 0 },
      { held: 2, queued: 1 },
    ]) {
      const shares = makeShare();
      shares.record("b", use, NOW);
      for (const task of ["b1", "b2"]) shares.beginWait("b", task, NOW);
      expect(shares.computeSlots("a", places, NOW + 5000)).toBe(32);
    }
  });

  test("waits by task; the end of an earlier call ends no later one", () => {
    const shares = makeShare();
    const end = shares.beginWait("b", "b1", NOW);
    shares.beginWait("b", "b1", NOW + 1000);
    end();
    const isWaiting = (tenant: string, task: string, at: number) => shares.isWaiting(tenant, task, NOW + at);
    expect([isWaiting("b", "b1", 1099), isWaiting("b", "b1", 1100)]).toEqual([false, true]);
    expect([isWaiting("b", "b2", 1100), isWaiting("c", "b1", 1100)]).toEqual([false, false]);
  });

  test("may hold eight slots for each, divided among the tenants that wait", () => {
    const shares = makeShare();
    expect(shares.computeHeld("a", 256)).toBe(2048);
    shares.beginWait("a", "a1", NOW);
    expect(shares.computeHeld("a", 256)).toBe(2048);
    expect(shares.computeHeld("b", 256)).toBe(1024);
  });
});
