/** What the tools of databases declare and check before a question is asked. They load the rest with the first question. */
import type { ModelUse } from "../../ports/language.ts";

/** What one call may ask: a query, and its repair or an analysis of the rows. */
export const QUESTION_USE: ModelUse = { calls: 2, inputTokens: 16_000, outputTokens: 2_000 };

/** A longer question does not leave the model enough room for the schema. */
export const MAX_QUESTION_CHARACTERS = 2_000;
