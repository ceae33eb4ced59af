/** A store of blobs in memory. */
import { failed, ok } from "../../../core/base/errors.ts";
import type { BlobPort } from "../../../core/ports/blobs.ts";

/** A store in memory; `isAway`: it takes nothing. */
export function memoryBlobs(isAway = false): BlobPort & { readonly stored: Map<string, Uint8Array> } {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    async put(key, bytes) {
      if (isAway) return failed("upstream_failed", "The file store did not answer.");
      stored.set(key, bytes);
      return ok(undefined);
    },
    async get(key) {
      const bytes = stored.get(key);
      return bytes === undefined ? failed("not_found", "There is no such blob.") : ok(bytes);
    },
  };
}
