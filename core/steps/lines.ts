/** Sends the lines of a runner call to its object: one by one while it runs, and the last as its return value. */

/** Receives the lines of a runner call. An `AbortSignal` does not cross RPC; the pending `givenUp` call replaces it. */
export interface LineListener<Line> {
  hear(line: Line): Promise<void>;
  /** Stores a line that announces an effect. False if it was not stored: then the effect must not happen. */
  commit(line: Line): Promise<boolean>;
  /** Resolves when the object cancels the runner call, and rejects when the object is lost. */
  givenUp(): Promise<void>;
}

/**
 * Runs a phase: sends each line as it comes and returns the last. A line that `mustBeStored` picks is committed, and
 * the phase resumes with the answer. The phase is aborted when the listener cancels it. An ended phase is not aborted,
 * which would raise an error and wake its other listeners.
 */
export async function sendLines<Line>(
  listener: LineListener<Line>,
  runPhase: (signal: AbortSignal) => AsyncGenerator<Line, Line | null, boolean>,
  mustBeStored: (line: Line) => boolean = () => false,
): Promise<Line | null> {
  const abort = new AbortController();
  let isEnded = false;
  const stop = () => {
    if (!isEnded) abort.abort();
  };
  listener.givenUp().then(stop, stop);
  const lines = runPhase(abort.signal);
  let isStored = false;
  try {
    for (;;) {
      const { value, done } = await lines.next(isStored);
      if (done === true) {
        isEnded = true;
        return value;
      }
      if (mustBeStored(value)) isStored = await listener.commit(value);
      else await listener.hear(value);
    }
  } finally {
    await lines.return(null);
  }
}
