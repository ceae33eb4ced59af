/** Stored encrypted values, and the keys that encrypted them. */
import type { Result } from "../base/errors.ts";

/** The record of the keys in the database. */
export interface RecordedKeys {
  listRecorded(): Promise<Result<readonly RecordedKey[]>>;
  /** Records the key of the rows without a header, unless it is recorded. */
  setFirst(header: string): Promise<Result<void>>;
  /** Removes the record of a key that encrypts no row. False if a row still uses it. */
  forget(header: string): Promise<Result<boolean>>;
}

export interface SealedValues {
  /** Replaces an encrypted value, unless it has changed meanwhile. */
  replace(
    tenant: string,
    column: SealedColumn,
    value: { readonly sealed: string; readonly by: string },
  ): Promise<Result<void>>;
}

/**
 * A key that encrypted a row, by its header in base64. `""`: rows without a header; `member` then names their key if it
 * is known.
 */
export interface RecordedKey {
  readonly header: string;
  readonly member: string | null;
}

/** The columns with encrypted values. A name with `[]` is a list of them. */
export const SEALED_COLUMNS = [
  "secrets.sealed",
  "mcp_servers.sealed",
  "mcp_servers.auth",
  "endpoints.sealed",
  "endpoints.old_sealed[]",
  "hooks.sealed",
  "hooks.old_sealed[]",
  "slack_installs.sealed",
  "entity_connections.sealed",
  "entity_connections.flow",
  "entity_connections.flow_account",
  "entity_connections.revoking[]",
  "app_clients.sealed",
  "trigger_subscriptions.sealed",
  "trigger_subscriptions.old_sealed[]",
  "provider_keys.sealed",
  "databases.sealed",
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];

/** A value of a row of one tenant: its column, and the row's id. */
export interface SealedPlace {
  readonly column: SealedColumn;
  readonly id: string;
}

/** Seals values of one tenant's rows. A value opens for its tenant, its row and its kind alone. */
export interface RowSeal {
  /** Base64. */
  seal(place: SealedPlace, value: unknown): Promise<string>;
  /** Null for a value that no key of the ring opens. */
  open(place: SealedPlace, sealed: string): Promise<unknown>;
}
