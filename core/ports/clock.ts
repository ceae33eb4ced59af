/** The time, for what asks for it more than once while it works. */

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}
