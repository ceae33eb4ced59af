/** Values that are stored sealed, and the keys that sealed them. */
import type { Result } from "../base/errors.ts";
import type { RecordedKey, SealedColumn } from "../secrets/key-ring.ts";

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
