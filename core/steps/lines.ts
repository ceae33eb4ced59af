/** How the lines of a hop come to the object that makes it: those on the way one by one, the last as the hop's own answer. */

/** Who hears a hop. An `AbortSignal` does not cross RPC; the answer to a call that is left open does. */
export interface HopListener<Line> {
  hear(line: Line): Promise<void>;
  /**
   * Takes a line that announces an effect, and resolves when it is stored. False: it was not, and what it announces must
   * not happen.
   */
  commit(line: Line): Promise<boolean>;
  /** Resolves when nobody wants the hop any more, and fails when the one who listened is gone. */
  givenUp(): Promise<void>;
}

/**
 * Makes a hop: reports each line as it comes and returns the last. A line that `mustBeStored` picks is committed, and the
 * hop resumes with the answer. Its work is aborted when the listener gives it up. A hop that ended has no work left: an
 * abort would cost an error with its stack, and wake its other listeners.
 */
export async function tellLines<Line>(
  listener: HopListener<Line>,
  hop: (signal: AbortSignal) => AsyncGenerator<Line, Line | null, boolean>,
  mustBeStored: (line: Line) => boolean = () => false,
): Promise<Line | null> {
  const abort = new AbortController();
  let isOver = false;
  const stop = () => {
    if (!isOver) abort.abort();
  };
  listener.givenUp().then(stop, stop);
  const lines = hop(abort.signal);
  let isStored = false;
  try {
    for (;;) {
      const { value, done } = await lines.next(isStored);
      if (done === true) {
        isOver = true;
        return value;
      }
      if (mustBeStored(value)) isStored = await listener.commit(value);
      else await listener.hear(value);
    }
  } finally {
    await lines.return(null);
  }
}
