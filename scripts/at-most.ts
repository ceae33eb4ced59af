/** Runs `run` for every item, at most `limit` at the same time. Starts them in their order and gives the results in it. */
export async function runAtMost<T, R>(
  limit: number,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  // All workers take the next item from this one iterator.
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
