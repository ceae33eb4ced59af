/** Reciprocal rank fusion: one order from several lists, whose scores cannot be compared. Pure. */

/** A higher one makes early ranks count less. */
const FUSION_K = 60;

/** Adds up the reciprocal ranks of each id; the first of all lists has 1. Each list has its best first. */
export function fuseRanks(lists: readonly (readonly { readonly id: string }[])[]): Map<string, number> {
  const most = lists.length / (FUSION_K + 1);
  const fused = new Map<string, number>();
  for (const list of lists)
    list.forEach(({ id }, rank) => fused.set(id, (fused.get(id) ?? 0) + 1 / (FUSION_K + rank + 1) / most));
  return fused;
}
