/** The figures of a tenant's accounts while its object runs: limits, what was spent, what is leased to tasks now. */
import { NOTHING } from "../task/amounts.ts";
import {
  type AccountUse,
  type BudgetAccount,
  type BudgetLimit,
  type BudgetPeriod,
  dayOf,
  difference,
  isNothing,
  sum,
} from "./budget-tree.ts";
import type { Amount } from "../task/state.ts";

/** An account as it is stored: its limit, and what was spent on a day, in that day's month, and ever. */
export interface AccountFigures {
  readonly limit: BudgetLimit | null;
  readonly spent: Readonly<Record<BudgetPeriod, Amount>>;
}

/** Reads an account for a day (`2026-11-21`); nothing was spent on one that is not stored. */
export type ReadFigures = (account: string, day: string) => AccountFigures;

/** Accounts that are held at once; with more they are read again. */
const MAX_HELD = 10_000;

/** Knows the limited and the unlimited accounts alike, so that a limit set later counts what was used before. */
export class BudgetBook {
  private readonly read: ReadFigures;
  private readonly held = new Map<string, AccountFigures & { readonly day: string }>();
  private readonly leased = new Map<string, Amount>();

  constructor(read: ReadFigures) {
    this.read = read;
  }

  /**
   * The accounts as a task sees them that holds `own` of each and has just used `more`, which is about to be counted: the
   * rest of what it holds counts as free.
   */
  usesOf(
    accounts: readonly string[],
    { own, more }: { readonly own: Amount; readonly more: Amount },
    now: number,
  ): AccountUse[] {
    return accounts.map((account) => {
      const { limit, spent } = this.figures(account, now);
      const used = sum(spent[limit?.period ?? "month"], more);
      return { account, limit, used, leasedToOthers: difference(this.leases(account), own) };
    });
  }

  /** An account as it stands. */
  account(account: string, now: number): BudgetAccount {
    const { limit, spent } = this.figures(account, now);
    const used = spent[limit?.period ?? "month"];
    const leased = this.leases(account);
    return {
      account,
      limit,
      usedTokens: used.tokens,
      usedCostMicros: used.costMicros,
      leasedTokens: leased.tokens,
      leasedCostMicros: leased.costMicros,
    };
  }

  /** Counts what was spent; it is stored already. */
  spend(accounts: readonly string[], more: Amount, now: number): void {
    const day = dayOf(now);
    for (const account of accounts) {
      const held = this.held.get(account);
      // What is not held for this day is read with what is stored.
      if (held === undefined || held.day !== day) continue;
      const { spent } = held;
      const added = { day: sum(spent.day, more), month: sum(spent.month, more), total: sum(spent.total, more) };
      this.held.set(account, { ...held, spent: added });
    }
  }

  /** Changes what is leased of each account. */
  lease(accounts: readonly string[], change: Amount): void {
    for (const account of accounts) {
      const leased = sum(this.leases(account), change);
      if (isNothing(leased)) this.leased.delete(account);
      else this.leased.set(account, leased);
    }
  }

  /** A limit was set or taken away; it is stored already. */
  forgetFigures(account: string): void {
    this.held.delete(account);
  }

  private leases(account: string): Amount {
    return this.leased.get(account) ?? NOTHING;
  }

  private figures(account: string, now: number): AccountFigures {
    const day = dayOf(now);
    const held = this.held.get(account);
    if (held?.day === day) return held;
    if (this.held.size >= MAX_HELD) this.held.clear();
    const read = { ...this.read(account, day), day };
    this.held.set(account, read);
    return read;
  }
}
