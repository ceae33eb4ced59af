/**
 * Ranks the pieces that a search found: reciprocal rank fusion of the two lists, then features of each piece. A linear
 * rule over these; docs/knowledge-search.md shows the effect of the weights and of the cut-off. Pure.
 */
import { fuseRanks } from "../lib/fuse-ranks.ts";
import { RELATED } from "../lib/tool-search/related-words.ts";
import { toTerms } from "../lib/tool-search/words.ts";
import { NEAR_SIMILARITY } from "./near.ts";

/** How many pieces each list has. */
export const LIST_LENGTH = 50;

/** A piece with a lower score is not shown, unless its meaning alone is near. */
export const MIN_SCORE = 0.12;
/** The same of a search by vectors alone, whose score is the cosine similarity. */
const MIN_SIMILARITY = 0.15;

const MAX_PAIRS = 3;
/** Terms of a piece and of a query that are looked at. */
const MAX_PIECE_TERMS = 1_000;
const MAX_QUERY_TERMS = 40;

/** A found piece. `place`: the title of its document and its headings. `similarity`: the cosine; 0 without a vector. */
export interface Candidate {
  readonly id: string;
  readonly text: string;
  readonly place: string;
}

/** Ids in the order of a list, the best first. */
export interface FoundLists {
  readonly byVector: readonly { readonly id: string; readonly score: number }[];
  readonly byWords: readonly { readonly id: string }[];
}

/** The features of the rule, each from 0 to 1. */
export interface PieceFeatures {
  /** The fused rank: 1 for the first of both lists. */
  readonly fused: number;
  readonly similarity: number;
  /** The share of the query's terms that the piece, its headings or its title have, by rarity among the candidates. */
  readonly covered: number;
  /** The share of the query's terms that its headings and title have, by rarity. */
  readonly named: number;
  /** The share of the terms that it lacks, but has a related word of. */
  readonly related: number;
  /** Adjacent pairs of the query's terms that are adjacent in the text, up to three. */
  readonly pairs: number;
}

export type PieceWeights = Readonly<Record<keyof PieceFeatures, number>>;

export const WEIGHTS: PieceWeights = { fused: 3, similarity: 1, covered: 8, named: 2, related: 2, pairs: 1 };

/** A ranked piece. `score`: from 0 to 1. `relevance`: the score in per cent, with one decimal place. */
export interface Ranked<C extends Candidate> {
  readonly piece: C;
  readonly score: number;
  readonly relevance: number;
}

/** Ranks the candidates by both lists and their features, the best first, without those below `minScore`. */
export function rankPieces<C extends Candidate>(
  candidates: readonly C[],
  query: string,
  lists: FoundLists,
  { weights = WEIGHTS, minScore = MIN_SCORE }: { readonly weights?: PieceWeights; readonly minScore?: number } = {},
): Ranked<C>[] {
  const read = candidates.map((piece) => ({ piece, ...readTerms(piece) }));
  const request = readQuery(query, read);
  const fused = fuseRanks([lists.byVector, lists.byWords]);
  const similarities = new Map(lists.byVector.map(({ id, score }) => [id, score]));
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const ranked = read.map(({ piece, text, place }) => {
    const features: PieceFeatures = {
      fused: fused.get(piece.id) ?? 0,
      similarity: Math.min(1, Math.max(0, similarities.get(piece.id) ?? 0)),
      ...computeFeatures(request, text, place),
    };
    return { ...toRanked(piece, weigh(features, weights) / total), isNear: features.similarity >= NEAR_SIMILARITY };
  });
  const shown = ranked.filter(({ score, isNear }) => score >= minScore || isNear);
  return sortRanked(shown.map(({ piece, score, relevance }) => ({ piece, score, relevance })));
}

/** Ranks by the cosine similarity alone. */
export function rankBySimilarity<C extends Candidate>(
  candidates: readonly C[],
  byVector: FoundLists["byVector"],
  minScore = MIN_SIMILARITY,
): Ranked<C>[] {
  const similarities = new Map(byVector.map(({ id, score }) => [id, score]));
  const ranked = candidates.map((piece) =>
    toRanked(piece, Math.min(1, Math.max(-1, similarities.get(piece.id) ?? -1))),
  );
  return sortRanked(ranked.filter(({ score }) => score >= minScore));
}

function toRanked<C extends Candidate>(piece: C, score: number): Ranked<C> {
  return { piece, score, relevance: Math.round(Math.max(0, score) * 1_000) / 10 };
}

function sortRanked<C extends Candidate>(ranked: readonly Ranked<C>[]): Ranked<C>[] {
  return ranked.toSorted((a, b) => b.score - a.score || (a.piece.id < b.piece.id ? -1 : 1));
}

function weigh(features: PieceFeatures, weights: PieceWeights): number {
  return (
    weights.fused * features.fused +
    weights.similarity * features.similarity +
    weights.covered * features.covered +
    weights.named * features.named +
    weights.related * features.related +
    weights.pairs * features.pairs
  );
}

interface PieceTerms {
  readonly text: readonly string[];
  readonly place: ReadonlySet<string>;
}

function readTerms({ text, place }: Candidate): PieceTerms {
  return { text: toTerms(text).slice(0, MAX_PIECE_TERMS), place: new Set(toTerms(place)) };
}

interface QueryTerms {
  /** The rarity of each term of the query among the candidates; a term that none has counts as the rarest. */
  readonly rarities: ReadonlyMap<string, number>;
  readonly sum: number;
  readonly pairs: ReadonlySet<string>;
}

/** The query is read as tools' requests are: the same terms, endings removed, without words that say nothing. */
function readQuery(query: string, candidates: readonly PieceTerms[]): QueryTerms {
  const terms = toTerms(query).slice(0, MAX_QUERY_TERMS);
  const inTexts = candidates.map(({ text }) => new Set(text));
  const rarities = new Map<string, number>();
  for (const term of terms) {
    const count = candidates.filter(({ place }, index) => place.has(term) || inTexts[index]?.has(term) === true).length;
    rarities.set(term, Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5)));
  }
  const sum = [...rarities.values()].reduce((total, rarity) => total + rarity, 0);
  return { rarities, sum, pairs: listPairs(terms) };
}

function listPairs(terms: readonly string[]): Set<string> {
  return new Set(terms.slice(1).map((term, index) => `${terms[index]} ${term}`));
}

function computeFeatures(
  { rarities, sum, pairs }: QueryTerms,
  text: readonly string[],
  place: ReadonlySet<string>,
): Pick<PieceFeatures, "covered" | "named" | "related" | "pairs"> {
  const own = new Set(text);
  let [covered, named, related] = [0, 0, 0];
  for (const [term, rarity] of rarities) {
    if (place.has(term)) named += rarity;
    if (place.has(term) || own.has(term)) covered += rarity;
    else if ((RELATED.get(term) ?? []).some((other) => own.has(other) || place.has(other))) related += rarity;
  }
  const most = Math.min(MAX_PAIRS, pairs.size);
  const found = [...listPairs(text)].filter((pair) => pairs.has(pair)).length;
  return {
    covered: sum === 0 ? 0 : covered / sum,
    named: sum === 0 ? 0 : named / sum,
    related: sum === 0 ? 0 : related / sum,
    pairs: most === 0 ? 0 : Math.min(found, most) / most,
  };
}
