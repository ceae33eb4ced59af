/**
 * The first ranking of all tools: how well each matches the whole request and its best clause. A sum over the request's
 * terms, by their rarity among all searched tools.
 */
import { RELATED } from "./related-words.ts";
import type { Clause } from "./request.ts";
import { type Segment, WEIGHT_UNIT } from "./segment.ts";

/** A segment, and 1 for each of its tools that may be found; null for all. */
export interface Searched {
  readonly segment: Segment;
  readonly admitted: Uint8Array | null;
}

/** The tools of all segments in one array: `offsets[segment] + tool`. */
export interface Scores {
  readonly offsets: readonly number[];
  readonly total: number;
  /** By tool: over all terms, over words related to them, and over the terms of each clause with their related words. */
  readonly whole: Float32Array;
  readonly related: Float32Array;
  readonly parts: readonly Float32Array[];
  /** The highest of the parts. */
  readonly best: Float32Array;
  /** The first score; 0 for a tool that may not be found or has no term of the request. */
  readonly first: Float32Array;
  /** The rarity of a term; 0 if no tool has it. */
  readonly rarity: (term: string) => number;
}

/** Weights of a related word, and of the best clause, in the first score. */
const RELATED_SHARE = 0.15;
const CLAUSE_SHARE = 0.7;

export function scoreTools(searched: readonly Searched[], clauses: readonly Clause[]): Scores {
  const offsets: number[] = [];
  let total = 0;
  for (const { segment } of searched) {
    offsets.push(total);
    total += segment.size;
  }
  const rarity = computeRarity(searched, total);
  const add = (into: Float32Array, term: string, factor: number): void => {
    searched.forEach(({ segment }, index) => addTerm(into.subarray(offsets[index]), segment, term, factor));
  };

  const terms = new Set(clauses.flatMap((clause) => clause.terms));
  const whole = new Float32Array(total);
  for (const term of terms) add(whole, term, rarity(term));
  const related = new Float32Array(total);
  for (const [term, factor] of findRelated(terms, rarity)) add(related, term, factor);
  const parts = clauses.map((clause) => {
    const part = new Float32Array(total);
    for (const term of clause.terms) add(part, term, rarity(term));
    for (const [term, factor] of findRelated(new Set(clause.terms), rarity)) add(part, term, RELATED_SHARE * factor);
    return part;
  });
  const best = computeHighest(parts, total);
  const first = new Float32Array(total);
  searched.forEach(({ segment, admitted }, index) => {
    const offset = offsets[index] ?? 0;
    for (let tool = 0, at = offset; tool < segment.size; tool += 1, at += 1) {
      if (admitted !== null && admitted[tool] !== 1) continue;
      first[at] = (whole[at] ?? 0) + RELATED_SHARE * (related[at] ?? 0) + CLAUSE_SHARE * (best[at] ?? 0);
    }
  });
  return { offsets, total, whole, related, parts, best, first, rarity };
}

/** Computes the inverse frequency of terms, as in BM25. */
function computeRarity(searched: readonly Searched[], total: number): (term: string) => number {
  const known = new Map<string, number>();
  return (term) => {
    const before = known.get(term);
    if (before !== undefined) return before;
    const tools = searched.reduce((sum, { segment }) => sum + countToolsWith(segment, term), 0);
    const rarity = tools === 0 ? 0 : Math.log(1 + (total - tools + 0.5) / (tools + 0.5));
    known.set(term, rarity);
    return rarity;
  };
}

function countToolsWith({ terms, starts }: Segment, term: string): number {
  const number = terms.get(term);
  return number === undefined ? 0 : (starts[number + 1] ?? 0) - (starts[number] ?? 0);
}

function addTerm(into: Float32Array, segment: Segment, term: string, factor: number): void {
  const number = segment.terms.get(term);
  if (number === undefined || factor === 0) return;
  const { starts, tools, weights } = segment;
  const end = starts[number + 1] ?? 0;
  const unit = factor / WEIGHT_UNIT;
  for (let at = starts[number] ?? 0; at < end; at += 1) {
    const tool = tools[at] ?? 0;
    into[tool] = (into[tool] ?? 0) + unit * (weights[at] ?? 0);
  }
}

/** Returns the words related to these, without these. A related word is no rarer than its original. */
function findRelated(terms: ReadonlySet<string>, rarity: (term: string) => number): Map<string, number> {
  const factors = new Map<string, number>();
  for (const term of terms) {
    const own = rarity(term);
    for (const other of RELATED.get(term) ?? []) {
      if (terms.has(other)) continue;
      const factor = own === 0 ? rarity(other) : Math.min(rarity(other), own);
      factors.set(other, Math.max(factors.get(other) ?? 0, factor));
    }
  }
  return factors;
}

function computeHighest(parts: readonly Float32Array[], total: number): Float32Array {
  const best = new Float32Array(total);
  for (const part of parts) {
    for (let at = 0; at < total; at += 1) if ((part[at] ?? 0) > (best[at] ?? 0)) best[at] = part[at] ?? 0;
  }
  return best;
}
