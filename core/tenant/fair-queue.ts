/**
 * Who is next among tasks that wait: the API keys take turns, and within a key who came first is first. So a key with a
 * thousand tasks in line delays another key's task by one turn, not by a thousand.
 */
export class FairQueue {
  /** Tasks of each key in their order; the keys in the order of their turns. */
  private readonly lines = new Map<string, Set<string>>();
  private readonly keys = new Map<string, string>();

  get size(): number {
    return this.keys.size;
  }

  /** The keys that have tasks in line, in the order of their turns. */
  waitingKeys(): Iterable<string> {
    return this.lines.keys();
  }

  /** How many tasks of a key are in line. */
  waitingOf(key: string | null): number {
    return this.lines.get(key ?? "")?.size ?? 0;
  }

  /** Puts the task at the end of its key's line; one that stands there keeps its place. */
  join(task: string, key: string | null): void {
    if (this.keys.has(task)) return;
    const name = key ?? "";
    const line = this.lines.get(name) ?? new Set();
    line.add(task);
    this.lines.set(name, line);
    this.keys.set(task, name);
  }

  leave(task: string): void {
    const key = this.keys.get(task);
    const line = key === undefined ? undefined : this.lines.get(key);
    if (key === undefined || line === undefined) return;
    this.keys.delete(task);
    line.delete(task);
    if (line.size === 0) this.lines.delete(key);
  }

  /**
   * Takes the next task out of the queue; its key's next turn comes after those of all others. With `has`, the key that
   * has the least comes first, and the keys that have as little take turns. Null: nobody waits.
   */
  next(has: (key: string) => number = () => 0): { readonly task: string; readonly key: string } | null {
    let [least, next]: [number, string | null] = [Infinity, null];
    for (const key of this.lines.keys()) {
      const count = has(key);
      if (count < least) [least, next] = [count, key];
      if (count === 0) break;
    }
    const line = next === null ? undefined : this.lines.get(next);
    const [task] = line ?? [];
    if (next === null || line === undefined || task === undefined) return null;
    this.leave(task);
    if (this.lines.delete(next)) this.lines.set(next, line);
    return { task, key: next };
  }
}
