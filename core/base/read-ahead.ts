/** Reads ahead: works on the next items while the current one is processed, and yields results in the items' order. */

/** The limits of reading ahead. An item heavier than `maxWeight` is processed alone. */
export interface Ahead<In, Out> {
  readonly most: number;
  readonly maxWeight: number;
  readonly weigh: (item: In) => number;
  /** Must not throw. */
  readonly run: (item: In) => Promise<Out>;
}

/** The result of an item. `waited`: it was not ready when its turn came, so other due work has run. */
export interface ReadItem<In, Out> {
  readonly item: In;
  readonly out: Out;
  readonly waited: boolean;
}

interface Started<In, Out> {
  readonly item: In;
  readonly out: Promise<Out>;
  isThere: boolean;
}

/** Yields every item with its result. Stopping early leaves at most `most` items running. */
export async function* readAhead<In, Out>(
  items: AsyncIterable<In>,
  { most, maxWeight, weigh, run }: Ahead<In, Out>,
): AsyncGenerator<ReadItem<In, Out>> {
  const source = items[Symbol.asyncIterator]();
  const started: Started<In, Out>[] = [];
  let weight = 0;
  let next = await source.next();
  for (;;) {
    while (next.done !== true && started.length < most && (weight === 0 || weight + weigh(next.value) <= maxWeight)) {
      started.push(start(next.value, run));
      weight += weigh(next.value);
      next = await source.next();
    }
    const first = started.shift();
    if (first === undefined) return;
    const waited = !first.isThere;
    const out = await first.out;
    weight -= weigh(first.item);
    yield { item: first.item, out, waited };
  }
}

function start<In, Out>(item: In, run: (item: In) => Promise<Out>): Started<In, Out> {
  const started: Started<In, Out> = { item, out: run(item), isThere: false };
  void started.out.then(() => {
    started.isThere = true;
  });
  return started;
}
