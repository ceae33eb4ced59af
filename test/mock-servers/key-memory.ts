/** Stores the keys of keyed calls, each for its lifetime from the first use. */
export class KeyMemory {
  private readonly seenAt = new Map<string, number>();

  /** Records a key. True if it is still stored from an earlier use. */
  isRepeat(key: string, keyedForMs: number, now: number): boolean {
    const seenAt = this.seenAt.get(key);
    const isRepeat = seenAt !== undefined && now - seenAt < keyedForMs;
    if (!isRepeat) this.seenAt.set(key, now);
    return isRepeat;
  }
}
