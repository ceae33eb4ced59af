/** The port to the databases of a tenant, for one task. */
import type { Result } from "../base/errors.ts";
import type { ColumnKind } from "../databases/column-kinds.ts";
import type { SchemaFacts } from "../databases/facts.ts";

/** One SELECT. `database` null: the only one that the task may use. */
export interface DatabaseQuery {
  readonly database: string | null;
  readonly sql: string;
  readonly signal: AbortSignal;
}

/** The rows of a query, in the order of the columns. `truncated`: there were more, or long values were cut. */
export interface DatabaseRows {
  readonly database: string;
  /** The statement that ran. */
  readonly sql: string;
  readonly columns: readonly string[];
  /** What the values of each column are. A number that JSON cannot hold exactly is a text in the rows. */
  readonly kinds: readonly ColumnKind[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** A database that the task may use. `id`: `dbs_…` */
export interface FoundDatabase {
  readonly id: string;
  readonly name: string;
}

/**
 * Runs queries on the databases that the task's agent, project and person may use. Failures: `not_found` (database or table),
 * `permission_denied` (lists, or the role), `invalid_input` (the statement), `not_available` (no sidecar, or not checked), `blocked_by_policy`
 * (the address), `too_large`, `timeout`, `upstream_failed`. A query changes nothing, so it can be repeated.
 */
export interface DatabasesPort {
  /** Chooses the database of a query without connecting: the one with this name, or the only one. */
  find(name: string | null): Promise<Result<FoundDatabase>>;
  query(query: DatabaseQuery): Promise<Result<DatabaseRows>>;
  /** The schema of a database, at most an hour old. What its lists close is not part of it. Text from outside. */
  facts(name: string | null, signal: AbortSignal): Promise<Result<SchemaFacts>>;
}
