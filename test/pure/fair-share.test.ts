import { describe, expect, test } from "vitest";
import { FairShare } from "../../core/fair-share.ts";

const NOW = 1_800_000_000_000;

function heard(...tenants: string[]): FairShare {
  const shares = new FairShare();
  for (const tenant of tenants) shares.hear(tenant, true, NOW);
  return shares;
}

describe("a tenant's part of the places", () => {
  test("is all of them for one alone, known or not", () => {
    expect(heard().placesOf("a", 256, NOW)).toBe(256);
    expect(heard("a").placesOf("a", 256, NOW)).toBe(256);
  });

  test("is equal for all that are active", () => {
    const shares = heard("a", "b", "c");
    expect(["a", "b", "c", "newcomer"].map((tenant) => shares.placesOf(tenant, 256, NOW))).toEqual([85, 85, 85, 64]);
  });

  test("never falls below eight, and never passes the tenant's own limit", () => {
    const many = heard(...Array.from({ length: 500 }, (_, index) => `t${index}`));
    expect(many.placesOf("t1", 256, NOW)).toBe(8);
    expect(many.placesOf("t1", 5, NOW)).toBe(5);
  });

  test("grows when another has nothing to do any more, or was not heard of for ten seconds", () => {
    const shares = heard("a", "b", "c", "d");
    shares.hear("b", false, NOW);
    expect(shares.placesOf("a", 90, NOW)).toBe(30);
    shares.hear("a", true, NOW + 9000);
    expect(shares.placesOf("a", 90, NOW + 9999)).toBe(30);
    expect(shares.placesOf("a", 90, NOW + 10_000)).toBe(90);
  });

  test("is not held down by a clock that went back", () => {
    const shares = heard("a", "b");
    expect(shares.placesOf("c", 90, NOW - 60_000)).toBe(90);
  });
});
