/** How what is left behind in the bucket goes, where nobody knows of it any more: by its age. */

/** The keys behind one under a prefix. */
export interface OldBlobs {
  readonly prefix: string;
  readonly key: string;
  readonly keptMs: number;
}

/** Keys that are looked at with each one that is made. */
const LOOKED_AT = 100;

/**
 * Looks at the keys behind one that was just made, and deletes those that are too old. The names under `prefix` are random, so
 * each is looked at in its turn: of those that are too old, about one in a hundred of all is left. Never fails.
 */
export async function forgetOldBehind(bucket: R2Bucket, { prefix, key, keptMs }: OldBlobs): Promise<void> {
  try {
    const { objects } = await bucket.list({ prefix, startAfter: key, limit: LOOKED_AT });
    const before = Date.now() - keptMs;
    const old = objects.filter(({ uploaded }) => uploaded.getTime() < before).map((object) => object.key);
    if (old.length > 0) await bucket.delete(old);
  } catch (thrown) {
    console.error("what is old in the bucket was left", prefix, thrown);
  }
}
