/** The table of what tasks used. */
import type { Result } from "../base/errors.ts";

/** The dimensions of use. */
export const USAGE_PARTS = ["day", "agent", "key", "project"] as const;

export type UsagePart = (typeof USAGE_PARTS)[number];

/** A range of days as `2026-11-21` (UTC), both inclusive, and the dimensions to group by. */
export interface UsageRequest {
  readonly from: string;
  readonly to: string;
  readonly by: readonly UsagePart[];
  readonly limit: number;
}

/** The use of the tasks of one group. A key or a project that a task lacks is null. */
export interface UsageRow {
  readonly parts: {
    readonly day?: string;
    readonly agent?: string;
    readonly key?: string | null;
    readonly project?: string | null;
  };
  /** The number of tasks, without API calls. */
  readonly tasks: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly costMicros: number;
}

export interface UsageTable {
  /** Use by the day on which a task was created, including deleted tasks. At most `limit` rows, in order. */
  read(tenant: string, request: UsageRequest): Promise<Result<readonly UsageRow[]>>;
}
