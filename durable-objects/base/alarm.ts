/** The one alarm of an object, set only when that changes something: each setting is a write. */

export class Alarm {
  private readonly storage: DurableObjectStorage;
  /** When it is due, in milliseconds since the epoch; null: it is not set; undefined: nobody looked since the object was loaded. */
  private at: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
  }

  /** It is not set: the object is new, or the alarm has just fired. */
  cleared(): void {
    this.at = null;
  }

  /** It may have been lost: the next setting is made, whatever was set before. */
  doubt(): void {
    this.at = undefined;
  }

  /** Sets it; null takes it away. */
  set(at: number | null): void {
    if (at === this.at) return;
    this.at = at;
    if (at === null) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(at);
  }

  /** True when it is set for `at` or earlier. */
  isSetBy(at: number): boolean {
    return typeof this.at === "number" && this.at <= at;
  }

  /**
   * Sets it for `at` unless it is set for an earlier moment. For an object that runs, an earlier moment does no harm: the
   * alarm cannot fire beside its own handler, so it comes only after a crash, when the object continues at once.
   */
  guard(at: number | null): void {
    if (at !== null && !this.isSetBy(at)) this.set(at);
  }
}
