/**
 * A queue of waiting tasks, fair between API keys: the keys take turns, and tasks of one key are first in, first out.
 * So a key with a thousand queued tasks delays another key's task by one turn.
 */
export class FairQueue {
  /** The tasks of each key in their order; the keys in the order of their turns. */
  private readonly queues = new Map<string, Set<string>>();
  private readonly keys = new Map<string, string>();

  get size(): number {
    return this.keys.size;
  }

  has(task: string): boolean {
    return this.keys.has(task);
  }

  /** The keys with queued tasks, in the order of their turns. */
  waitingKeys(): Iterable<string> {
    return this.queues.keys();
  }

  /** Counts the queued tasks of a key. */
  countWaiting(key: string | null): number {
    return this.queues.get(key ?? "")?.size ?? 0;
  }

  /** Adds a task to the end of its key's queue. A queued task keeps its position. */
  add(task: string, key: string | null): void {
    if (this.keys.has(task)) return;
    const name = key ?? "";
    const line = this.queues.get(name) ?? new Set();
    line.add(task);
    this.queues.set(name, line);
    this.keys.set(task, name);
  }

  remove(task: string): void {
    const key = this.keys.get(task);
    const line = key === undefined ? undefined : this.queues.get(key);
    if (key === undefined || line === undefined) return;
    this.keys.delete(task);
    line.delete(task);
    if (line.size === 0) this.queues.delete(key);
  }

  /**
   * Removes and returns the next task; its key's next turn comes after all others. With `getCount`, the key with the
   * lowest count comes first, and keys with equal counts take turns. Null if the queue is empty.
   */
  next(getCount: (key: string) => number = () => 0): { readonly task: string; readonly key: string } | null {
    let [least, next]: [number, string | null] = [Infinity, null];
    for (const key of this.queues.keys()) {
      const count = getCount(key);
      if (count < least) [least, next] = [count, key];
      if (count === 0) break;
    }
    const line = next === null ? undefined : this.queues.get(next);
    const [task] = line ?? [];
    if (next === null || line === undefined || task === undefined) return null;
    this.remove(task);
    if (this.queues.delete(next)) this.queues.set(next, line);
    return { task, key: next };
  }
}
