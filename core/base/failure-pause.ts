/** A pause after a failure: while it lasts nobody retries, since each try would wait for the same time-out. */

export class FailurePause {
  private readonly pauseMs: number;
  private failedAt: number | null = null;

  /** `pauseMs`: how long a pause lasts. */
  constructor(pauseMs: number) {
    this.pauseMs = pauseMs;
  }

  /** Begins a pause. `now` is in milliseconds. */
  begin(now: number): void {
    this.failedAt = now;
  }

  /** Ends the pause. */
  end(): void {
    this.failedAt = null;
  }

  /** True while nobody should retry. A clock that went back ends the pause. */
  isOn(now: number): boolean {
    return this.failedAt !== null && now >= this.failedAt && now - this.failedAt < this.pauseMs;
  }
}
