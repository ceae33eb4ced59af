/**
 * Sends the lines of a runner call to its object: while it runs, and the last as its return value. Lines that become
 * ready in one turn can be sent together, so that the object stores them in one write.
 */
import type { YieldTurn } from "../base/turns.ts";

/** Receives the lines of a runner call. An `AbortSignal` does not cross RPC; the pending `givenUp` call replaces it. */
export interface LineListener<Line> {
  hear(line: Line): Promise<void>;
  /** Receives lines that became ready together. An object of an earlier release lacks it, and its jobs say nothing of it. */
  hearAll(lines: readonly Line[]): Promise<void>;
  /** Stores a line that announces an effect. False if it was not stored: then the effect must not happen. */
  commit(line: Line): Promise<boolean>;
  /** Resolves when the object cancels the runner call, and rejects when the object is lost. */
  givenUp(): Promise<void>;
}

/** How lines are sent. */
interface SendOptions<Line> {
  /** True for a line that is committed: the phase resumes with the answer. False for every line when omitted. */
  readonly mustBeStored?: (line: Line) => boolean;
  /** Yields to other work; the lines that are ready afterwards go together. Each line goes alone when omitted. */
  readonly giveTurn?: YieldTurn | undefined;
}

/**
 * Runs a phase: sends its lines in order and returns the last. The phase is aborted when the listener cancels it or
 * fails. An ended phase is not aborted, which would raise an error and wake its other listeners.
 */
export async function sendLines<Line>(
  listener: LineListener<Line>,
  runPhase: (signal: AbortSignal) => AsyncGenerator<Line, Line | null, boolean>,
  { mustBeStored = () => false, giveTurn }: SendOptions<Line> = {},
): Promise<Line | null> {
  const abort = new AbortController();
  let isEnded = false;
  const stop = () => {
    if (!isEnded) abort.abort();
  };
  listener.givenUp().then(stop, stop);
  const lines = runPhase(abort.signal);
  const joined = giveTurn === undefined ? null : new JoinedLines(listener, giveTurn, stop);
  let isStored = false;
  try {
    for (;;) {
      const { value, done } = await lines.next(isStored);
      if (done === true) {
        const last = joined === null ? value : await joined.end(value);
        isEnded = true;
        return last;
      }
      if (mustBeStored(value)) {
        await joined?.flush();
        isStored = await listener.commit(value);
      } else if (joined === null) await listener.hear(value);
      else await joined.add(value);
    }
  } finally {
    await lines.return(null);
  }
}

/** A phase waits for its listener while this many lines are unsent. */
const MAX_UNSENT = 64;

/** Sends the lines of a phase together while the phase continues. */
class JoinedLines<Line> {
  readonly #listener: LineListener<Line>;
  readonly #giveTurn: YieldTurn;
  readonly #onFailure: () => void;
  #unsent: Line[] = [];
  #sending: Promise<void> | null = null;
  #isHearing = false;
  #failure: { readonly thrown: unknown } | null = null;

  constructor(listener: LineListener<Line>, giveTurn: YieldTurn, onFailure: () => void) {
    this.#listener = listener;
    this.#giveTurn = giveTurn;
    this.#onFailure = onFailure;
  }

  /** Takes a line. Waits while too many are unsent, and throws what an earlier sending threw. */
  async add(line: Line): Promise<void> {
    this.#throwFailure();
    this.#unsent.push(line);
    this.#sending ??= this.#giveTurn().then(async () => await this.#send());
    if (this.#unsent.length >= MAX_UNSENT) await this.flush();
  }

  /** Resolves once all lines are received. */
  async flush(): Promise<void> {
    await this.#sending;
    this.#throwFailure();
  }

  /** Ends the lines. A single line that is unsent is returned instead of sent, if the phase returned none. */
  async end(last: Line | null): Promise<Line | null> {
    const unsent = this.#unsent.splice(0);
    if (this.#isHearing) await this.#sending;
    this.#throwFailure();
    const [only = null] = unsent;
    if (last === null && unsent.length === 1) return only;
    if (unsent.length > 0) await this.#listener.hearAll(unsent);
    return last;
  }

  async #send(): Promise<void> {
    this.#isHearing = true;
    try {
      while (this.#unsent.length > 0) await this.#listener.hearAll(this.#unsent.splice(0));
    } catch (thrown) {
      this.#failure = { thrown };
      this.#onFailure();
    } finally {
      this.#isHearing = false;
      this.#sending = null;
    }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.thrown;
  }
}
