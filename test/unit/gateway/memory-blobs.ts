/** A store of blobs in memory. */
import { failed, ok } from "../../../core/base/errors.ts";
import type { BlobPort } from "../../../core/ports/blobs.ts";

/** A store in memory; `isAway`: it takes nothing. */
export function memoryBlobs(isAway = false): BlobPort & { readonly kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    async put(key, bytes) {
      if (isAway) return failed("upstream_failed", "The file store did not answer.");
      kept.set(key, bytes);
      return ok(undefined);
    },
    async get(key) {
      const bytes = kept.get(key);
      return bytes === undefined ? failed("not_found", "There is no such blob.") : ok(bytes);
    },
  };
}
