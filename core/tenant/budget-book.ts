/** The figures of a tenant's accounts in memory: limits, use, and current leases. */
import { NO_AMOUNT } from "../task/amounts.ts";
import {
  type AccountUse,
  type BudgetAccount,
  type BudgetLimit,
  type BudgetPeriod,
  toDay,
  subtractAmounts,
  isZero,
  addAmounts,
} from "./budget-tree.ts";
import type { Amount } from "../task/state.ts";

/** A stored account: its limit, and its use on a day, in that day's month, and in total. */
export interface AccountFigures {
  readonly limit: BudgetLimit | null;
  readonly spent: Readonly<Record<BudgetPeriod, Amount>>;
}

/** Reads an account for a day (`2026-11-21`). An account that is not stored has no use. */
export type ReadFigures = (account: string, day: string) => AccountFigures;

/** Accounts in the cache. When it is full, it is cleared. */
const MAX_CACHED = 10_000;

/** Counts the use of unlimited accounts too, so that a later limit includes earlier use. */
export class BudgetBook {
  private readonly read: ReadFigures;
  private readonly cached = new Map<string, AccountFigures & { readonly day: string }>();
  private readonly leased = new Map<string, Amount>();

  constructor(read: ReadFigures) {
    this.read = read;
  }

  /**
   * Returns the accounts as seen by a task that leases `own` of each and has just used `more`, which is not counted
   * yet. The rest of its lease counts as free.
   */
  getUses(
    accounts: readonly string[],
    { own, more }: { readonly own: Amount; readonly more: Amount },
    now: number,
  ): AccountUse[] {
    return accounts.map((account) => {
      const { limit, spent } = this.getFigures(account, now);
      const used = addAmounts(spent[limit?.period ?? "month"], more);
      return { account, limit, used, leasedToOthers: subtractAmounts(this.getLeased(account), own) };
    });
  }

  /** Returns an account with its current figures. */
  account(account: string, now: number): BudgetAccount {
    const { limit, spent } = this.getFigures(account, now);
    const used = spent[limit?.period ?? "month"];
    const leased = this.getLeased(account);
    return {
      account,
      limit,
      usedTokens: used.tokens,
      usedCostMicros: used.costMicros,
      leasedTokens: leased.tokens,
      leasedCostMicros: leased.costMicros,
    };
  }

  /** Counts use that is already stored. */
  spend(accounts: readonly string[], more: Amount, now: number): void {
    const day = toDay(now);
    for (const account of accounts) {
      const held = this.cached.get(account);
      // A later read of another day includes the stored use.
      if (held === undefined || held.day !== day) continue;
      const { spent } = held;
      const added = {
        day: addAmounts(spent.day, more),
        month: addAmounts(spent.month, more),
        total: addAmounts(spent.total, more),
      };
      this.cached.set(account, { ...held, spent: added });
    }
  }

  /** Changes what is leased of each account. */
  lease(accounts: readonly string[], change: Amount): void {
    for (const account of accounts) {
      const leased = addAmounts(this.getLeased(account), change);
      if (isZero(leased)) this.leased.delete(account);
      else this.leased.set(account, leased);
    }
  }

  /** Drops the figures of an account whose stored limit changed. */
  forgetFigures(account: string): void {
    this.cached.delete(account);
  }

  private getLeased(account: string): Amount {
    return this.leased.get(account) ?? NO_AMOUNT;
  }

  private getFigures(account: string, now: number): AccountFigures {
    const day = toDay(now);
    const held = this.cached.get(account);
    if (held?.day === day) return held;
    if (this.cached.size >= MAX_CACHED) this.cached.clear();
    const read = { ...this.read(account, day), day };
    this.cached.set(account, read);
    return read;
  }
}
