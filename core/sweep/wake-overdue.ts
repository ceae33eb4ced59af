/**
 * How one run of the sweep wakes everything that is overdue. One invocation of a Worker makes 10,000 requests and begins at
 * most 32 others (https://developers.cloudflare.com/workers/platform/limits/), so a run reads the ids of what is overdue page by
 * page and hands each page to an invocation of its own. 100,000 lost alarms take one run: `test/unit/sweep/wake-overdue.test.ts` simulates it.
 */
import type { Page, PagePosition } from "../base/page-cursor.ts";

/** Items of one part: each takes a request, sometimes two, and their tenants one each. */
export const PART_SIZE = 4000;
/** Parts of one run. */
export const MAX_PARTS = 28;
/** Items that one invocation wakes at the same time. */
export const AT_ONCE = 50;
/** A part begins no more items after this long: the next run continues. */
export const PART_MS = 45_000;
/** What has not answered by then does not hold up the others. */
export const WAKE_MS = 10_000;

/** Reads pages of what is overdue, the longest overdue first, and has each woken. Returns the number of items. */
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

/** Does `wake` for each, `AT_ONCE` at a time, until the part's time is up. `wake` never rejects. */
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
