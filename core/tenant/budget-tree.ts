/**
 * The budgets above a task: the tenant's, a key's or a schedule's, an agent's. A task leases a slice of each before it begins to run and
 * settles what it used; what is spent and what is leased together never pass a limit. Pure: `core/tenant/budget-book.ts` holds
 * the figures, `durable-objects/tenant-*` stores them. Tokens and millionths of a dollar are whole numbers here.
 */
import { MICROS_PER_DOLLAR, NEAR_SHARE, NO_LIMIT } from "../task/amounts.ts";
import type { NearLimit } from "../task/commands.ts";
import type { Amount, AmountLimit, TaskFacts } from "../task/state.ts";

/** How long a limit's figures are counted before they begin again at nothing (UTC); `total`: for good. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The account of the tenant itself; the others are named by the id of their key, schedule or agent. */
export const TENANT_ACCOUNT = "tenant";

/** A limit of an account. */
export interface BudgetLimit extends AmountLimit {
  readonly period: BudgetPeriod;
}

/** An account as it stands: its limit, and in that limit's period (without one: this month) what is used and leased. */
export interface BudgetAccount {
  readonly account: string;
  readonly limit: BudgetLimit | null;
  readonly usedTokens: number;
  readonly usedCostMicros: number;
  /** Leased to tasks that run and not used yet. */
  readonly leasedTokens: number;
  readonly leasedCostMicros: number;
}

/** Who stopped a tenant, and when (milliseconds since the epoch). Only the operator releases what the operator stopped. */
export interface TenantStop {
  readonly by: string;
  readonly byOperator: boolean;
  readonly reason: string | null;
  readonly at: number;
}

/** A slice is at most this many times what the next call would take, so that a task asks again now and then. */
const MOST_CALLS_OF_SLICE = 8;
/** A slice is at most this part of what is free, so that one task does not lease it all; the next call may take more. */
const PART_OF_FREE = 4;

const KINDS = [
  { field: "tokens", kind: "tokens" },
  { field: "costMicros", kind: "cost" },
] as const;
type Field = (typeof KINDS)[number]["field"];

/** What a task's tree was made by, and its use counts against: a key or a schedule; null: something else made it. */
export function payerOf({ key, via }: Pick<TaskFacts, "key" | "via">): string | null {
  return key ?? (via.channel === "schedule" ? via.id : null);
}

/** The accounts that a task's use counts against. `key`: its payer. */
export function accountsOf({ key, agent }: { readonly key: string | null; readonly agent: string }): string[] {
  return [TENANT_ACCOUNT, ...(key === null ? [] : [key]), agent];
}

/** An account as one task sees it: what is used in its limit's period, and what other tasks lease of it. */
export interface AccountUse {
  readonly account: string;
  readonly limit: BudgetLimit | null;
  readonly used: Amount;
  readonly leasedToOthers: Amount;
}

/** What the accounts say to a task. `granted`: its own use may come to `grant` in all. `wait`: others hold what is missing. */
export type BudgetVerdict =
  | { readonly kind: "granted"; readonly grant: AmountLimit }
  | { readonly kind: "wait"; readonly message: string }
  | { readonly kind: "exceeded"; readonly message: string };

/** What a task asks of its accounts. */
export interface BudgetQuestion {
  readonly used: Amount;
  readonly need: Amount;
  readonly want: Amount;
  readonly isPriced: boolean;
}

/**
 * Whether a task may go on: `used` is its own use so far and already counted in the accounts, `need` the least that its
 * next call can do with, `want` what the call would take. Each limited account gives a slice or none; the smallest one
 * counts, for tokens and for money by itself. A call that needs nothing of a kind is never refused for it. One whose price
 * nobody knows (`isPriced` false) is refused by every limit of money: its cost would never be counted.
 */
export function judgeBudget(
  accounts: readonly AccountUse[],
  { used, need, want, isPriced }: BudgetQuestion,
): BudgetVerdict {
  const grant: Record<Field, number | null> = { ...NO_LIMIT };
  let waitsFor: string | null = null;
  for (const account of accounts) {
    for (const { field } of KINDS) {
      const most = account.limit?.[field] ?? null;
      if (account.limit === null || most === null) continue;
      if (field === "costMicros" && !isPriced)
        return { kind: "exceeded", message: unpriced(account.account, account.limit) };
      const left = Math.max(0, most - account.used[field]);
      if (left < need[field]) return { kind: "exceeded", message: usedUp(account.account, account.limit, field) };
      const leased = account.leasedToOthers[field];
      const slice = sliceOf({ left, leased, need: need[field], want: Math.max(need[field], want[field]) });
      if (slice === null) waitsFor ??= named(account.account, account.limit, field);
      else grant[field] = Math.min(grant[field] ?? Infinity, used[field] + slice);
    }
  }
  if (waitsFor === null) return { kind: "granted", grant };
  return { kind: "wait", message: `Other tasks hold what is left of ${waitsFor}. It may come back when they end.` };
}

/** Null: what is missing is leased to others. */
function sliceOf({ left, leased, need, want }: Record<"left" | "leased" | "need" | "want", number>): number | null {
  const free = Math.max(0, left - leased);
  if (free >= want) return Math.max(want, Math.min(MOST_CALLS_OF_SLICE * want, Math.floor(free / PART_OF_FREE)));
  return leased === 0 && free >= need ? free : null;
}

/** The limits of which at least 80 % is used. Leases do not count: what is not used of them comes back. */
export function nearLimits(accounts: readonly AccountUse[]): NearLimit[] {
  return accounts.flatMap(({ account, limit, used }) =>
    KINDS.flatMap(({ field, kind }) => {
      const most = limit?.[field] ?? null;
      return most === null || used[field] < most * NEAR_SHARE
        ? []
        : [{ account, kind, used: used[field], limit: most }];
    }),
  );
}

/** What is leased and not used. A kind without a limit leases nothing. */
export function outstanding(grant: AmountLimit, used: Amount): Amount {
  const of = (field: Field) => Math.max(0, (grant[field] ?? used[field]) - used[field]);
  return { tokens: of("tokens"), costMicros: of("costMicros") };
}

/** The day of a moment, in UTC: `2026-11-21`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The month of a day: `2026-11`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** Whole tokens and millionths, rounded up: sums of them are exact. */
export function whole({ tokens, costMicros }: Amount): Amount {
  return { tokens: Math.ceil(tokens), costMicros: Math.ceil(costMicros) };
}

export function sum(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens + right.tokens, costMicros: left.costMicros + right.costMicros };
}

export function difference(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens - right.tokens, costMicros: left.costMicros - right.costMicros };
}

/** The greater of each kind. */
export function most(left: Amount, right: Amount): Amount {
  return {
    tokens: Math.max(left.tokens, right.tokens),
    costMicros: Math.max(left.costMicros, right.costMicros),
  };
}

export function isNothing({ tokens, costMicros }: Amount): boolean {
  return tokens === 0 && costMicros === 0;
}

const BEGINS_AGAIN: Readonly<Record<BudgetPeriod, string>> = {
  day: ", or wait for the next day (UTC)",
  month: ", or wait for the next month (UTC)",
  total: "",
};

function usedUp(account: string, limit: BudgetLimit, field: Field): string {
  const wayOut = `Raise it with PUT /v1/budgets/${account}${BEGINS_AGAIN[limit.period]}.`;
  return `${capital(named(account, limit, field))} does not cover another model call. ${wayOut}`;
}

function unpriced(account: string, limit: BudgetLimit): string {
  const wayOut = `Take its limit of money away and limit tokens with PUT /v1/budgets/${account}, or use a model with a price.`;
  return `The price of the task's model is not known, so ${named(account, limit, "costMicros")} cannot be held. ${wayOut}`;
}

/** `the tenant's budget of 50000 tokens a day` */
function named(account: string, limit: BudgetLimit, field: Field): string {
  const whose = account === TENANT_ACCOUNT ? "the tenant's budget" : `the budget of ${account}`;
  const amount =
    field === "tokens" ? `${limit.tokens ?? 0} tokens` : `${(limit.costMicros ?? 0) / MICROS_PER_DOLLAR} US dollars`;
  return `${whose} of ${amount} ${limit.period === "total" ? "in total" : `a ${limit.period}`}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
