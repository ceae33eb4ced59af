/** Limits of databases and their queries. */

/** The most databases of a tenant. */
export const MAX_DATABASES = 50;

/** The most rows of a result, and their number unless the database's record says otherwise. */
export const MAX_ROWS = 10_000;
export const DEFAULT_ROWS = 1_000;

/** The time limit of a query in seconds, and its default. */
export const MAX_TIMEOUT_S = 50;
export const DEFAULT_TIMEOUT_S = 15;

/** Limits the values of all rows, as text. */
export const MAX_RESULT_BYTES = 1_000_000;

/** A longer value is cut. */
export const MAX_CELL_CHARACTERS = 2_000;

/** Limits the facts about a schema, as text. Further tables are left out. */
export const MAX_FACTS_BYTES = 1_000_000;

/** Distinct values of a short text column; with more of them, or with a longer one, the column has none. */
export const MAX_SAMPLES = 20;
export const MAX_SAMPLE_CHARACTERS = 60;
