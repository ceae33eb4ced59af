/**
 * Prices and windows of models, as data: US dollars for a million tokens, from the vendors' price pages of November
 * 2026 (Anthropic's: https://platform.claude.com/docs/en/models, read on 2026-11-26). A model that is not listed has no
 * known price, and a task with `max_cost_usd` on it is refused; its window is assumed to be `UNKNOWN_WINDOW_TOKENS`.
 */

import { getOwn } from "../base/own-field.ts";
import type { Encoding } from "./tokens.ts";

/** Dollars for a million tokens. (A dollar a million tokens is a millionth of a dollar a token.) */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** A model as a task pins it: a later table changes no task that has begun. */
export interface ModelChoice {
  readonly name: string;
  readonly price: ModelPrice | null;
  /** The most tokens of a request and its answer together. */
  readonly windowTokens: number;
}

/** The window of an unlisted model. If it is smaller, the provider says so, and the task adapts. */
const UNKNOWN_WINDOW_TOKENS = 128_000;

const TABLE: Readonly<Record<string, readonly [input: number, output: number, windowTokens: number]>> = {
  "gpt-5": [1.25, 10, 400_000],
  "gpt-5-mini": [0.25, 2, 400_000],
  "gpt-5-nano": [0.05, 0.4, 400_000],
  "gpt-4.1": [2, 8, 1_047_576],
  "gpt-4.1-mini": [0.4, 1.6, 1_047_576],
  "gpt-4.1-nano": [0.1, 0.4, 1_047_576],
  "gpt-4o": [2.5, 10, 128_000],
  "gpt-4o-mini": [0.15, 0.6, 128_000],
  "anthropic/claude-fable-5-1": [10, 50, 1_000_000],
  "anthropic/claude-fable-5": [10, 50, 1_000_000],
  "anthropic/claude-opus-5-5": [4, 20, 1_000_000],
  "anthropic/claude-opus-5": [5, 25, 1_000_000],
  "anthropic/claude-sonnet-5-5": [2, 10, 1_000_000],
  "anthropic/claude-sonnet-5": [2, 10, 1_000_000],
  "anthropic/claude-haiku-4-5": [1, 5, 200_000],
  // Replies by rule to a conversation of any length.
  demo: [0, 0, 1_000_000_000],
};

/**
 * Returns a model's price and window. A dated name (`gpt-4o-2024-08-06`, `anthropic/claude-haiku-4-5-20251001`) has
 * those of its family.
 */
export function toModelChoice(name: string): ModelChoice {
  const family = name.replace(/-\d{4}-\d{2}-\d{2}$|(?<=^anthropic\/.*)-\d{8}$/, "");
  for (const known of [name, family]) {
    const row = getOwn(TABLE, known);
    if (row === undefined) continue;
    return { name, price: { inputPerMillion: row[0], outputPerMillion: row[1] }, windowTokens: row[2] };
  }
  return { name, price: null, windowTokens: UNKNOWN_WINDOW_TOKENS };
}

/** Returns the encoding for estimating a model's tokens. OpenAI's models before GPT-4o use cl100k. */
export function getEncoding(model: string): Encoding {
  return /^gpt-(3\.5|4)(?![.\w])/.test(model) ? "cl100k" : "o200k";
}

/** Computes the cost of a call in millionths of a dollar; 0 without a known price. */
export function computeCostMicros(price: ModelPrice | null, inputTokens: number, outputTokens: number): number {
  if (price === null) return 0;
  return inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion;
}
