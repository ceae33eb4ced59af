/** Amounts of tokens and money that say nothing. */
import type { Amount, AmountLimit } from "./task-state.ts";

export const NOTHING: Amount = { tokens: 0, costMicros: 0 };

/** Nothing is limited. */
export const NO_LIMIT: AmountLimit = { tokens: null, costMicros: null };
