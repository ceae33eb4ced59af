/** The one alarm of an object. Each setting is a storage write, so it is set only when its time changes. */

export class Alarm {
  private readonly storage: DurableObjectStorage;
  /** When it fires, in ms since the epoch. Null when unset; undefined until known. */
  private at: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
  }

  /** Records that the alarm is unset: the object is new, or the alarm has just fired. */
  markUnset(): void {
    this.at = null;
  }

  /** Forgets the known time, so that the next setting is written. The stored alarm may have been lost. */
  invalidate(): void {
    this.at = undefined;
  }

  /** Sets the alarm; null deletes it. */
  set(at: number | null): void {
    if (at === this.at) return;
    this.at = at;
    if (at === null) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(at);
  }

  /** True when the alarm fires at `at` or earlier. */
  isSetBy(at: number): boolean {
    return typeof this.at === "number" && this.at <= at;
  }

  /**
   * Sets the alarm for `at` unless it fires earlier. An early alarm does no harm: it never runs concurrently with its
   * own handler, so it fires only after a crash, when the object has to continue at once.
   */
  ensureBy(at: number | null): void {
    if (at !== null && !this.isSetBy(at)) this.set(at);
  }
}
