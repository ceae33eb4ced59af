/** Single flight: concurrent callers of the same work share one run of it. Its result is not stored. */

interface Flight<T> {
  readonly startedAt: number;
  readonly result: Promise<T>;
}

export class SingleFlight<T> {
  private readonly maxAgeMs: number;
  private readonly maxFlights: number;
  /** By key; the oldest first. */
  private readonly flights = new Map<string, Flight<T>>();

  /**
   * `maxAgeMs`: an older flight is not joined, because the request that started it may have been cancelled.
   * `maxFlights`: beyond it, the oldest flight is not joined any more.
   */
  constructor({ maxAgeMs, maxFlights }: { readonly maxAgeMs: number; readonly maxFlights: number }) {
    this.maxAgeMs = maxAgeMs;
    this.maxFlights = maxFlights;
  }

  /** Joins the flight of this key, or starts one. `now` is in milliseconds. */
  async run(key: string, work: () => Promise<T>, now: number): Promise<T> {
    const found = this.flights.get(key);
    if (found !== undefined && now - found.startedAt < this.maxAgeMs) return await found.result;
    this.flights.delete(key);
    const flight = { startedAt: now, result: work() };
    this.flights.set(key, flight);
    for (const [oldest] of this.flights) {
      if (this.flights.size <= this.maxFlights) break;
      this.flights.delete(oldest);
    }
    try {
      return await flight.result;
    } finally {
      if (this.flights.get(key) === flight) this.flights.delete(key);
    }
  }

  /** Flights that can be joined. */
  get size(): number {
    return this.flights.size;
  }
}
