/** The limits of the two kinds of shortening: what the task reserves, and what the model may read and write. */

/** The limits of one shortening. The tokens are reserved before the model call. */
export interface Shortening {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The limit in the model's prompt. */
  readonly maxCharacters: number;
}

/** The two kinds: one long result, and older steps. */
export const SHORTENINGS = {
  summary: { inputTokens: 6000, outputTokens: 700, maxCharacters: 1500 },
  history: { inputTokens: 6000, outputTokens: 2500, maxCharacters: 6000 },
} as const satisfies Record<string, Shortening>;

/** Tokens of the input that instructions and framing take. */
const PROMPT_TOKENS = 660;

/** Returns the tokens of a text that its model may get. */
export function getInputTokens({ inputTokens }: Shortening): number {
  return inputTokens - PROMPT_TOKENS;
}
