/**
 * Wakes everything that is overdue in one run of the sweep. One invocation of a Worker makes 10,000 requests and starts
 * at most 32 others (https://developers.cloudflare.com/workers/platform/limits/), so a run reads the overdue ids page
 * by page and hands each page to another invocation. 100,000 lost alarms take one run:
 * `test/unit/sweep/wake-overdue.test.ts` simulates it.
 */
import type { Page, PagePosition } from "../base/page-cursor.ts";

/** Items of one part. Each takes one or two requests, and each tenant one. */
export const PART_SIZE = 4000;
/** Parts of one run. */
export const MAX_PARTS = 28;
/** Items that one invocation wakes concurrently. */
export const AT_ONCE = 50;
/** A part starts no more items after this time: the next run continues. */
export const PART_MS = 45_000;
/** Time limit of one item, so that it does not delay the others. */
export const WAKE_MS = 10_000;

/** Reads pages of overdue items, the longest overdue first, and has each woken. Returns the number of items. */
export async function wakeOverdue<T>(
  readPage: (request: { readonly after: PagePosition | null; readonly limit: number }) => Promise<Page<T>>,
  wakePart: (items: readonly T[]) => Promise<void>,
): Promise<number> {
  const parts: Promise<void>[] = [];
  let found = 0;
  try {
    let after: PagePosition | null = null;
    do {
      const page: Page<T> = await readPage({ after, limit: PART_SIZE });
      if (page.items.length > 0) parts.push(wakePart(page.items));
      found += page.items.length;
      after = page.next;
    } while (after !== null && parts.length < MAX_PARTS);
  } finally {
    await Promise.all(parts);
  }
  return found;
}

/** Calls `wake` for each item, `AT_ONCE` at a time, until the part's time is up. `wake` never rejects. */
export async function wakeEach<T>(
  items: readonly T[],
  wake: (item: T) => Promise<void>,
  { now, after }: { readonly now: () => number; readonly after: (ms: number) => Promise<void> },
): Promise<void> {
  const until = now() + PART_MS;
  const waiting = items.values();
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (now() >= until) return;
      await Promise.race([wake(item), after(WAKE_MS)]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
}
