/**
 * Things that come to an object within a moment of each other are taken together, so that one write stores them all: a
 * write each would be most of what they cost.
 */

export class Gather<Item, Taken> {
  private readonly waitMs: number;
  private readonly takeAll: (items: readonly Item[]) => readonly Taken[];
  private items: Item[] = [];
  private taking: Promise<readonly Taken[]> | null = null;

  /** `waitMs` 0: what is here already. `takeAll` takes them without an await; what throws fails for all of them. */
  constructor(waitMs: number, takeAll: (items: readonly Item[]) => readonly Taken[]) {
    this.waitMs = waitMs;
    this.takeAll = takeAll;
  }

  /** Takes one, with those that come meanwhile. */
  async take(item: Item): Promise<Taken> {
    const index = this.items.push(item) - 1;
    this.taking ??= this.takeLater();
    const taken = (await this.taking)[index];
    if (taken === undefined) throw new Error("what was gathered was not taken");
    return taken;
  }

  /** Resolves when what has come so far is taken; whether it could be, its own callers hear. */
  async settled(): Promise<void> {
    await this.taking?.catch(() => undefined);
  }

  private async takeLater(): Promise<readonly Taken[]> {
    await scheduler.wait(this.waitMs);
    const { items } = this;
    this.items = [];
    this.taking = null;
    return this.takeAll(items);
  }
}
