/** The time budget of one document. It covers waiting, starting and running, including a second process. */

const DOCUMENT_MS = 30_000;

export interface Budget {
  /** Returns the remaining milliseconds, at least 0. */
  readonly leftMs: () => number;
}

/** Starts a budget now. */
export function startBudget(limitMs: number = DOCUMENT_MS): Budget {
  const endsAt = performance.now() + limitMs;
  return { leftMs: () => Math.max(0, endsAt - performance.now()) };
}

/** The message for a document that used up its time. `doing` is a verb such as "Reading". */
export function describeTimeout(doing: string): string {
  return `${doing} the document took longer than ${DOCUMENT_MS / 1_000} seconds.`;
}
