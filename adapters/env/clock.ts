/**
 * The clock. Rules are given `now`; what asks for the time more than once while it works, and has tests that move the time, is given this.
 */
import type { Clock } from "../../core/ports/clock.ts";

export const systemClock: Clock = { now: () => Date.now() };
