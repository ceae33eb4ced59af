/** The bill of counted work: counts times list prices. Pure. */
import type { CountedScenarios, Counts } from "./counts.ts";
import { FIXED, type Item, OBJECT_GB, type Price, PRICES } from "./prices.ts";

/** Units of each item. */
export type Usage = Readonly<Record<Item, number>>;

/** Counted work, and what its counts do not say. */
export interface Job {
  /** A column of `docs/counts.md`. */
  readonly scenario: string;
  /** How long each model call takes. The object of the task is active meanwhile, because a pending request keeps it so. */
  readonly modelSeconds: number;
  /** Requests of the tenant to the Worker. */
  readonly workersRequests: number;
}

export const STEP: Job = { scenario: "`none` step", modelSeconds: 7, workersRequests: 0 };
export const QUICK_STEP: Job = { scenario: "`none` step, model of 50 ms", modelSeconds: 0.05, workersRequests: 0 };
export const KEYED_STEP: Job = { scenario: "`keyed` step", modelSeconds: 7, workersRequests: 0 };
export const TASK: Job = { scenario: "task of 5 `none` steps", modelSeconds: 7, workersRequests: 1 };

export const ITEMS = Object.keys(PRICES) as readonly Item[];

const ROWS_READ = ["task rows read", "tenant rows read", "sandbox rows read"];

/** What one run of the job uses. Throws when it was not counted. */
export function toUsage({ scenario, modelSeconds, workersRequests }: Job, counted: CountedScenarios): Usage {
  const counts = counted.get(scenario);
  if (counts === undefined) throw new Error(`"${scenario}" was not counted`);
  return {
    workersRequests,
    objectRequests: need(counts, "object calls") + need(counts, "alarm runs"),
    objectGbSeconds: need(counts, "model requests") * modelSeconds * OBJECT_GB,
    rowsRead: ROWS_READ.reduce((sum, measure) => sum + need(counts, measure), 0),
    rowsWritten: need(counts, "object rows written, alarms included"),
    r2Operations: need(counts, "R2 operations"),
    postgresBytes: need(counts, "Postgres bytes"),
    storedBytes: need(counts, "task bytes stored"),
  };
}

function need(counts: Counts, measure: string): number {
  const count = counts.get(measure);
  if (count === undefined) throw new Error(`"${measure}" was not counted`);
  return count;
}

/** The dollars of an item for a number of runs, at the list price or beyond what the plan includes each month. */
export function priceItem(usage: Usage, item: Item, runs: number, { beyondPlan = false } = {}): number {
  const { dollars, units, included }: Price = PRICES[item];
  const used = usage[item] * runs - (beyondPlan ? included : 0);
  return (Math.max(0, used) / units) * dollars;
}

/** The dollars of a number of runs. */
export function price(usage: Usage, runs: number, items: readonly Item[] = ITEMS, beyondPlan = false): number {
  return items.reduce((sum, item) => sum + priceItem(usage, item, runs, { beyondPlan }), 0);
}

/** What is paid once, when a step is made. What it stores is paid each month, and part of a task's bill. */
export const STEP_ITEMS = ITEMS.filter((item) => item !== "storedBytes");

/** What a deployment costs each month with no tenant. */
export function priceFixed(): number {
  return FIXED.reduce((sum, { dollars }) => sum + dollars, 0);
}
