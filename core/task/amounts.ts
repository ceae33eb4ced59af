/** What every budget, of a task or above it, says in the same words. */
import type { Amount, AmountLimit } from "./state.ts";

/** Money is counted in millionths of a US dollar. */
export const MICROS_PER_DOLLAR = 1_000_000;

export const NOTHING: Amount = { tokens: 0, costMicros: 0 };

/** Nothing is limited. */
export const NO_LIMIT: AmountLimit = { tokens: null, costMicros: null };

/** The share of a limit from which on it counts as near: the warning is given then. */
export const NEAR_SHARE = 0.8;
