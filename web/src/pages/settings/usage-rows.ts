/** What the usage page shows, made of the API's rows. */
import type { Usage } from "../../api/types.generated.ts";

export type UsageRow = Usage["data"][number];
export type Measure = "cost_usd" | "tokens" | "tasks" | "tool_calls";
export type Part = "agent" | "project" | "key";

const DAY_MS = 86_400_000;

/** A day with what each part took of it. Days without use are there, with nothing. */
export interface DayOfUse {
  readonly day: string;
  readonly total: number;
}

/** Every day from `from` to `to`, both included (`2026-11-21`), in order. */
export function daysOfUse({ from, to, data }: Usage, measure: Measure): DayOfUse[] {
  const totals = new Map<string, number>();
  for (const row of data) if (row.day !== undefined) totals.set(row.day, (totals.get(row.day) ?? 0) + row[measure]);
  const days: DayOfUse[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push({ day, total: totals.get(day) ?? 0 });
  }
  return days;
}

/** The rows of one part, the largest first. */
export function largestFirst(rows: readonly UsageRow[], measure: Measure): UsageRow[] {
  return rows.toSorted((a, b) => b[measure] - a[measure]);
}

/** The address's `days` as the API's `from` and `to`: the last so many, in UTC. `now` in milliseconds. */
export function rangeOf(days: number, now: number): { readonly from: string; readonly to: string } {
  const to = new Date(now).toISOString().slice(0, 10);
  return { from: new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10), to };
}
