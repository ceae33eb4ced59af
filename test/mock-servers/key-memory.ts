/** The keys that a receiver of keyed calls remembers, each for its lifetime from the first use. */
export class KeyMemory {
  private readonly seenAt = new Map<string, number>();

  /** Takes a key; true when it is a repeat of one that is remembered. */
  isRepeat(key: string, keyedForMs: number, now: number): boolean {
    const seenAt = this.seenAt.get(key);
    const isRepeat = seenAt !== undefined && now - seenAt < keyedForMs;
    if (!isRepeat) this.seenAt.set(key, now);
    return isRepeat;
  }
}
