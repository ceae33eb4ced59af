/** Runs work concurrently and yields each result as it ends. */

/**
 * Runs every item, at most `most` in parallel, and yields results in the order in which they end. `run` must not throw.
 */
export async function* runConcurrently<In, Out>(
  items: readonly In[],
  most: number,
  run: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const waiting = items.entries();
  const running = new Map<number, Promise<readonly [number, Out]>>();
  for (;;) {
    while (running.size < most) {
      const next = waiting.next();
      if (next.done === true) break;
      const [index, item] = next.value;
      running.set(
        index,
        run(item).then((out) => [index, out] as const),
      );
    }
    if (running.size === 0) return;
    const [index, out] = await Promise.race(running.values());
    running.delete(index);
    yield out;
  }
}
