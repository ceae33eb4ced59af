/**
 * The budgets above a task: of the tenant, of a key or a schedule, and of an agent. A task leases a slice of each
 * before it runs and settles its use; use and leases together never exceed a limit. Pure: `core/tenant/budget-book.ts`
 * has the figures, `durable-objects/tenant/` stores them. Tokens and millionths of a dollar are integers here.
 */
import { MICROS_PER_DOLLAR, NEAR_SHARE, NO_LIMIT } from "../task/amounts.ts";
import type { NearLimit } from "../task/commands.ts";
import type { Amount, AmountLimit, TaskFacts } from "../task/state.ts";

/** The period after which a limit's figures reset (UTC); `total` never resets. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The account of the tenant itself; the others are named by the id of their key, schedule or agent. */
export const TENANT_ACCOUNT = "tenant";

/** A limit of an account. */
export interface BudgetLimit extends AmountLimit {
  readonly period: BudgetPeriod;
}

/** An account with its limit, and its use and leases in the limit's period (this month without a limit). */
export interface BudgetAccount {
  readonly account: string;
  readonly limit: BudgetLimit | null;
  readonly usedTokens: number;
  readonly usedCostMicros: number;
  /** Leased to running tasks and not used yet. */
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

/** The most calls of a slice. Each call wants the most that it could use, so a slice lasts for more calls than that. */
const MAX_CALLS_PER_SLICE = 2;
/**
 * A slice is at most one part in this many of what is free, so that one task does not lease everything. The next call
 * may take more.
 */
const MAX_FREE_PART = 4;

const KINDS = [
  { field: "tokens", kind: "tokens" },
  { field: "costMicros", kind: "cost" },
] as const;
type Field = (typeof KINDS)[number]["field"];

/**
 * Returns the key or schedule that created a task's tree, whose account its use counts against; null for other sources.
 */
export function getPayer({ key, via }: Pick<TaskFacts, "key" | "via">): string | null {
  return key ?? (via.channel === "schedule" ? via.id : null);
}

/** Returns the accounts that a task's use counts against. `key` is its payer. */
export function listAccounts({ key, agent }: { readonly key: string | null; readonly agent: string }): string[] {
  return [TENANT_ACCOUNT, ...(key === null ? [] : [key]), agent];
}

/** An account as seen by one task: the use in its limit's period, and what other tasks lease. */
export interface AccountUse {
  readonly account: string;
  readonly limit: BudgetLimit | null;
  readonly used: Amount;
  readonly leasedToOthers: Amount;
}

/**
 * The decision of the accounts. `granted`: the task's own use may total `grant`. `wait`: others lease what is missing.
 */
export type BudgetVerdict =
  | { readonly kind: "granted"; readonly grant: AmountLimit }
  | { readonly kind: "wait"; readonly message: string }
  | { readonly kind: "exceeded"; readonly message: string };

/** A task's request to its accounts. */
export interface BudgetRequest {
  readonly used: Amount;
  readonly need: Amount;
  readonly want: Amount;
  readonly isPriced: boolean;
}

/**
 * Decides whether a task may continue. `used` is its own use so far, already counted in the accounts; `need` is the
 * least that its next call needs, `want` what the call would use. Each limited account gives a slice or none; the
 * smallest counts, for tokens and for money separately. A call that needs nothing of a kind is never refused for it.
 * Every limit of money refuses a call without a price (`isPriced` false), whose cost could not be counted.
 */
export function judgeBudget(
  accounts: readonly AccountUse[],
  { used, need, want, isPriced }: BudgetRequest,
): BudgetVerdict {
  const grant: Record<Field, number | null> = { ...NO_LIMIT };
  let waitsFor: string | null = null;
  for (const account of accounts) {
    for (const { field } of KINDS) {
      const most = account.limit?.[field] ?? null;
      if (account.limit === null || most === null) continue;
      if (field === "costMicros" && !isPriced)
        return { kind: "exceeded", message: formatUnpriced(account.account, account.limit) };
      const left = Math.max(0, most - account.used[field]);
      if (left < need[field]) return { kind: "exceeded", message: formatUsedUp(account.account, account.limit, field) };
      const leased = account.leasedToOthers[field];
      const slice = computeSlice({ left, leased, need: need[field], want: Math.max(need[field], want[field]) });
      if (slice === null) waitsFor ??= formatLimit(account.account, account.limit, field);
      else grant[field] = Math.min(grant[field] ?? Infinity, used[field] + slice);
    }
  }
  if (waitsFor === null) return { kind: "granted", grant };
  return { kind: "wait", message: `Other tasks hold what is left of ${waitsFor}. It may be released when they end.` };
}

/** Returns null when others lease what is missing. */
function computeSlice({
  left,
  leased,
  need,
  want,
}: Record<"left" | "leased" | "need" | "want", number>): number | null {
  const free = Math.max(0, left - leased);
  if (free >= want) return Math.max(want, Math.min(MAX_CALLS_PER_SLICE * want, Math.floor(free / MAX_FREE_PART)));
  return leased === 0 && free >= need ? free : null;
}

/** Returns the limits of which at least 80 % is used. Leases do not count, because their unused part returns. */
export function listNearLimits(accounts: readonly AccountUse[]): NearLimit[] {
  return accounts.flatMap(({ account, limit, used }) =>
    KINDS.flatMap(({ field, kind }) => {
      const most = limit?.[field] ?? null;
      return most === null || used[field] < most * NEAR_SHARE
        ? []
        : [{ account, kind, used: used[field], limit: most }];
    }),
  );
}

/** Returns the unused part of a lease. A kind without a limit leases nothing. */
export function getUnusedLease(grant: AmountLimit, used: Amount): Amount {
  const of = (field: Field) => Math.max(0, (grant[field] ?? used[field]) - used[field]);
  return { tokens: of("tokens"), costMicros: of("costMicros") };
}

/** Returns the day of a time, in UTC: `2026-11-21`. */
export function toDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** Returns the month of a day: `2026-11`. */
export function toMonth(day: string): string {
  return day.slice(0, 7);
}

/** Rounds up to whole tokens and millionths, so that sums are exact. */
export function roundUp({ tokens, costMicros }: Amount): Amount {
  return { tokens: Math.ceil(tokens), costMicros: Math.ceil(costMicros) };
}

export function addAmounts(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens + right.tokens, costMicros: left.costMicros + right.costMicros };
}

export function subtractAmounts(left: Amount, right: Amount): Amount {
  return { tokens: left.tokens - right.tokens, costMicros: left.costMicros - right.costMicros };
}

/** Returns the greater amount of each kind. */
export function toGreater(left: Amount, right: Amount): Amount {
  return {
    tokens: Math.max(left.tokens, right.tokens),
    costMicros: Math.max(left.costMicros, right.costMicros),
  };
}

export function isZero({ tokens, costMicros }: Amount): boolean {
  return tokens === 0 && costMicros === 0;
}

const RESET_HINTS: Readonly<Record<BudgetPeriod, string>> = {
  day: ", or wait for the next day (UTC)",
  month: ", or wait for the next month (UTC)",
  total: "",
};

function formatUsedUp(account: string, limit: BudgetLimit, field: Field): string {
  const hint = `Raise it with PUT /v1/budgets/${account}${RESET_HINTS[limit.period]}.`;
  return `${capitalize(formatLimit(account, limit, field))} does not cover another model call. ${hint}`;
}

function formatUnpriced(account: string, limit: BudgetLimit): string {
  const hint = `Remove its limit of money and limit tokens with PUT /v1/budgets/${account}, or use a model with a price.`;
  return `The price of the task's model is unknown, so ${formatLimit(account, limit, "costMicros")} cannot be enforced. ${hint}`;
}

/** `the tenant's budget of 50000 tokens a day` */
function formatLimit(account: string, limit: BudgetLimit, field: Field): string {
  const whose = account === TENANT_ACCOUNT ? "the tenant's budget" : `the budget of ${account}`;
  const amount =
    field === "tokens" ? `${limit.tokens ?? 0} tokens` : `${(limit.costMicros ?? 0) / MICROS_PER_DOLLAR} US dollars`;
  return `${whose} of ${amount} ${limit.period === "total" ? "in total" : `a ${limit.period}`}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
