/** The bucket, by key. */
import type { Result } from "../base/errors.ts";

/** The store of results that are too large for a row. The caller's keys begin with the tenant's prefix. */
export interface BlobPort {
  put(key: string, bytes: Uint8Array): Promise<Result<void>>;
  get(key: string): Promise<Result<Uint8Array>>;
}
