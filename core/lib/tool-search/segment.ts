/**
 * The index of one list of tools: for each term, its tools and their weights. A segment depends only on its own tools,
 * so a list is indexed once and several are searched together (`search.ts`).
 */
import { readRun, splitRuns, toTerms } from "./words.ts";

/** The searched fields of a tool. */
export interface SearchableTool {
  readonly name: string;
  readonly summary: string;
  readonly toolbox: string;
  readonly category: string;
  readonly parameters: readonly { readonly name: string; readonly description: string }[];
}

/** An index. A tool is its number in the list, a term its number in `terms`. */
export interface Segment {
  readonly size: number;
  readonly terms: ReadonlyMap<string, number>;
  /** The tools of a term are from `starts[term]` to `starts[term + 1]`, with the term's weight in each. */
  readonly starts: Uint32Array;
  readonly tools: Uint16Array;
  /** In units of 1 / `WEIGHT_UNIT`. */
  readonly weights: Uint8Array;
  /** The terms of a tool's name, then those of its summary, in order: from `textStarts[tool]` on; the name ends at `nameEnds[tool]`. */
  readonly text: Uint32Array;
  readonly textStarts: Uint32Array;
  readonly nameEnds: Uint32Array;
  /** The toolbox of each tool, by number, and the terms of each toolbox's name. */
  readonly groups: Uint16Array;
  readonly groupTerms: readonly (readonly string[])[];
  /** Its estimated size in memory. */
  readonly bytes: number;
}

/** The most tools of one segment; further ones are not found. A tool's number has 16 bits. */
const MAX_SEGMENT_TOOLS = 65_535;
export const WEIGHT_UNIT = 255;
/**
 * Limits of the read characters of a name, a summary and a parameter's description, of the parameters of a tool, and of
 * the terms of a text.
 */
const MAX_NAME = 200;
const MAX_SUMMARY = 2_000;
const MAX_DESCRIPTION = 300;
const MAX_PARAMETERS = 60;
const MAX_SEQUENCE = 64;
/** The most different parts of texts whose terms a builder holds, some four megabytes until the segment is built. */
const MAX_RUNS = 20_000;
/** Estimated bytes of a term in a map, and of a toolbox. */
const TERM_BYTES = 90;
const GROUP_BYTES = 120;

/**
 * BM25F by field: the weight of a word, the usual number of terms, and the penalty for a longer text. The lengths are
 * constants, so that a segment is independent of the others.
 */
const FIELDS = {
  name: { boost: 3, length: 3, slope: 0.3 },
  toolbox: { boost: 2, length: 3, slope: 0.3 },
  category: { boost: 1, length: 1.4, slope: 0.3 },
  summary: { boost: 1.5, length: 9, slope: 0.5 },
  parameter: { boost: 0.7, length: 4, slope: 0.5 },
  description: { boost: 0.7, length: 16, slope: 0.5 },
} as const;
/** The count at which a term has half its maximum weight. */
const HALF_COUNT = 2;

/** Builds a segment in portions, so that indexing thousands of tools blocks no other work. */
export class SegmentBuilder {
  readonly #size: number;
  readonly #toolAt: (number: number) => SearchableTool | null;
  readonly #terms = new Map<string, number>();
  /** The numbers of the terms of a part of a text. */
  readonly #runs = new Map<string, readonly number[]>();
  /** By term: tool, count, tool, count, … */
  readonly #postings: number[][] = [];
  /** The weighted counts of the current tool by term, and the terms that have one. */
  readonly #counts: number[] = [];
  readonly #counted: number[] = [];
  readonly #text: number[] = [];
  readonly #textStarts: Uint32Array;
  readonly #nameEnds: Uint32Array;
  readonly #groups: Uint16Array;
  readonly #groupNumbers = new Map<string, number>();
  #next = 0;

  /** Calls `toolAt` for each number below `size` once, in order. */
  constructor(size: number, toolAt: (number: number) => SearchableTool | null) {
    this.#size = Math.min(size, MAX_SEGMENT_TOOLS);
    this.#toolAt = toolAt;
    this.#groups = new Uint16Array(this.#size);
    this.#textStarts = new Uint32Array(this.#size + 1);
    this.#nameEnds = new Uint32Array(this.#size);
  }

  /** Indexes the next portion of tools; true when all are done. */
  add(count: number): boolean {
    const end = Math.min(this.#size, this.#next + count);
    for (; this.#next < end; this.#next += 1) {
      const tool = this.#toolAt(this.#next);
      if (tool !== null) this.#addTool(tool, this.#next);
    }
    return this.#next === this.#size;
  }

  build(): Segment {
    this.add(this.#size);
    const arrays = {
      ...joinPostings(this.#postings),
      text: Uint32Array.from(this.#text),
      textStarts: this.#textStarts,
      nameEnds: this.#nameEnds,
      groups: this.#groups,
    };
    return {
      ...arrays,
      size: this.#size,
      terms: this.#terms,
      groupTerms: [...this.#groupNumbers.keys()].map((toolbox) => toTerms(toolbox.slice(0, MAX_NAME))),
      bytes: measureSegment(arrays, this.#terms.size, this.#groupNumbers.size),
    };
  }

  #addTool(tool: SearchableTool, number: number): void {
    const name = this.#toNumbers(tool.name.slice(0, MAX_NAME));
    this.#count("name", name);
    this.#count("toolbox", this.#toNumbers(tool.toolbox.slice(0, MAX_NAME)));
    this.#count("category", this.#toNumbers(tool.category));
    const summary = this.#toNumbers(tool.summary.slice(0, MAX_SUMMARY));
    this.#count("summary", summary);
    const parameters = tool.parameters.slice(0, MAX_PARAMETERS);
    const names = parameters.map((parameter) => parameter.name.slice(0, MAX_NAME));
    this.#count("parameter", this.#toNumbers(names.join(" ")));
    const descriptions = parameters.map(({ description }) => description.slice(0, MAX_DESCRIPTION));
    this.#count("description", this.#toNumbers(descriptions.join(" ")));
    this.#postCounts(number);
    for (const term of name.slice(0, MAX_SEQUENCE)) this.#text.push(term);
    this.#nameEnds[number] = this.#text.length;
    for (const term of summary.slice(0, MAX_SEQUENCE)) this.#text.push(term);
    this.#textStarts[number + 1] = this.#text.length;
    this.#groups[number] = getNumber(this.#groupNumbers, tool.toolbox);
  }

  #toNumbers(text: string): number[] {
    const numbers: number[] = [];
    for (const run of splitRuns(text)) for (const number of this.#readRun(run)) numbers.push(number);
    return numbers;
  }

  /** Texts of tools repeat a few thousand parts. */
  #readRun(run: string): readonly number[] {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const numbers = readRun(run).map((term) => this.#termNumber(term));
    if (this.#runs.size < MAX_RUNS) this.#runs.set(run, numbers);
    return numbers;
  }

  #count(field: keyof typeof FIELDS, terms: readonly number[]): void {
    const { boost, length, slope } = FIELDS[field];
    const each = boost / (1 - slope + (slope * terms.length) / length);
    for (const term of terms) {
      const count = this.#counts[term] ?? 0;
      if (count === 0) this.#counted.push(term);
      this.#counts[term] = count + each;
    }
  }

  #postCounts(tool: number): void {
    for (const term of this.#counted) {
      this.#postings[term]?.push(tool, this.#counts[term] ?? 0);
      this.#counts[term] = 0;
    }
    this.#counted.length = 0;
  }

  #termNumber(term: string): number {
    const number = getNumber(this.#terms, term);
    if (number === this.#postings.length) this.#postings.push([]);
    return number;
  }
}

/** Estimates the size of an index in memory, in bytes. */
export function measureSegment(
  arrays: Readonly<Record<string, { readonly byteLength: number }>>,
  terms: number,
  groups: number,
): number {
  const inArrays = Object.values(arrays).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return inArrays + terms * TERM_BYTES + groups * GROUP_BYTES;
}

/** Returns the number of a key; assigns the next one to a new key. */
export function getNumber(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

function joinPostings(postings: readonly (readonly number[])[]): Pick<Segment, "starts" | "tools" | "weights"> {
  const total = postings.reduce((sum, posting) => sum + posting.length / 2, 0);
  const starts = new Uint32Array(postings.length + 1);
  const tools = new Uint16Array(total);
  const weights = new Uint8Array(total);
  let at = 0;
  postings.forEach((posting, term) => {
    for (let entry = 0; entry < posting.length; entry += 2, at += 1) {
      tools[at] = posting[entry] ?? 0;
      const count = posting[entry + 1] ?? 0;
      weights[at] = Math.max(1, Math.round((WEIGHT_UNIT * count) / (count + HALF_COUNT)));
    }
    starts[term + 1] = at;
  });
  return { starts, tools, weights };
}
