/** What the two kinds of shortening may use: what the task reserves for one, and what its model may read and write of it. */

/** What one shortening may use. The tokens are reserved before its model is asked. */
export interface Shortening {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What a model is asked for at most, as it is told. */
  readonly maxCharacters: number;
}

/** The two kinds: one long result, and the older steps. */
export const SHORTENINGS = {
  summary: { inputTokens: 6000, outputTokens: 700, maxCharacters: 1500 },
  history: { inputTokens: 6000, outputTokens: 2500, maxCharacters: 6000 },
} as const satisfies Record<string, Shortening>;

/** Of the input, what the instructions take and what stands around the text. */
const PROMPT_TOKENS = 660;

/** The tokens of a text that its model may be given. */
export function readTokens({ inputTokens }: Shortening): number {
  return inputTokens - PROMPT_TOKENS;
}
