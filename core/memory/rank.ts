/** The order in which a search gives what it found. docs/memory.md shows what the two figures do. */
import type { Memory } from "./memory.ts";
import { wordsOf, wordSetOf } from "./words.ts";

/** Added to the cosine similarity for each tag whose words all stand in the query, and for how many tags at most. */
export const DEFAULT_TAG_BOOST = 0.1;
const MAX_BOOSTED_TAGS = 3;
/** What scores less is not shown. */
export const DEFAULT_MIN_SCORE = 0.15;

/** The two figures, as an agent or a caller may set them. */
export interface RankRules {
  readonly tagBoost: number;
  readonly minScore: number;
}

/** A memory that a search found. */
export interface MemoryHit {
  readonly memory: Memory;
  /** The cosine of the angle between the query's vector and the memory's. */
  readonly similarity: number;
  /** The tags that raised it. */
  readonly matchedTags: readonly string[];
  /** What it is ranked by: the similarity and what its tags add, at most 1. */
  readonly score: number;
}

/** Scores what was found, drops what is below the cut-off, and gives the best, the highest first. */
export function rank(
  found: readonly { readonly memory: Memory; readonly similarity: number }[],
  query: string,
  { tagBoost, minScore, limit }: RankRules & { readonly limit: number },
): MemoryHit[] {
  const words = new Set(wordsOf(query));
  return found
    .map(({ memory, similarity: computed }): MemoryHit => {
      // Sums of 32-bit numbers may leave the range by a little.
      const similarity = Math.min(1, Math.max(-1, computed));
      const matchedTags = memory.tags.filter((tag) => isIn(tag, words));
      const raised = similarity + tagBoost * Math.min(matchedTags.length, MAX_BOOSTED_TAGS);
      return { memory, similarity, matchedTags, score: Math.min(1, raised) };
    })
    .filter(({ score }) => score >= minScore)
    .sort(
      (a, b) => b.score - a.score || b.memory.updatedAt - a.memory.updatedAt || (a.memory.id < b.memory.id ? -1 : 1),
    )
    .slice(0, limit);
}

/** True when every word of the tag, and there is one, is among the words. */
function isIn(tag: string, words: ReadonlySet<string>): boolean {
  const own = wordSetOf([tag]);
  return own.length > 0 && own.every((word) => words.has(word));
}
