/**
 * The triggers of tenants. Expected failures are values: `not_found` without the row,
 * `conflict` for an equal trigger, `quota_exceeded`, and `upstream_failed` while the database is unavailable.
 */
import type { Result } from "../base/errors.ts";
import type { Page, PageRequest } from "../base/page-cursor.ts";
import type { Trigger, TriggerState } from "../triggers/trigger.ts";
import type { AuditEntry } from "./audit.ts";
import type { DueConnection } from "./connection-jobs.ts";

/** A trigger to create, which is pending. `actsFor` is a person's id. */
export interface NewTrigger extends Pick<Trigger, "id" | "config" | "owner"> {
  readonly actsFor: string | null;
}

/** Whose triggers are read: those of shared connections and of this person, or all. */
export interface TriggerReader {
  readonly person: string | null;
  readonly isAdmin: boolean;
  readonly app?: string;
}

/** The state of a trigger from now on. `providerId` null: the provider's trigger is deleted there. */
export interface TriggerChange {
  readonly id: string;
  /** The version that was read. */
  readonly version: number;
  readonly state: TriggerState;
  readonly why: string | null;
  readonly providerId: string | null;
}

/** A trigger of a tenant. */
export interface OwnedTrigger {
  readonly tenant: string;
  readonly id: string;
}

export interface TriggerTable {
  /**
   * Creates version 1, pending. Idempotent by id. `conflict` if the connection has a trigger with the same event and
   * settings.
   */
  create(tenant: string, trigger: NewTrigger, act: AuditEntry): Promise<Result<Trigger>>;
  get(tenant: string, id: string): Promise<Result<Trigger>>;
  /** The latest first. */
  page(tenant: string, reader: TriggerReader, request: PageRequest): Promise<Result<Page<Trigger>>>;
  /** `conflict` at another version. `act` null: by Otto. */
  change(tenant: string, change: TriggerChange, act: AuditEntry | null): Promise<Result<Trigger>>;
  /** Returns the removed row. What the provider has of it is deleted there. */
  remove(tenant: string, id: string, act: AuditEntry | null): Promise<Result<Trigger>>;

  /** Finds whose trigger the provider means. `not_found` also for a tenant that was erased. */
  findOwner(providerId: string): Promise<Result<OwnedTrigger>>;
  /** The active connections to an app of an owner as the provider knows it, at most `limit`. */
  connectionsOf(entity: string, app: string, limit: number): Promise<Result<readonly DueConnection[]>>;
  /** Triggers that have been pending since before this time, the longest first. */
  pendingSince(before: number, limit: number): Promise<Result<readonly OwnedTrigger[]>>;
  /**
   * Takes due deletions, and first sets when each is due again: after `delayMs`, doubled with each attempt, at most a day.
   * Returns what the provider calls the triggers.
   */
  takeEndings(now: number, limit: number, delayMs: number): Promise<Result<readonly string[]>>;
  /** The provider deleted it. */
  endEnding(providerId: string): Promise<Result<void>>;
  /** Triggers that were deleted before this time and whose received events may be stored, the longest first. */
  endedSince(before: number, limit: number): Promise<Result<readonly OwnedTrigger[]>>;
  /** The received events of a deleted trigger are deleted. */
  forgetEnded(id: string): Promise<Result<void>>;
}
