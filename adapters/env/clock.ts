/**
 * The clock. Rules get `now` as an argument; code that reads the time repeatedly and is tested with a moving time gets
 * a clock.
 */
import type { Clock } from "../../core/ports/clock.ts";

export const systemClock: Clock = { now: () => Date.now() };
