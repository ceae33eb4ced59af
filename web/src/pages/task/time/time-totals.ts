/** Where a task's time and money went: sums of its bars. */
import type { Bar } from "./waterfall.ts";

export interface Total {
  readonly name: string;
  readonly count: number;
  /** Milliseconds, added up: what ran side by side counts each for itself. */
  readonly ms: number;
  readonly costUsd: number;
  readonly failed: number;
}

/** How long a bar took: a call its own work where that is known. What is not over counts up to `now`. */
export function tookMs(bar: Bar, now: number): number {
  return bar.workedMs ?? Math.max(0, (bar.to ?? now) - bar.from);
}

/** One row per tool or model, the most expensive first, and at equal cost the longest. */
export function totalsOf(bars: readonly Bar[], kind: Bar["kind"], now: number): Total[] {
  const groups = new Map<string, Bar[]>();
  for (const bar of bars.filter((one) => one.kind === kind)) {
    const group = groups.get(bar.label);
    if (group === undefined) groups.set(bar.label, [bar]);
    else group.push(bar);
  }
  return [...groups]
    .map(([name, group]) => ({
      name,
      count: group.length,
      ms: sum(group, (bar) => tookMs(bar, now)),
      costUsd: sum(group, ({ costUsd }) => costUsd),
      failed: group.filter(({ state }) => state === "failed" || state === "refused" || state === "unknown").length,
    }))
    .toSorted((a, b) => b.costUsd - a.costUsd || b.ms - a.ms);
}

export const BAR_ORDERS = ["start", "duration", "cost"] as const;
export type BarOrder = (typeof BAR_ORDERS)[number];

/** The bars as a table lists them: by start time, longest first or most expensive first. */
export function sortedBars(bars: readonly Bar[], order: BarOrder, now: number): Bar[] {
  if (order === "start") return [...bars];
  const of = (bar: Bar): number => (order === "cost" ? bar.costUsd : tookMs(bar, now));
  return bars.toSorted((a, b) => of(b) - of(a));
}

function sum(bars: readonly Bar[], of: (bar: Bar) => number): number {
  return bars.reduce((total, bar) => total + of(bar), 0);
}
