/**
 * Virtual time for a test that counts: what happens depends on no clock, so a slow machine counts the same.
 *
 * 1. `Date.now()` stands still until `advance`, which moves it to the earliest event and fires that one alone.
 * 2. Events are timers (`setTimeout`), and what the counter adds: alarms and replies of models.
 * 3. Between two events everything that was begun finishes. What another process answers is tracked; the rest is work
 *    of this thread, which many turns without activity end. A stalled thread stalls the turns too.
 */
import { vi } from "vitest";

/** Turns of the event loop without activity, each of a timer, after which nothing is left to run. */
const QUIET_TURNS = 25;
const TURN_MS = 1;
/** A count that takes more events does not end. */
const MAX_EVENTS = 5_000;

export interface TimedEvent {
  readonly at: number;
  readonly fire: () => void;
  /** True while the event has to wait although it is due. */
  readonly isBlocked?: () => boolean;
}

/** A timer that the code under test set. It runs its action itself, in the request that set it. */
interface VirtualTimer {
  pending: ReturnType<typeof setTimeout>;
  event: TimedEvent | null;
}

export class VirtualTime {
  private current: number;
  /** In the order in which they were added. */
  private readonly events = new Set<TimedEvent>();
  /** Calls that another process has not answered. */
  private open = 0;
  /** Grows with everything that happens. */
  private activity = 0;
  private hasEnded = false;

  constructor(startsAt: number) {
    this.current = startsAt;
  }

  /** Replaces the clock and the timers of the isolate, until `vi.restoreAllMocks()`. */
  start(): void {
    vi.spyOn(Date, "now").mockImplementation(() => this.current);
    const real = globalThis.setTimeout.bind(globalThis);
    const clear = globalThis.clearTimeout.bind(globalThis);
    const timers = new Map<unknown, VirtualTimer>();
    const set = (action: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      if (ms <= 0) return real(action, ms, ...args);
      let isDue = false;
      const poll = () => {
        if (!isDue && !this.hasEnded) {
          timer.pending = real(poll, TURN_MS);
          return;
        }
        this.remove(timer.event);
        timers.delete(handle);
        this.note();
        action(...args);
      };
      const handle = real(poll, TURN_MS);
      const timer: VirtualTimer = { pending: handle, event: null };
      timer.event = this.add(this.current + ms, () => {
        isDue = true;
      });
      timers.set(handle, timer);
      return handle;
    };
    vi.spyOn(globalThis, "setTimeout").mockImplementation(set as typeof setTimeout);
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((handle) => {
      const timer = timers.get(handle);
      if (timer === undefined) return clear(handle);
      timers.delete(handle);
      this.remove(timer.event);
      clear(timer.pending);
    });
  }

  /** Lets the timers that are left run at once. */
  end(): void {
    this.hasEnded = true;
  }

  now(): number {
    return this.current;
  }

  /** Adds an event. An earlier time than the present is now. */
  add(at: number, fire: () => void, isBlocked?: () => boolean): TimedEvent {
    const event = { at, fire, ...(isBlocked === undefined ? {} : { isBlocked }) };
    this.events.add(event);
    this.note();
    return event;
  }

  remove(event: TimedEvent | null): void {
    if (event !== null) this.events.delete(event);
  }

  /** Records that something happened, so that what follows from it is awaited. */
  note(): void {
    this.activity += 1;
  }

  /** Waits for a call that another process answers. */
  async track<T>(call: () => Promise<T>): Promise<T> {
    this.open += 1;
    this.note();
    try {
      return await call();
    } finally {
      this.open -= 1;
      this.note();
    }
  }

  /** Waits inside the request that calls it until an event fires after `ms` of virtual time. */
  async wait(ms: number): Promise<void> {
    let isDue = false;
    const event = this.add(this.current + ms, () => {
      isDue = true;
    });
    // A promise of another request would not be allowed here.
    while (!isDue && !this.hasEnded) await scheduler.wait(TURN_MS);
    this.remove(event);
    this.note();
  }

  /** Fires one event after the other until none is due within `ms` of the present, and of each event that extends it. */
  async run(ms: number, extends_: () => boolean): Promise<void> {
    let until = this.current + ms;
    for (let count = 0; count < MAX_EVENTS; count += 1) {
      await this.waitUntilQuiet();
      if (extends_()) until = this.current + ms;
      const next = this.findNext();
      if (next === null || next.at > until) return;
      this.events.delete(next);
      this.current = Math.max(this.current, next.at);
      this.note();
      next.fire();
    }
    throw new Error(`more than ${MAX_EVENTS} events: something repeats without end`);
  }

  /** The earliest event; of several, the one that was added first. */
  private findNext(): TimedEvent | null {
    let next: TimedEvent | null = null;
    for (const event of this.events) {
      if (event.isBlocked?.() !== true && (next === null || event.at < next.at)) next = event;
    }
    return next;
  }

  private async waitUntilQuiet(): Promise<void> {
    let seen = -1;
    for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
      if (this.open > 0 || seen !== this.activity) turns = 0;
      seen = this.activity;
      await scheduler.wait(TURN_MS);
    }
  }
}
