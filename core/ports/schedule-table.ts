/** The rows of schedules: what lists show and the sweep looks at. The schedule's object is the truth. */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { ScheduleState } from "../schedules/schedule.ts";

/** A schedule as its object reports it. Only a higher `report` takes the place of what is there. */
export interface ScheduleReport {
  readonly state: ScheduleState;
  readonly report: number;
  /** When its alarm is due; null: nothing is to be done. */
  readonly wakeAt: number | null;
}

/** A row as it was stored. */
export interface StoredScheduleRow {
  readonly state: ScheduleState;
  readonly report: number;
  /** False for a row of an earlier release whose object did not report since: an empty object may be a deleted one. */
  readonly isTracked: boolean;
}

export interface ScheduleTable {
  /**
   * Makes the row and the audit row; `quota_exceeded` when the tenant has `MAX_SCHEDULES` that may be due again, or
   * `MAX_KEPT_SCHEDULES`. The same row again changes nothing.
   */
  create(tenant: string, row: ScheduleReport, act: AuditEntry): Promise<Result<void>>;
  /**
   * Whether this one, which is over, may be due again: `quota_exceeded` when the tenant has `MAX_SCHEDULES` others that may be,
   * `not_found` when its row is gone.
   */
  mayReturn(tenant: string, id: string): Promise<Result<void>>;
  /** Takes a report. One of a schedule whose row is gone, or of an erased tenant, is dropped. */
  report(tenant: string, row: ScheduleReport): Promise<Result<void>>;
  /** Takes a report, also of a schedule whose row is gone: the database is another. */
  restore(tenant: string, row: ScheduleReport): Promise<Result<void>>;
  /** `not_found` without a row, and for an erased tenant. */
  find(tenant: string, id: string): Promise<Result<StoredScheduleRow>>;
  page(tenant: string, request: PageRequest): Promise<Result<Page<ScheduleState>>>;
  /** Gives what was there; `not_found` when nothing was. `act` null: its object is gone already. */
  remove(tenant: string, id: string, act: AuditEntry | null): Promise<Result<ScheduleState>>;
  /** The ids of schedules of the tenant, in no order: what there is to erase. */
  some(tenant: string, limit: number): Promise<Result<readonly string[]>>;
  /** Schedules of any tenant whose wake-up was due before `before`, the longest overdue first. */
  overdue(before: number, limit: number): Promise<Result<readonly { tenant: string; schedule: string }[]>>;
}
