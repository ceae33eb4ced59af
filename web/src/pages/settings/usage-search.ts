/** What the address of the usage page says. */
import type { Measure, Part } from "./usage-rows.ts";

export interface UsageSearch {
  readonly days: number;
  readonly measure: Measure;
  readonly by: Part;
}

const MEASURES: readonly Measure[] = ["cost_usd", "tokens", "tasks", "tool_calls"];
const PARTS: readonly Part[] = ["agent", "project", "key"];
/** The API's own. */
const MAX_DAYS = 366;

/** Whatever is missing or unknown is what the page begins with. */
export function readUsageSearch({ days, measure, by }: Record<string, unknown>): UsageSearch {
  return {
    days: typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : 30,
    measure: MEASURES.find((one) => one === measure) ?? "cost_usd",
    by: PARTS.find((one) => one === by) ?? "agent",
  };
}
