/** A pause after a failure. Callers do not retry during it, because each attempt would wait for the same timeout. */

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

  /** True while callers should not retry. `now` is in milliseconds. A clock that went back ends the pause. */
  isOn(now: number): boolean {
    return this.failedAt !== null && now >= this.failedAt && now - this.failedAt < this.pauseMs;
  }
}
