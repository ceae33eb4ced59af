/** The time, for code that reads it more than once. */

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}
