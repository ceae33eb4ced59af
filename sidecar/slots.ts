/** Limits how many requests of one key are in progress. */
export class Slots {
  readonly most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** Takes a slot and returns what frees it, once. Null if all are taken. */
  take(key = ""): (() => void) | null {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.most) return null;
    this.#taken.set(key, taken + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}
