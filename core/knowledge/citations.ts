/** The citations of an answer: the sources that its `[Source n]` name. Pure. */
import type { GivenSource } from "./sources.ts";

/** A citation, as the API returns it. */
export interface Citation {
  readonly n: number;
  readonly piece_id: string;
  readonly document_id: string;
  /** The version of the document that was read. */
  readonly version: number;
  readonly title: string;
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** What an answer cites. `warnings`: what it names that was not given. */
export interface Cited {
  readonly citations: readonly Citation[];
  readonly warnings: readonly string[];
}

/** `[Source 3]`, and several at once: `[Sources 3, 4 and 7]`. */
const CITED = /\[sources? {1,3}(\d{1,7}(?: {0,3}(?:,|;|&|and) {0,3}(?:source )?\d{1,7}){0,20})\]/gi;
/** Warnings of one answer. */
const MAX_WARNINGS = 20;

/** Resolves the citations of an answer, each number once, in the order of the numbers. */
export function resolveCitations(answer: string, sources: readonly GivenSource[]): Cited {
  const given = new Map(sources.map((source) => [source.n, source]));
  const citations: Citation[] = [];
  const unknown: number[] = [];
  for (const n of findCitedNumbers(answer)) {
    const source = given.get(n);
    if (source === undefined) unknown.push(n);
    else citations.push(toCitation(source));
  }
  return { citations, warnings: unknown.slice(0, MAX_WARNINGS).map(formatUnknown) };
}

/** Returns the sources that an answer cites, for a task that has ended. */
export function keepCited(answer: string | null, sources: readonly GivenSource[]): readonly GivenSource[] {
  const numbers = new Set(answer === null ? [] : findCitedNumbers(answer));
  return sources.filter(({ n }) => numbers.has(n));
}

/** Returns the numbers that a text cites, each once, in ascending order. */
function findCitedNumbers(text: string): number[] {
  const numbers = [...text.matchAll(CITED)].flatMap(([, list = ""]) => list.match(/\d+/g) ?? []).map(Number);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function toCitation({ n, piece, document, version, title, page, start, end, quote }: GivenSource): Citation {
  return { n, piece_id: piece, document_id: document, version, title, page, start, end, quote };
}

function formatUnknown(n: number): string {
  return `The answer cites [Source ${n}], which this task was not given.`;
}

/**
 * Replaces the numbers of a subtask's answer by the ids of the pieces, which mean the same to its parent: the parent's
 * numbers are other ones.
 */
export function toParentText(answer: string, citations: readonly Citation[]): string {
  const pieces = new Map(citations.map(({ n, piece_id: piece }) => [n, piece]));
  return answer.replaceAll(CITED, (_whole, list: string) => {
    const names = (list.match(/\d+/g) ?? []).map((n) => pieces.get(Number(n)) ?? `source ${n} of the subtask`);
    return `[${names.join(", ")}]`;
  });
}
