/** The rows of schedules, for lists and the sweep. The schedule's object is authoritative. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { ScheduleState } from "../schedules/schedule.ts";

/** A schedule as its object reports it. Only a higher `report` replaces the stored row. */
export interface ScheduleReport {
  readonly state: ScheduleState;
  readonly report: number;
  /** When its alarm is due; null if no work is pending. */
  readonly wakeAt: number | null;
}

/** A stored row. */
export interface StoredScheduleRow {
  readonly state: ScheduleState;
  readonly report: number;
  /**
   * False for a row of an earlier release whose object has not reported since. Its empty object may be a deleted one.
   */
  readonly isTracked: boolean;
}

export interface ScheduleTable {
  /**
   * Creates the row and the audit row; `quota_exceeded` when the tenant has `MAX_SCHEDULES` active ones, or
   * `MAX_KEPT_SCHEDULES`. Idempotent.
   */
  create(tenant: string, row: ScheduleReport, act: AuditEntry): Promise<Result<void>>;
  /**
   * Whether this ended schedule may become due again: `quota_exceeded` when the tenant has `MAX_SCHEDULES` others,
   * `not_found` without its row.
   */
  checkReactivation(tenant: string, id: string): Promise<Result<void>>;
  /** Stores a report. Drops one of a schedule without a row, or of a deleted tenant. */
  report(tenant: string, row: ScheduleReport): Promise<Result<void>>;
  /** Stores a report even without a row, after the database was replaced. */
  restore(tenant: string, row: ScheduleReport): Promise<Result<void>>;
  /** `not_found` without a row, and for a deleted tenant. */
  find(tenant: string, id: string): Promise<Result<StoredScheduleRow>>;
  /** With the present names of the people for whom the tasks act, and without those whose records were deleted. */
  page(tenant: string, request: PageRequest): Promise<Result<Page<ScheduleState>>>;
  /** Returns the removed row; `not_found` without one. `act` is null if its object was already deleted. */
  remove(tenant: string, id: string, act: AuditEntry | null): Promise<Result<ScheduleState>>;
  /** Ids of schedules of the tenant, in no order, for deletion. */
  listIds(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** Schedules of any tenant whose alarm was due before `before`, the longest overdue first. */
  overdue(before: number, limit: number): Promise<Result<readonly { tenant: string; schedule: string }[]>>;
}
