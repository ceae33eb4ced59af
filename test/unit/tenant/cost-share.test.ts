import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rateBody } from "../../../core/tenant/cost-rates.ts";
import { CostShare } from "../../../core/tenant/cost-share.ts";

const NOW = 1_800_000_000_000;

/** Charges each tenant `msPerSecond` in each of the ten seconds before `NOW`. */
function charged(...costs: readonly (readonly [tenant: string, msPerSecond: number])[]): CostShare {
  const shares = new CostShare();
  for (let second = 9; second >= 0; second -= 1)
    for (const [tenant, ms] of costs) shares.charge(tenant, ms, NOW - second * 1000);
  return shares;
}

describe("a tenant's cost", () => {
  test("never refuses a tenant that is alone, at any cost", () => {
    expect(charged(["a", 1000]).findRefusalMs("a", NOW)).toBeNull();
    expect(charged(["a", 50_000]).findRefusalMs("a", NOW)).toBeNull();
  });

  test("refuses a tenant that is two seconds past its part of ten, and no other one", () => {
    // Two tenants have five seconds each.
    const within = charged(["a", 700], ["b", 1]);
    expect([within.findRefusalMs("a", NOW), within.findRefusalMs("b", NOW)]).toEqual([null, null]);
    const beyond = charged(["a", 710], ["b", 1]);
    expect([beyond.findRefusalMs("a", NOW), beyond.findRefusalMs("b", NOW)]).toEqual([1000, null]);
    // Ten have one second each.
    const many = Array.from({ length: 9 }, (_, index) => [`t${index}`, 1] as const);
    expect(charged(["a", 300], ...many).findRefusalMs("a", NOW)).toBeNull();
    expect(charged(["a", 301], ...many).findRefusalMs("a", NOW)).toBe(1000);
  });

  test("expires when it leaves the window, after the reported time", () => {
    const shares = charged(["a", 900], ["b", 1]);
    const wait = shares.findRefusalMs("a", NOW) ?? 0;
    expect(wait).toBe(3000);
    for (let second = 1; second <= 3; second += 1) shares.charge("b", 1, NOW + second * 1000);
    expect(shares.findRefusalMs("a", NOW + wait - 1)).not.toBeNull();
    expect(shares.findRefusalMs("a", NOW + wait)).toBeNull();
  });

  test("is compared with the other tenants of the window only", () => {
    const shares = new CostShare();
    shares.charge("b", 1, NOW - 20_000);
    shares.charge("a", 9000, NOW);
    expect(shares.findRefusalMs("a", NOW)).toBeNull();
    shares.charge("b", 1, NOW);
    expect(shares.findRefusalMs("a", NOW)).not.toBeNull();
    shares.clear();
    expect(shares.findRefusalMs("a", NOW)).toBeNull();
  });

  test("ignores a clock that was set back, and costs that are not positive", () => {
    const shares = charged(["a", 900], ["b", 1]);
    expect(shares.findRefusalMs("a", NOW - 60_000)).toBeNull();
    shares.charge("c", Number.NaN, NOW);
    shares.charge("c", -5, NOW);
    expect(charged(["a", 690], ["b", 1]).findRefusalMs("a", NOW)).toBeNull();
  });

  test("counts a tenant that only books as one that is active", () => {
    const shares = new CostShare();
    for (let second = 0; second < 15; second += 1) {
      shares.book("a", NOW + second * 1000);
      shares.charge("b", 700, NOW + second * 1000);
    }
    expect(shares.findRefusalMs("b", NOW + 14_000)).toBeNull();
    shares.charge("b", 100, NOW + 14_000);
    expect(shares.findRefusalMs("b", NOW + 14_000)).toBe(1000);
  });

  test("never refuses a tenant within its part, and always one that is two seconds past it", () => {
    const costs = fc.array(fc.integer({ min: 1, max: 12_000 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(costs, (all) => {
        const shares = new CostShare();
        for (const [index, cost] of all.entries()) shares.charge(`t${index}`, cost, NOW);
        const part = 10_000 / all.length;
        for (const [index, cost] of all.entries())
          expect(shares.findRefusalMs(`t${index}`, NOW) !== null).toBe(cost > part + 2000);
      }),
      { numRuns: 200 },
    );
  });
});

test("a body costs by how it is read", () => {
  expect(rateBody("json", 0)).toBe(0);
  const [json, compiled, yaml] = (["json", "compiled", "yaml"] as const).map((kind) => rateBody(kind, 1_048_576));
  expect(json).toBeLessThan(compiled ?? 0);
  expect(json).toBeLessThan(yaml ?? 0);
});

describe("an inbox", () => {
  const inbox = (index: number, owner: string | null) => ({ inbox: `webhook/hook_${index}`, owner });

  test("neither paces nor refuses its tenant that is alone, whether its owner is known or not", () => {
    for (const owner of ["a", null]) {
      const shares = charged(["a", 900]);
      shares.book(inbox(0, owner), NOW);
      shares.charge(inbox(0, owner), 100, NOW);
      shares.charge("a", 200, NOW);
      expect([shares.findTurnWaitMs("a", NOW), shares.findRefusalMs("a", NOW)]).toEqual([0, null]);
    }
  });

  test("is not a tenant of its own: 200 of one tenant count as that one, and those without an owner as none", () => {
    for (const owner of ["b", null]) {
      const shares = charged(["a", 690], ["b", 1]);
      for (let index = 0; index < 200; index += 1) shares.charge(inbox(index, owner), 1, NOW);
      // Two tenants have five seconds each.
      expect(shares.findRefusalMs("a", NOW)).toBeNull();
      shares.charge("a", 200, NOW);
      expect(shares.findRefusalMs("a", NOW)).not.toBeNull();
    }
  });

  test("makes its owner active, even if nothing else of the owner is", () => {
    const shares = charged(["a", 900]);
    shares.charge(inbox(0, "b"), 1, NOW);
    expect(shares.findRefusalMs("a", NOW)).not.toBeNull();
    expect(shares.findTurnWaitMs("a", NOW)).toBe(0);
    shares.charge("a", 900, NOW);
    expect(shares.findTurnWaitMs("a", NOW)).toBeGreaterThan(0);
  });

  test("has a pace of its own, which is no tenant's", () => {
    const shares = charged(["b", 10]);
    shares.charge(inbox(0, "a"), 2000, NOW);
    expect(shares.book(inbox(0, "a"), NOW)).toBeGreaterThan(0);
    expect(shares.book("a", NOW)).toBe(0);
    expect(shares.findRefusalMs("a", NOW)).toBeNull();
  });

  test("counts for its owner once that is known", () => {
    const shares = charged(["a", 900]);
    shares.charge(inbox(0, null), 1, NOW);
    expect(shares.findRefusalMs("a", NOW)).toBeNull();
    shares.learnOwner("webhook/hook_0", "b");
    shares.charge(inbox(0, null), 1, NOW);
    expect(shares.findRefusalMs("a", NOW)).not.toBeNull();
  });
});
