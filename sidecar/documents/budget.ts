/** The time that one document has, with all that it waits for, starts and runs, a second process too. */

const DOCUMENT_MS = 30_000;

export interface Budget {
  /** Milliseconds that are left; 0 when it is used up. */
  readonly leftMs: () => number;
}

/** Starts now. */
export function startBudget(limitMs: number = DOCUMENT_MS): Budget {
  const endsAt = performance.now() + limitMs;
  return { leftMs: () => Math.max(0, endsAt - performance.now()) };
}

/** The message of a document that used up its time; `doing`: "Reading". */
export function usedUp(doing: string): string {
  return `${doing} the document took longer than ${DOCUMENT_MS / 1_000} seconds.`;
}
