/** A list that follows what happens and does not move under the reader: what is new waits, what fits no longer stays. */

interface Thing {
  readonly id: string;
  /** The list's order: the latest first. */
  readonly created_at: string;
}

export interface SteadyRow<Item> {
  readonly item: Item;
  /** It fits the filters no longer; it stands until the reader lets the list move. */
  readonly isGone: boolean;
}

export interface SteadyList<Item> {
  readonly rows: readonly SteadyRow<Item>[];
  /** New ones that wait to be shown. */
  readonly waiting: number;
}

export const NO_ROWS: SteadyList<never> = { rows: [], waiting: 0 };

/**
 * The list after `fresh` was read. Held, its rows keep their places and take their new content; otherwise it is `fresh`.
 * A held list that showed nothing has no place to keep. `hasMore`: older ones follow on another page, so that a row which
 * new ones pushed beyond the end of `fresh` is still in the list.
 */
export function followList<Item extends Thing>(
  shown: SteadyList<Item>,
  fresh: readonly Item[],
  { isHeld, hasMore }: { readonly isHeld: boolean; readonly hasMore: boolean },
): SteadyList<Item> {
  const last = shown.rows.at(-1)?.item;
  if (!isHeld || last === undefined) return { rows: fresh.map((item) => ({ item, isGone: false })), waiting: 0 };
  const byId = new Map(fresh.map((item) => [item.id, item]));
  const end = hasMore ? fresh.at(-1)?.created_at : undefined;
  const rows = shown.rows.map(({ item }) => {
    const now = byId.get(item.id);
    return { item: now ?? item, isGone: now === undefined && !(end !== undefined && item.created_at <= end) };
  });
  const known = new Set(rows.map(({ item }) => item.id));
  // Older ones moved up from the next page: nothing new.
  const waiting = fresh.filter(({ id, created_at }) => !known.has(id) && created_at >= last.created_at).length;
  return { rows, waiting };
}
