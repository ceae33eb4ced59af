/** What a schedule's object is asked, and how the API shows what it says. */
import type { AuditEntry } from "../ports/audit.ts";
import type { Result } from "../base/errors.ts";
import type { Occurrence, RunEnd } from "./occurrence.ts";
import type { ScheduleConfig, ScheduleState } from "./schedule.ts";

/** Occurrences of the ledger, the latest first. `next`: the place of the last one; null: the ledger ends there. */
export interface OccurrencePage {
  readonly occurrences: readonly Occurrence[];
  readonly next: { readonly due: number; readonly key: string } | null;
}

/** A schedule's object, named `{tenant}/{id}`. Where there is no such schedule, it answers `not_found`. */
export interface ScheduleRpc {
  /**
   * Making it again changes nothing; one that was deleted stays `not_found`. `lastReport`: of an object that was lost, the number
   * of the last report that Postgres has, after which this one counts on and reports.
   */
  create(state: ScheduleState, lastReport?: number): Promise<Result<ScheduleState>>;
  view(): Promise<Result<ScheduleState>>;
  /**
   * Gives it another configuration; `conflict` when its version is not `ifVersion` (null: any will do). `act` is kept with
   * the change, and told to the audit log as soon as the database takes it: so with `pause`, `resume` and `run`. One that is
   * over comes back only where the tenant has room for it (`quota_exceeded`), for which the database has to be there.
   */
  change(config: ScheduleConfig, ifVersion: number | null, act: AuditEntry): Promise<Result<ScheduleState>>;
  pause(act: AuditEntry): Promise<Result<ScheduleState>>;
  resume(act: AuditEntry): Promise<Result<ScheduleState>>;
  /** Runs it besides its due moments, at the moment of the act. A run with a name that was asked for before is that run. */
  run(name: string, act: AuditEntry): Promise<Result<Occurrence>>;
  occurrences(after: OccurrencePage["next"], limit: number): Promise<Result<OccurrencePage>>;
  /** A task that it made has ended; a caller of an earlier release says not why. */
  taskEnded(task: string, status: RunEnd["status"], why?: RunEnd["why"]): Promise<void>;
  /** Continues with what is due, or with a deletion, should an alarm have been lost. `not_found`: the object is empty. */
  poke(): Promise<Result<void>>;
  /** Creates its row where that is gone, and sets its alarm again. */
  restore(): Promise<Result<void>>;
  /**
   * Forgets everything but that it was deleted, once the audit log has what was done to it: `upstream_failed` until then. Tasks
   * that it made continue. The row is the caller's to remove; one that is left goes within minutes, with `act` (an earlier
   * release gives none).
   */
  remove(act?: AuditEntry): Promise<Result<void>>;
  /** Forgets everything, whoever was told of it: its tenant is gone. */
  erase(): Promise<void>;
}
