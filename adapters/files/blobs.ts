/** The bucket as a store of blobs by key, and the deletion of a tenant's objects. */
import { failed, ok } from "../../core/base/errors.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import { catchFailure } from "./r2.ts";

/** Keys per deletion: the maximum that R2 lists and deletes at once. */
const ERASE_BATCH = 1000;

/** What erasing a tenant needs. */
export interface BlobEraser {
  /**
   * Deletes a bounded part of the objects under `prefix` (which ends in `/`), after `before` has ended for their keys.
   * True when nothing is left.
   */
  erase(prefix: string, before?: (keys: readonly string[]) => Promise<void>): Promise<boolean>;
}

export function openBlobs(bucket: R2Bucket): BlobPort & BlobEraser {
  return {
    put: (key, bytes) =>
      catchFailure(async () => {
        await bucket.put(key, bytes);
        return ok(undefined);
      }),
    get: (key) =>
      catchFailure(async () => {
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
