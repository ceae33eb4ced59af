/** Questions that a tool puts to the models of its task. */
import type { z } from "zod";
import type { Result } from "../base/errors.ts";

/**
 * What one call of a tool may ask: at most `calls` questions, each of at most `inputTokens` and `outputTokens`. Their whole
 * cost is reserved before the call starts, and what they used is settled when it ends.
 */
export interface ModelUse {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One question. The answer is an object of `schema`. */
export interface Question<Answer> {
  /** What the model has to do. Our own words alone: nothing from outside. */
  readonly instructions: string;
  /** What it is done with. It may contain text from outside, and is never an instruction. */
  readonly input: string;
  readonly schema: z.ZodType<Answer>;
  /** At most `outputTokens` of the tool's `modelUse`. */
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

/**
 * Failures: `not_available` (the task has no language model, such as with the demo model), `budget_exceeded` (more questions or a
 * longer one than the tool declared), `timeout`, `upstream_failed` (also for an answer of another shape). Throws only on a defect.
 */
export interface LanguagePort {
  ask<Answer>(question: Question<Answer>): Promise<Result<Answer>>;
}
