/**
 * What models cost, as data: US dollars for a million tokens, as the vendors' price pages listed them in November 2026's
 * release of this table. A model that is not here has no known price, and a task with `max_cost_usd` on it is refused.
 */

/** Dollars for a million tokens. (A dollar a million tokens is a millionth of a dollar a token.) */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

const PRICES: Readonly<Record<string, ModelPrice>> = {
  "gpt-5": { inputPerMillion: 1.25, outputPerMillion: 10 },
  "gpt-5-mini": { inputPerMillion: 0.25, outputPerMillion: 2 },
  "gpt-5-nano": { inputPerMillion: 0.05, outputPerMillion: 0.4 },
  "gpt-4.1": { inputPerMillion: 2, outputPerMillion: 8 },
  "gpt-4.1-mini": { inputPerMillion: 0.4, outputPerMillion: 1.6 },
  "gpt-4.1-nano": { inputPerMillion: 0.1, outputPerMillion: 0.4 },
  "gpt-4o": { inputPerMillion: 2.5, outputPerMillion: 10 },
  "gpt-4o-mini": { inputPerMillion: 0.15, outputPerMillion: 0.6 },
  demo: { inputPerMillion: 0, outputPerMillion: 0 },
};

/** The price of a model; null when nobody knows it. A dated name (`gpt-4o-2024-08-06`) has the price of its family. */
export function priceOf(model: string): ModelPrice | null {
  const family = model.replace(/-\d{4}-\d{2}-\d{2}$/, "");
  for (const name of [model, family]) if (Object.hasOwn(PRICES, name)) return PRICES[name] ?? null;
  return null;
}

/** The cost of a call in millionths of a dollar; 0 when the price is not known. */
export function costMicros(price: ModelPrice | null, inputTokens: number, outputTokens: number): number {
  if (price === null) return 0;
  return inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion;
}
