/** The port by which a tool sets reminders. */
import type { Result } from "../base/errors.ts";

export interface ReminderRequest {
  readonly message: string;
  /** `at`: a time, or a wall time without an offset. `every`: a cron expression, due at most once an hour. */
  readonly when: { readonly at: string } | { readonly every: string };
  /** Null for the person's time zone, or UTC. */
  readonly timeZone: string | null;
  /** Null for the task's own destinations. */
  readonly person: string | null;
  /** The same on every attempt, so that it creates one reminder. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface ReminderState {
  readonly id: string;
  /** The next due time, in milliseconds since the epoch; null if the reminder has ended. */
  readonly next: number | null;
  readonly timeZone: string;
}

/**
 * Failures name the field of the tool: `invalid_input`, `not_found` (the person), `not_available` (no recipient),
 * `quota_exceeded` (schedules of the tenant), `upstream_failed`. Never throws.
 */
export interface RemindersPort {
  set(request: ReminderRequest): Promise<Result<ReminderState>>;
}
