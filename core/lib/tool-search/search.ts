/**
 * Searches tools by a request in plain words: BM25F over all text of a tool (`score.ts`), then a second ranking of the
 * best (`rerank.ts`). A request for several things is read clause by clause. Pure and fast: the work grows with the
 * tools that have a word of the request.
 */
import { type Candidate, rateCandidates } from "./rerank.ts";
import { readRequest } from "./request.ts";
import { type Scores, scoreTools, type Searched } from "./score.ts";
import type { Segment } from "./segment.ts";

/** A found tool: the index of its segment, and its number there. */
interface Found {
  readonly segment: number;
  readonly tool: number;
}

/** A found tool with its rating, which counts only next to those of the same search: neighbours differ by some tenths. */
export interface RatedTool extends Found {
  readonly rating: number;
}

/** The most tools of the second ranking. */
const MAX_CANDIDATES = 150;
/** The share by which the two best tools of a toolbox raise its others. */
const TOOLBOX_SHARE = 0.2;

/** Returns at most `limit` tools that match the request, the best first. */
export function searchTools(searched: readonly Searched[], request: string, limit: number): RatedTool[] {
  const clauses = readRequest(request);
  const scores = scoreTools(searched, clauses);
  const rated = rateCandidates(chooseCandidates(searched, scores), clauses, searched, scores);
  return rated.slice(0, limit).map(({ segment, tool, rating }) => ({ segment, tool, rating }));
}

/** Returns the best of the first ranking, in order; a tool is raised by others of its toolbox. */
function chooseCandidates(searched: readonly Searched[], { first, offsets }: Scores): Candidate[] {
  const best = new TopValues(MAX_CANDIDATES);
  searched.forEach(({ segment }, index) => {
    const offset = offsets[index] ?? 0;
    const lifts = computeLifts(segment, first.subarray(offset, offset + segment.size));
    for (let tool = 0; tool < segment.size; tool += 1) {
      const value = first[offset + tool] ?? 0;
      if (value > 0) best.offer(value + (lifts[segment.groups[tool] ?? 0] ?? 0), index, tool);
    }
  });
  return best.inOrder().map(({ segment, tool }, rank) => ({ segment, tool, at: (offsets[segment] ?? 0) + tool, rank }));
}

/** Computes, for each toolbox, the raise by its two best tools. */
function computeLifts({ groups, groupTerms }: Segment, first: Float32Array): Float32Array {
  const best = new Float32Array(groupTerms.length);
  const second = new Float32Array(groupTerms.length);
  first.forEach((value, tool) => {
    const group = groups[tool] ?? 0;
    if (value > (best[group] ?? 0)) {
      second[group] = best[group] ?? 0;
      best[group] = value;
    } else if (value > (second[group] ?? 0)) second[group] = value;
  });
  return best.map((value, group) => (TOOLBOX_SHARE * (value + (second[group] ?? 0))) / 2);
}

interface Offered extends Found {
  readonly value: number;
}

/** Collects the highest of many values, trimmed whenever their number has doubled. */
class TopValues {
  readonly #most: number;
  #kept: Offered[] = [];
  #least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  offer(value: number, segment: number, tool: number): void {
    if (value <= this.#least && this.#kept.length >= this.#most) return;
    this.#kept.push({ value, segment, tool });
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  inOrder(): readonly Found[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.value - a.value || a.segment - b.segment || a.tool - b.tool);
    this.#kept.length = Math.min(this.#kept.length, this.#most);
    this.#least = this.#kept.length < this.#most ? 0 : (this.#kept.at(-1)?.value ?? 0);
  }
}
