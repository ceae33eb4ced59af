/** Limits of queries. */

/** The most rows of a result. */
export const MAX_ROWS = 10_000;

/** The longest time limit of a query in seconds. */
export const MAX_TIMEOUT_S = 50;

/** Limits the values of all rows, as text. */
export const MAX_RESULT_BYTES = 1_000_000;

/** A longer value is cut. */
export const MAX_CELL_CHARACTERS = 2_000;
