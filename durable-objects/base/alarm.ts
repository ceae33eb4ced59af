/**
 * The one alarm of an object. Each setting is a storage write, so it is set only when its time changes. It also runs the
 * object's handler: after a failure the next run is delayed, longer after each further failure.
 */
import { computeBackoffMs } from "../../core/base/backoff.ts";

/** Maximum delay after failures. An object that an outage stopped continues within a minute of the outage's end. */
const MAX_DELAY_MS = 30_000;
/** The same while the stored state cannot be read. A damaged object costs little, and continues once it is readable. */
const MAX_UNREADABLE_DELAY_MS = 5 * 60_000;
/** Stored failures count while the next attempt is at most this late. After it, a run may have succeeded in between. */
const MAX_LATE_MS = 60_000;
/** The key of the stored failures. They are stored because an object is evicted during a longer delay. */
const FAILURES = "alarm_failures";

/** Failures in a row, and when the next attempt is due. */
interface StoredFailures {
  readonly count: number;
  readonly retryAt: number;
}

export class Alarm {
  private readonly storage: DurableObjectStorage;
  /** When it fires, in ms since the epoch. Null when unset; undefined until known. */
  private at: number | null | undefined;
  /** Failures in a row. Undefined until known. */
  private failures: number | undefined;
  /** It does not fire earlier. 0 unless the last run failed. */
  private notBefore = 0;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
  }

  /** Records that the alarm is unset: the object is new, or the alarm has just fired. */
  markUnset(): void {
    this.at = null;
    this.notBefore = 0;
  }

  /** Forgets the known time and the delay, so that the next setting is written. The stored alarm may have been lost. */
  invalidate(): void {
    this.at = undefined;
    this.notBefore = 0;
  }

  /** Sets the alarm; null deletes it. */
  set(dueAt: number | null): void {
    const at = dueAt === null ? null : Math.max(dueAt, this.notBefore);
    if (at === this.at) return;
    this.at = at;
    if (at === null) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(at);
  }

  /** True while the object waits after a failure. */
  isDelayed(now: number): boolean {
    return this.notBefore > now;
  }

  /** True when the alarm fires at `at` or earlier. */
  isSetBy(at: number): boolean {
    return typeof this.at === "number" && this.at <= at;
  }

  /**
   * Sets the alarm for `at` unless it fires earlier. An early alarm does no harm: its handler begins nothing while the
   * object's work is active, and after a crash the object has to continue at once.
   */
  ensureBy(at: number | null): void {
    if (at !== null && !this.isSetBy(at)) this.set(at);
  }

  /**
   * Runs the object's handler, then `arm`, which sets the alarm from the stored state. Never throws, because the platform
   * gives up after six failures. `name` is for the log.
   */
  async run(name: string, work: () => Promise<void>, arm: () => void): Promise<void> {
    this.markUnset();
    await this.attempt(name, work, arm);
  }

  /** Runs the object's work as `run` does, without the alarm having fired. */
  async attempt(name: string, work: () => Promise<void>, arm: () => void): Promise<void> {
    try {
      await work();
      arm();
      this.clearFailures();
    } catch (thrown) {
      this.retryLater(name, thrown, arm);
    }
  }

  /** Ends the delay after failures. */
  clearFailures(): void {
    this.notBefore = 0;
    if ((this.failures ?? 0) > 0) this.storage.kv.delete(FAILURES);
    this.failures = 0;
  }

  /** Logs a failure of the object's own work, and sets the alarm for the next attempt. */
  retryLater(name: string, thrown: unknown, arm: () => void): void {
    console.error(`${name} alarm failed`, thrown);
    const now = Date.now();
    this.failures = (this.failures ?? this.readFailures(now)) + 1;
    const maxDelayMs = isReadable(arm) ? MAX_DELAY_MS : MAX_UNREADABLE_DELAY_MS;
    this.notBefore = now + computeBackoffMs(this.failures, maxDelayMs);
    this.set(this.notBefore);
    this.storeFailures({ count: this.failures, retryAt: this.notBefore });
  }

  /** Never throws: failures that cannot be stored are counted in memory. */
  private storeFailures(failures: StoredFailures): void {
    try {
      this.storage.kv.put(FAILURES, failures);
    } catch (thrown) {
      console.error("the failures of an alarm were not stored", thrown);
    }
  }

  /** Never throws. */
  private readFailures(now: number): number {
    try {
      const stored = this.storage.kv.get<StoredFailures>(FAILURES);
      return stored === undefined || now - stored.retryAt > MAX_LATE_MS ? 0 : stored.count;
    } catch (thrown) {
      console.error("the failures of an alarm were not read", thrown);
      return 0;
    }
  }
}

/** True if the next alarm can be computed from the stored state. */
function isReadable(arm: () => void): boolean {
  try {
    arm();
    return true;
  } catch {
    return false;
  }
}
