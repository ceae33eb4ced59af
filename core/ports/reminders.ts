/** Setting reminders, as a tool asks for it. */
import type { Result } from "../base/errors.ts";

export interface AskedReminder {
  readonly message: string;
  /** `at`: a moment, or without an offset what clocks read. `every`: a cron expression, due once an hour at the most. */
  readonly when: { readonly at: string } | { readonly every: string };
  /** Null: the person's, or UTC. */
  readonly timeZone: string | null;
  /** Null: the places to which what the task says goes. */
  readonly person: string | null;
  /** The same on every attempt: it makes one reminder. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface SetReminder {
  readonly id: string;
  /** The next due moment, in milliseconds since the epoch; null: it is over. */
  readonly next: number | null;
  readonly timeZone: string;
}

/**
 * Failures name the field of the tool: `invalid_input`, `not_found` (the person), `not_available` (nobody can be told),
 * `quota_exceeded` (schedules of the tenant), `upstream_failed`. Never throws.
 */
export interface RemindersPort {
  set(asked: AskedReminder): Promise<Result<SetReminder>>;
}
