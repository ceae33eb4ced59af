/** Values that are stored sealed, and the keys that sealed them. */
import type { Result } from "../base/errors.ts";

/** What the database knows of the keys. */
export interface RecordedKeys {
  listRecorded(): Promise<Result<readonly RecordedKey[]>>;
  /** States the key of the rows without a header, unless it is stated already. */
  setFirst(header: string): Promise<Result<void>>;
  /** Removes the record of a key that no row is sealed with any more. False: some row is. */
  forget(header: string): Promise<Result<boolean>>;
}

export interface SealedValues {
  /** Puts another sealed form of a value in the place of `sealed`; nothing where `sealed` was replaced meanwhile. */
  replace(
    tenant: string,
    column: SealedColumn,
    value: { readonly sealed: string; readonly by: string },
  ): Promise<Result<void>>;
}

/** A key that sealed a row, by its header in base64. `""`: rows without a header; `member` then names their key if it is known. */
export interface RecordedKey {
  readonly header: string;
  readonly member: string | null;
}

/** The columns that hold sealed values. A name with `[]` is a list of them. */
export const SEALED_COLUMNS = [
  "secrets.sealed",
  "mcp_servers.sealed",
  "mcp_servers.auth",
  "endpoints.sealed",
  "endpoints.old_sealed[]",
  "hooks.sealed",
  "hooks.old_sealed[]",
  "slack_installs.sealed",
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
