/** The table of what tasks used. */
import type { Result } from "../base/errors.ts";

/** What use is told apart by. */
export const USAGE_PARTS = ["day", "agent", "key", "project"] as const;

export type UsagePart = (typeof USAGE_PARTS)[number];

/** Days as `2026-11-21` (UTC), both included, and what to tell apart. */
export interface UsageRequest {
  readonly from: string;
  readonly to: string;
  readonly by: readonly UsagePart[];
  readonly limit: number;
}

/** What tasks used that have these parts in common. A key or a project that a task has not is null. */
export interface UsageRow {
  readonly parts: {
    readonly day?: string;
    readonly agent?: string;
    readonly key?: string | null;
    readonly project?: string | null;
  };
  /** Those that are in lists; calls over the API are none. */
  readonly tasks: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly costMicros: number;
}

export interface UsageTable {
  /** By the day on which a task was made, also of tasks that were erased since. At most `limit` rows, in their order. */
  read(tenant: string, request: UsageRequest): Promise<Result<readonly UsageRow[]>>;
}
