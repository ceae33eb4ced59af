import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_AMOUNT } from "../../../core/task/amounts.ts";
import { BudgetBook, type AccountFigures } from "../../../core/tenant/budget-book.ts";
import {
  type AccountUse,
  listAccounts,
  type BudgetLimit,
  judgeBudget,
  listNearLimits,
  getUnusedLease,
  getPayer,
  roundUp,
} from "../../../core/tenant/budget-tree.ts";
import type { Amount } from "../../../core/task/state.ts";

const tokens = (count: number): Amount => ({ tokens: count, costMicros: 0 });
const limitOf = (count: number, period: BudgetLimit["period"] = "total"): BudgetLimit => ({
  tokens: count,
  costMicros: null,
  period,
});
const use = (limit: BudgetLimit | null, used = 0, leased = 0, account = "tenant"): AccountUse => ({
  account,
  limit,
  used: tokens(used),
  leasedToOthers: tokens(leased),
});
const ask = (need: number, want: number, used = 0) => ({
  used: tokens(used),
  need: tokens(need),
  want: tokens(want),
  isPriced: true,
});

describe("a slice of a budget", () => {
  test.each([
    ["two calls, where there is plenty", use(limitOf(100_000)), ask(10, 100), 200],
    ["a quarter of what is free, where that is less", use(limitOf(600)), ask(10, 100), 150],
    ["the whole call, where that is more than a quarter", use(limitOf(300)), ask(10, 100), 100],
    ["what is left, when nobody else can give back", use(limitOf(60)), ask(10, 100), 60],
    ["counted from what the task used itself", use(limitOf(1000), 200), ask(10, 100, 200), 400],
    ["nothing for a call that needs nothing, also when all is used up", use(limitOf(100), 130), ask(0, 0, 130), 130],
  ])("is %s", (_what, account, requested, total) => {
    expect(judgeBudget([account], requested)).toEqual({ kind: "granted", grant: { tokens: total, costMicros: null } });
  });

  test("is without a limit where no account has one", () => {
    const unlimited = { kind: "granted", grant: { tokens: null, costMicros: null } };
    expect(judgeBudget([use(null), use(null)], ask(10, 100))).toEqual(unlimited);
  });

  test("is the smallest of all accounts, for tokens and for money separately", () => {
    const money = (most: number): AccountUse => ({
      account: "key_a",
      limit: { tokens: null, costMicros: most, period: "day" },
      used: NO_AMOUNT,
      leasedToOthers: NO_AMOUNT,
    });
    const amount = (count: number): Amount => ({ tokens: count, costMicros: count });
    const both = { used: NO_AMOUNT, need: amount(1), want: amount(100), isPriced: true };
    const agent = use(limitOf(600), 0, 0, "agent_a");
    expect(judgeBudget([use(limitOf(100_000)), money(2000), agent], both)).toEqual({
      kind: "granted",
      grant: { tokens: 150, costMicros: 200 },
    });
  });

  test("is waited for while others hold what is missing", () => {
    expect(judgeBudget([use(limitOf(100), 0, 60)], ask(10, 50))).toMatchObject({ kind: "wait" });
    expect(judgeBudget([use(limitOf(100), 0, 100)], ask(10, 50))).toMatchObject({ kind: "wait" });
  });

  test("is refused when the limit cannot cover the least that the task needs, after any release", () => {
    const verdict = judgeBudget([use(null), use(limitOf(100, "day"), 95, 3, "key_a")], ask(10, 50));
    expect(verdict).toEqual({
      kind: "exceeded",
      message:
        "The budget of key_a of 100 tokens a day does not cover another model call. Raise it with PUT /v1/budgets/key_a, or wait for the next day (UTC).",
    });
  });

  test("is refused for a model without a known price by every limit of money, and by no other", () => {
    const unpriced = { ...ask(10, 50), isPriced: false };
    expect(judgeBudget([use(limitOf(1000))], unpriced)).toMatchObject({ kind: "granted" });
    const money = use({ tokens: 1000, costMicros: 25_000_000, period: "month" }, 0, 0, "key_a");
    expect(judgeBudget([use(null), money], unpriced)).toEqual({
      kind: "exceeded",
      message:
        "The price of the task's model is unknown, so the budget of key_a of 25 US dollars a month cannot be enforced. Remove its limit of money and limit tokens with PUT /v1/budgets/key_a, or use a model with a price.",
    });
    expect(judgeBudget([money], ask(10, 50))).toMatchObject({ kind: "granted" });
  });

  test("is refused by one account although another one would have the task wait", () => {
    const accounts = [use(limitOf(100), 0, 60), use(limitOf(5), 0, 0, "agent_a")];
    expect(judgeBudget(accounts, ask(10, 50))).toMatchObject({ kind: "exceeded" });
  });

  test("never exceeds a limit by use and leases, and lets the only task continue with what it needs", () => {
    const amount = fc.integer({ min: 0, max: 5000 });
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, (limit, used, leased, need, more) => {
        const verdict = judgeBudget([use(limitOf(limit), used, leased)], ask(need, need + more));
        const slice = verdict.kind === "granted" ? (verdict.grant.tokens ?? 0) : 0;
        expect(used + leased + slice).toBeLessThanOrEqual(Math.max(limit, used + leased));
        if (leased === 0) expect(verdict.kind).toBe(Math.max(0, limit - used) < need ? "exceeded" : "granted");
      }),
    );
  });
});

test("a limit is near from 80 % of use on, and what is only leased does not count", () => {
  expect(listNearLimits([use(limitOf(100), 79, 21)])).toEqual([]);
  expect(listNearLimits([use(limitOf(100), 80), use(limitOf(1000), 80), use(null, 80)])).toEqual([
    { account: "tenant", kind: "tokens", used: 80, limit: 100 },
  ]);
});

test("a task counts against its tenant, its key and its agent; without a key against the others", () => {
  expect(listAccounts({ key: "key_a", agent: "agent_a" })).toEqual(["tenant", "key_a", "agent_a"]);
  expect(listAccounts({ key: null, agent: "agent_a" })).toEqual(["tenant", "agent_a"]);
});

test("the payer of a task is the key that created its tree, or the schedule", () => {
  const scheduled = { channel: "schedule", id: "sch_a" } as const;
  expect(getPayer({ key: null, via: scheduled })).toBe("sch_a");
  expect(getPayer({ key: "key_a", via: scheduled })).toBe("key_a");
  expect(getPayer({ key: null, via: { channel: "slack", id: "T1/C1/1" } })).toBeNull();
});

test("fractions of a token or of a millionth round up", () => {
  expect(roundUp({ tokens: 1.2, costMicros: 0.4 })).toEqual({ tokens: 2, costMicros: 1 });
});

test("a lease is what was granted and is not used, and nothing where there is no limit", () => {
  expect(getUnusedLease({ tokens: 100, costMicros: null }, { tokens: 30, costMicros: 9 })).toEqual(tokens(70));
  expect(getUnusedLease({ tokens: 100, costMicros: null }, tokens(130))).toEqual(NO_AMOUNT);
});

describe("the figures of an account", () => {
  const DAY = 86_400_000;
  const NOON = Date.UTC(2026, 10, 21, 12);
  const stored = (limit: BudgetLimit | null) => {
    const spent = new Map<string, number>();
    const read = (_account: string, day: string): AccountFigures => {
      const sumOf = (prefix: string) =>
        [...spent].reduce((sum, [on, amount]) => sum + (on.startsWith(prefix) ? amount : 0), 0);
      return {
        limit,
        spent: { day: tokens(sumOf(day)), month: tokens(sumOf(day.slice(0, 7))), total: tokens(sumOf("")) },
      };
    };
    const book = new BudgetBook(read);
    const spend = (count: number, at: number) => {
      const day = new Date(at).toISOString().slice(0, 10);
      spent.set(day, (spent.get(day) ?? 0) + count);
      book.spend(["tenant"], tokens(count), at);
    };
    return { book, spend, used: (at: number) => book.account("tenant", at).usedTokens };
  };

  test.each([
    ["day", 50, 20],
    ["month", 80, 20],
    ["total", 80, 100],
  ] as const)("begin again with each %s", (period, sameMonth, nextMonth) => {
    const { spend, used } = stored(limitOf(1000, period));
    spend(30, NOON - DAY);
    spend(50, NOON);
    expect(used(NOON)).toBe(sameMonth);
    spend(20, NOON + 10 * DAY);
    expect(used(NOON + 10 * DAY)).toBe(nextMonth);
  });

  test("follow what is spent without being read again, also when they were never read before", () => {
    const { spend, used } = stored(null);
    spend(5, NOON);
    expect(used(NOON)).toBe(5);
    spend(7, NOON);
    expect(used(NOON)).toBe(12);
  });

  test("show what a task holds as free to itself and as leased to others", () => {
    const { book } = stored(limitOf(1000));
    book.lease(["tenant"], tokens(300));
    const [own] = book.getUses(["tenant"], { own: tokens(100), more: tokens(10) }, NOON);
    expect(own).toMatchObject({ used: tokens(10), leasedToOthers: tokens(200) });
    book.lease(["tenant"], tokens(-300));
    expect(book.account("tenant", NOON)).toMatchObject({ leasedTokens: 0, leasedCostMicros: 0 });
  });
});
