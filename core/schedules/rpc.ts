/** The RPC of a schedule's object. */
import type { AuditEntry } from "../ports/audit.ts";
import type { Result } from "../base/errors.ts";
import type { Actor } from "../connections/actors.ts";
import type { Confirmation } from "./acts-for.ts";
import type { Occurrence, RunEnd } from "./occurrence.ts";
import type { ScheduleConfig, ScheduleState } from "./schedule.ts";

/** A page of the run history, the latest first. `next`: the position of the last one; null at the end. */
export interface OccurrencePage {
  readonly occurrences: readonly Occurrence[];
  readonly next: { readonly due: number; readonly key: string } | null;
}

/** A schedule's object, named `{tenant}/{id}`. It answers `not_found` without a schedule. */
export interface ScheduleRpc {
  /**
   * Creating it again changes nothing; a deleted one stays `not_found`. `lastReport`: for an object that was lost, the
   * number of the last report in Postgres, from which it continues and reports.
   */
  create(state: ScheduleState, lastReport?: number): Promise<Result<ScheduleState>>;
  view(): Promise<Result<ScheduleState>>;
  /**
   * Replaces the configuration; `conflict` when the version is not `ifVersion` (null accepts any). `act` is stored with
   * the change and written to the audit log as soon as the database accepts it, as with `pause`, `resume` and `run`.
   * Reactivating an ended schedule needs the database and room in the tenant's limit (`quota_exceeded`). `by`: the author,
   * null if unknown; a Worker of an earlier release sends none.
   */
  change(
    config: ScheduleConfig,
    ifVersion: number | null,
    act: AuditEntry,
    by?: Actor | null,
  ): Promise<Result<ScheduleState>>;
  /** Makes its tasks act for who confirms it: `confirmSchedule`. */
  confirm(confirmation: Confirmation, act: AuditEntry): Promise<Result<ScheduleState>>;
  pause(act: AuditEntry): Promise<Result<ScheduleState>>;
  resume(act: AuditEntry): Promise<Result<ScheduleState>>;
  /** Runs it now, in addition to its occurrences. A repeated name returns the run that exists. */
  run(name: string, act: AuditEntry): Promise<Result<Occurrence>>;
  occurrences(after: OccurrencePage["next"], limit: number): Promise<Result<OccurrencePage>>;
  /** Records the end of a task that it created. Callers of an earlier release omit `why`. */
  taskEnded(task: string, status: RunEnd["status"], why?: RunEnd["why"]): Promise<void>;
  /** Continues with due occurrences or a deletion, in case an alarm was lost. `not_found`: the object is empty. */
  poke(): Promise<Result<void>>;
  /** Recreates a missing row, and sets the alarm. */
  restore(): Promise<Result<void>>;
  /**
   * Deletes everything but the deletion itself, once the audit log has what was done to it: `upstream_failed` until
   * then. Its tasks continue. The caller removes the row; one that is left is removed within minutes, with `act`
   * (absent in an earlier release).
   */
  remove(act?: AuditEntry): Promise<Result<void>>;
  /** Deletes everything without further reports: its tenant is being erased. */
  erase(): Promise<void>;
}
