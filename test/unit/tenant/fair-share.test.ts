import { describe, expect, test } from "vitest";
import { FairShare } from "../../../core/tenant/fair-share.ts";

const NOW = 1_800_000_000_000;

function makeShare(...tenants: string[]): FairShare {
  const shares = new FairShare();
  for (const tenant of tenants) shares.markActive(tenant, NOW);
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
    shares.markActive("a", NOW + 9000);
    expect(shares.computeSlots("a", places, NOW + 9999)).toBe(16);
    shares.markActive("b", NOW + 9999);
    expect(shares.computeSlots("a", places, NOW + 10_000)).toBe(32);
    expect(shares.computeSlots("a", places, NOW + 19_999)).toBe(256);
  });

  test("grows as soon as another holds no slot and has no queue", () => {
    const shares = makeShare("a", "b", "c", "d");
    shares.markIdle("d");
    expect(shares.computeSlots("a", places, NOW)).toBe(21);
    for (const tenant of ["b", "c", "unknown"]) shares.markIdle(tenant);
    expect(shares.computeSlots("a", places, NOW)).toBe(256);
    expect(shares.isAlone("a", NOW)).toBe(true);
    shares.markActive("b", NOW);
    expect(shares.computeSlots("a", places, NOW)).toBe(32);
    shares.clear();
    expect(shares.computeSlots("a", places, NOW)).toBe(256);
  });

  test("is not reduced when the clock was set back", () => {
    const shares = makeShare("a", "b");
    expect(shares.computeSlots("c", places, NOW - 60_000)).toBe(256);
  });
});
