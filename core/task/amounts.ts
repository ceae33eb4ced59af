/** Units and constants that all budgets share. */
import type { Amount, AmountLimit } from "./state.ts";

/** Money is counted in millionths of a US dollar. */
export const MICROS_PER_DOLLAR = 1_000_000;

export const NO_AMOUNT: Amount = { tokens: 0, costMicros: 0 };

export const NO_LIMIT: AmountLimit = { tokens: null, costMicros: null };

/** The share of a limit at which the warning is given. */
export const NEAR_SHARE = 0.8;
