/** The bucket as a store of blobs by key, and the erasing of what a tenant has in it. */
import { failed, ok } from "../../core/base/errors.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import { guarded } from "./r2.ts";

/** Keys that one call deletes: R2 lists, and deletes, at most this many at once. */
const ERASE_BATCH = 1000;

/** What a tenant's erasing needs. */
export interface BlobEraser {
  /**
   * Deletes a bounded part of what stands under `prefix` (which ends in `/`), after `before` has ended for its keys. True:
   * nothing is left.
   */
  erase(prefix: string, before?: (keys: readonly string[]) => Promise<void>): Promise<boolean>;
}

export function openBlobs(bucket: R2Bucket): BlobPort & BlobEraser {
  return {
    put: (key, bytes) =>
      guarded(async () => {
        await bucket.put(key, bytes);
        return ok(undefined);
      }),
    get: (key) =>
      guarded(async () => {
        const blob = await bucket.get(key);
        return blob === null
          ? failed("not_found", "There is no such blob.")
          : ok(new Uint8Array(await blob.arrayBuffer()));
      }),
    async erase(prefix, before) {
      if (!prefix.endsWith("/")) throw new RangeError("a prefix ends in /");
      const listed = await bucket.list({ prefix, limit: ERASE_BATCH });
      const keys = listed.objects.map(({ key }) => key);
      await before?.(keys);
      if (keys.length > 0) await bucket.delete(keys);
      return !listed.truncated;
    },
  };
}
