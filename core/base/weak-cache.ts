/**
 * Values that were computed for objects that do not change. A value is stored while its object lives. All values together
 * have a bound: beyond it they are dropped, and computed again.
 */

export class WeakCache<Key extends object, Value> {
  readonly #maxSize: number;
  #values = new WeakMap<Key, Value>();
  /** That of all values since the last drop, also of those whose object is gone. */
  #size = 0;

  /** `maxSize` has the unit of the sizes given to `set`. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  set(key: Key, value: Value, size: number): void {
    this.#size += size;
    if (this.#size > this.#maxSize) {
      this.#values = new WeakMap();
      this.#size = size;
    }
    if (size <= this.#maxSize) this.#values.set(key, value);
  }
}
