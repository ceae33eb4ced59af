/** The bucket, by key. */
import type { Result } from "../base/errors.ts";

/** Where results too large for a row are kept. Keys are made by the caller and end up under the tenant's prefix. */
export interface BlobPort {
  put(key: string, bytes: Uint8Array): Promise<Result<void>>;
  get(key: string): Promise<Result<Uint8Array>>;
}
