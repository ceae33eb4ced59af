/**
 * The second ranking, of the best tools of the first: how much of a tool's name and toolbox the request names, which of
 * its words are adjacent, how well a tool matches its best clause among all tools, and how well its toolbox covers all
 * clauses. A linear rule over these; docs/decisions/0022-tool-search.md says where the weights come from.
 */
import type { Clause } from "./request.ts";
import type { Scores, Searched } from "./score.ts";
import type { Segment } from "./segment.ts";

/**
 * A tool among the best of the first ranking. `at` is its index among all tools, `rank` its rank in the first ranking,
 * from 0.
 */
export interface Candidate {
  readonly segment: number;
  readonly tool: number;
  readonly at: number;
  readonly rank: number;
}

/** A candidate with its rating, of which only the order matters. */
export interface Rated extends Candidate {
  readonly rating: number;
}

/** The features of the rule, each from 0 to about 1. */
interface Features {
  /** Its rank in the first ranking. */
  readonly rank: number;
  /** Its share of the best score in the clause that it fits best, and its rank in the clause where that is highest. */
  readonly share: number;
  readonly clauseRank: number;
  /** The part of the first score that comes from words related to those of the request. */
  readonly related: number;
  /**
   * The best tool of its toolbox in the first ranking, and how well the toolbox covers the clauses, each by its best
   * tool.
   */
  readonly toolbox: number;
  readonly coverage: number;
  /** The shares of its name and of its toolbox's name that the request contains, by rarity. */
  readonly named: number;
  readonly toolboxNamed: number;
  /** Words of the name in the request, up to three: a long name matches partly by chance. */
  readonly namedWords: number;
  /** Adjacent pairs of words that it shares with a clause, up to three. */
  readonly pairs: number;
}

const WEIGHTS: Readonly<Record<keyof Features, number>> = {
  rank: 1.2,
  share: 1.4,
  clauseRank: 1,
  related: 3,
  toolbox: 2,
  coverage: 3.2,
  named: 2.6,
  toolboxNamed: 0.6,
  namedWords: -1.6,
  pairs: 1.4,
};

const MOST_WORDS = 3;
const MOST_PAIRS = 3;
/** The rank with half the weight. */
const HALF_RANK = 10;
/** Replaces zero in a division. */
const LEAST = 1e-6;

/** Rates the candidates, the best first. They come in the order of the first ranking. */
export function rateCandidates(
  candidates: readonly Candidate[],
  clauses: readonly Clause[],
  searched: readonly Searched[],
  scores: Scores,
): Rated[] {
  const highestOf = (row: Float32Array) => candidates.reduce((top, { at }) => Math.max(top, row[at] ?? 0), LEAST);
  const highest = highestOf(scores.first);
  const shares = clauses.map((_, clause) => computeShares(scores.parts[clause], candidates));
  const toolboxes = rateToolboxes(candidates, searched, scores, shares);
  const inSegments = searched.map(({ segment }) => mapRequest(segment, clauses, scores));
  const rated = candidates.map((candidate, index): Rated => {
    const { segment, at, rank } = candidate;
    const toolbox = toolboxes.get(getToolbox(candidate, searched));
    const features: Features = {
      rank: 1 / (1 + rank / HALF_RANK),
      share: Math.max(0, ...shares.map(({ ofBest }) => ofBest[index] ?? 0)),
      clauseRank: 1 / (1 + Math.min(...shares.map(({ ranks }) => ranks[index] ?? candidates.length))),
      related: (scores.related[at] ?? 0) / highest,
      toolbox: (toolbox?.best ?? 0) / highest,
      coverage: toolbox?.coverage ?? 0,
      ...readTool(searched[segment]?.segment, candidate.tool, inSegments[segment], scores),
    };
    return { ...candidate, rating: rate(features) };
  });
  return rated.sort((a, b) => b.rating - a.rating || a.rank - b.rank);
}

function rate(features: Features): number {
  let rating = 0;
  for (const [name, weight] of WEIGHT_LIST) rating += weight * features[name];
  return rating;
}
const WEIGHT_LIST = Object.entries(WEIGHTS) as [keyof Features, number][];

/** The candidates' shares in one clause. */
interface Shares {
  readonly ofBest: readonly number[];
  readonly ranks: readonly number[];
}

function computeShares(part: Float32Array | undefined, candidates: readonly Candidate[]): Shares {
  const values = candidates.map(({ at }) => part?.[at] ?? 0);
  const top = Math.max(LEAST, ...values);
  const order = values.map((_, index) => index).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
  const ranks = values.map(() => candidates.length);
  order.forEach((index, rank) => {
    if ((values[index] ?? 0) > 0) ranks[index] = rank;
  });
  return { ofBest: values.map((value) => value / top), ranks };
}

interface Toolbox {
  best: number;
  readonly byClause: number[];
  coverage: number;
}

function rateToolboxes(
  candidates: readonly Candidate[],
  searched: readonly Searched[],
  { first }: Scores,
  shares: readonly Shares[],
): Map<string, Toolbox> {
  const toolboxes = new Map<string, Toolbox>();
  candidates.forEach((candidate, index) => {
    const key = getToolbox(candidate, searched);
    const known = toolboxes.get(key) ?? { best: 0, byClause: shares.map(() => 0), coverage: 0 };
    known.best = Math.max(known.best, first[candidate.at] ?? 0);
    shares.forEach(({ ofBest }, clause) => {
      known.byClause[clause] = Math.max(known.byClause[clause] ?? 0, ofBest[index] ?? 0);
    });
    toolboxes.set(key, known);
  });
  for (const toolbox of toolboxes.values()) {
    toolbox.coverage = toolbox.byClause.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  }
  return toolboxes;
}

function getToolbox({ segment, tool }: Candidate, searched: readonly Searched[]): string {
  return `${segment} ${searched[segment]?.segment.groups[tool] ?? 0}`;
}

/** The request in a segment's term numbers: the rarity of each, and which are adjacent. */
interface RequestIn {
  readonly rarities: ReadonlyMap<number, number>;
  readonly terms: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
}

function mapRequest(segment: Segment, clauses: readonly Clause[], { rarity }: Scores): RequestIn {
  const terms = new Set(clauses.flatMap((clause) => clause.terms));
  const rarities = new Map<number, number>();
  for (const term of terms) {
    const number = segment.terms.get(term);
    if (number !== undefined) rarities.set(number, rarity(term));
  }
  const pairs = new Set<string>();
  for (const clause of clauses) {
    const numbers = clause.terms.map((term) => segment.terms.get(term));
    numbers.slice(1).forEach((number, index) => pairs.add(`${numbers[index]} ${number}`));
  }
  return { rarities, terms, pairs };
}

/** Reads the features of a tool itself. */
function readTool(
  segment: Segment | undefined,
  tool: number,
  request: RequestIn | undefined,
  { total, rarity }: Scores,
): Pick<Features, "named" | "toolboxNamed" | "namedWords" | "pairs"> {
  if (segment === undefined || request === undefined) return { named: 0, toolboxNamed: 0, namedWords: 0, pairs: 0 };
  const { text, textStarts, nameEnds, starts } = segment;
  const nameEnd = nameEnds[tool] ?? 0;
  const name = new Set(text.subarray(textStarts[tool], nameEnd));
  let inName = 0;
  let saidOfName = 0;
  let words = 0;
  for (const term of name) {
    const rarities = request.rarities.get(term);
    // The rarity of a term outside the request is taken from this segment alone, which is close enough.
    inName += rarities ?? Math.log(1 + total / Math.max(1, (starts[term + 1] ?? 0) - (starts[term] ?? 0)));
    if (rarities === undefined) continue;
    saidOfName += rarities;
    words += 1;
  }
  const end = textStarts[tool + 1] ?? 0;
  let pairs = 0;
  for (let at = textStarts[tool] ?? 0; at + 1 < end && pairs < MOST_PAIRS; at += 1) {
    const isSaid = request.rarities.has(text[at] ?? -1) && request.rarities.has(text[at + 1] ?? -1);
    if (at + 1 !== nameEnd && isSaid && request.pairs.has(`${text[at]} ${text[at + 1]}`)) pairs += 1;
  }
  const toolboxTerms = segment.groupTerms[segment.groups[tool] ?? 0] ?? [];
  const inToolbox = toolboxTerms.reduce((sum, term) => sum + rarity(term), 0);
  const saidOfToolbox = toolboxTerms.reduce((sum, term) => sum + (request.terms.has(term) ? rarity(term) : 0), 0);
  return {
    named: inName === 0 ? 0 : saidOfName / inName,
    toolboxNamed: inToolbox === 0 ? 0 : saidOfToolbox / inToolbox,
    namedWords: Math.min(MOST_WORDS, words) / MOST_WORDS,
    pairs: pairs / MOST_PAIRS,
  };
}
