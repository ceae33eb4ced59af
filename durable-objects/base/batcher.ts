/**
 * Collects items that arrive within a moment of each other, so that one storage write covers them all. Separate writes
 * would be most of their cost.
 */

export class Batcher<Item, Taken> {
  private readonly waitMs: number;
  private readonly processAll: (items: readonly Item[]) => readonly Taken[];
  private items: Item[] = [];
  private processing: Promise<readonly Taken[]> | null = null;

  /**
   * With `waitMs` 0 the batch is what has already arrived. `processAll` is synchronous; an error that it throws rejects
   * every item of the batch.
   */
  constructor(waitMs: number, takeAll: (items: readonly Item[]) => readonly Taken[]) {
    this.waitMs = waitMs;
    this.processAll = takeAll;
  }

  /** Adds an item and returns its result once the batch is processed. */
  async add(item: Item): Promise<Taken> {
    const index = this.items.push(item) - 1;
    this.processing ??= this.processLater();
    const taken = (await this.processing)[index];
    if (taken === undefined) throw new Error("a batched item has no result");
    return taken;
  }

  /** Resolves once the pending batch is processed. Only the callers of `add` see its failure. */
  async waitForPending(): Promise<void> {
    await this.processing?.catch(() => undefined);
  }

  private async processLater(): Promise<readonly Taken[]> {
    await scheduler.wait(this.waitMs);
    const { items } = this;
    this.items = [];
    this.processing = null;
    return this.processAll(items);
  }
}
