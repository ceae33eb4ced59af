/** Deletes objects of the bucket by age, where no index knows them. */

/** The keys that follow one under a prefix. */
export interface OldBlobs {
  readonly prefix: string;
  readonly key: string;
  readonly retentionMs: number;
}

/** Keys that are checked per created key. */
const MAX_CHECKED = 100;

/**
 * Checks the keys that follow a new one, and deletes the expired ones. Names under `prefix` are random, so each key is
 * checked in time; about one in a hundred expired keys is left. Never throws.
 */
export async function deleteExpiredAfter(bucket: R2Bucket, { prefix, key, retentionMs }: OldBlobs): Promise<void> {
  try {
    const { objects } = await bucket.list({ prefix, startAfter: key, limit: MAX_CHECKED });
    const before = Date.now() - retentionMs;
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < before).map((object) => object.key);
    if (old.length > 0) await bucket.delete(old);
  } catch (thrown) {
    console.error("expired objects could not be deleted from the bucket", prefix, thrown);
  }
}
