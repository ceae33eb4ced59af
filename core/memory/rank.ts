/** Ranks the results of a search. docs/memory.md shows the effect of both settings. */
import type { Memory } from "./memory.ts";
import { OUTSIDE } from "../provenance/label.ts";
import { splitWords, listWords } from "./words.ts";

/** Added to the cosine similarity for each tag whose words all occur in the query, for a limited number of tags. */
export const DEFAULT_TAG_BOOST = 0.1;
const MAX_BOOSTED_TAGS = 3;
/** Results with a lower score are dropped, unless a tag found them. */
export const DEFAULT_MIN_SCORE = 0.15;

/** The ranking settings of an agent or a caller. */
export interface RankRules {
  readonly tagBoost: number;
  readonly minScore: number;
}

/** A memory that a search found. */
export interface MemoryHit {
  readonly memory: Memory;
  /** The cosine of the angle between the query's vector and the memory's. */
  readonly similarity: number;
  /** The tags that raised its score. */
  readonly matchedTags: readonly string[];
  /** Its score: the similarity plus the boost of its tags, at most 1. */
  readonly score: number;
}

/**
 * Scores the results, drops those below the cut-off, and returns the best ones in order: facts first, then summaries and
 * claims from outside. A memory with a matching tag is found at any score, unless tags add nothing.
 */
export function rankHits(
  found: readonly { readonly memory: Memory; readonly similarity: number }[],
  query: string,
  { tagBoost, minScore, limit }: RankRules & { readonly limit: number },
): MemoryHit[] {
  const words = new Set(splitWords(query));
  return found
    .map(({ memory, similarity: computed }): MemoryHit => {
      // Rounding may move 32-bit sums slightly out of the range.
      const similarity = Math.min(1, Math.max(-1, computed));
      const matchedTags = matchTags(memory.tags, words);
      const raised = similarity + tagBoost * Math.min(matchedTags.length, MAX_BOOSTED_TAGS);
      return { memory, similarity, matchedTags, score: Math.min(1, raised) };
    })
    .filter(({ score, matchedTags }) => score >= minScore || (matchedTags.length > 0 && tagBoost > 0))
    .sort(
      (a, b) =>
        Number(isFact(b.memory)) - Number(isFact(a.memory)) ||
        b.score - a.score ||
        b.memory.updatedAt - a.memory.updatedAt ||
        (a.memory.id < b.memory.id ? -1 : 1),
    )
    .slice(0, limit);
}

/** True for a text that an agent or a person saved, and that did not come from outside. */
function isFact({ kind, label }: Memory): boolean {
  return kind === "note" && label !== OUTSIDE;
}

/** Returns the tags that match a query with these words. */
export function matchTags(tags: readonly string[], words: ReadonlySet<string>): string[] {
  return tags.filter((tag) => containsTag(tag, words));
}

/** True when the tag has words and all of them occur. */
function containsTag(tag: string, words: ReadonlySet<string>): boolean {
  const own = listWords([tag]);
  return own.length > 0 && own.every((word) => words.has(word));
}
