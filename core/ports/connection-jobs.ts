/** What the sweep has to do for the connections of all tenants. Expected failures are values. */
import type { Result } from "../base/errors.ts";

/** A connection of a tenant. */
export interface DueConnection {
  readonly tenant: string;
  /** `con_…` */
  readonly connection: string;
}

/** The tasks of a tenant that wait for a connection of this app. `person` null: for a shared one. */
export interface ReadyConnection {
  readonly tenant: string;
  readonly app: string;
  readonly person: string | null;
}

/** Times are milliseconds since the epoch. */
export interface ConnectionJobs {
  /**
   * Active connections that tasks may use while their owner is away: those not checked for a day, and for an hour where a
   * schedule is due within one. The longest unchecked first.
   */
  toCheck(now: number, limit: number): Promise<Result<readonly DueConnection[]>>;
  /** Connections with tokens that are to be revoked by now, or with a flow that nobody can complete any more. The longest due first. */
  revocationsDue(now: number, limit: number): Promise<Result<readonly DueConnection[]>>;
  /** Connections that became usable since a task began to wait for them. */
  waitsReady(limit: number): Promise<Result<readonly ReadyConnection[]>>;
}
