/** How well an action fits a request, by its capabilities and by shared words. */
import { toTerms } from "../../lib/tool-search/words.ts";
import type { ActionJudgement } from "../catalogue.ts";
import { type Intent, MAX_REQUEST } from "./intent.ts";

/** The most terms of a request that count as keywords. */
const MAX_KEYWORDS = 10;

/** Returns the keywords of the texts: their first different terms. */
export function readKeywords(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => toTerms(text.slice(0, MAX_REQUEST))))].slice(0, MAX_KEYWORDS);
}

/** What a score is computed from. */
export interface ScorableAction extends Pick<ActionJudgement, "capabilities"> {
  readonly action: string;
  readonly title: string;
  readonly description: string;
}

/** Scores an action for an intent, from 0 to 1. Called for hints (`hints.ts`). */
export function scoreForIntent(action: ScorableAction, intent: Intent, keywords: readonly string[]): number {
  const overlap = action.capabilities.filter((one) => intent.capabilities.has(one)).length;
  const shared = countKeywords(action, keywords);
  return Math.min(0.4, 0.15 * overlap) + Math.min(0.4, 0.1 * shared) + 0.2 * intent.confidence;
}

/** Counts the keywords in the words of an action. */
export function countKeywords({ action, title, description }: ScorableAction, keywords: readonly string[]): number {
  const terms = new Set(toTerms(`${action} ${title} ${description}`));
  return keywords.filter((keyword) => terms.has(keyword)).length;
}
