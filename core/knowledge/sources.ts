/**
 * The sources of a task: the pieces that its calls read, each under a number that the model cites as `[Source n]`. A
 * number belongs to one piece of one version for the whole task. Pure.
 */
import type { StoredPiece } from "./piece.ts";

/** Characters of a piece that a search shows, and that a citation quotes. */
export const MAX_QUOTE = 600;
/** Numbers of one call, and sources that a task remembers: of more, the latest. */
export const MAX_CALL_SOURCES = 20;
export const MAX_TASK_SOURCES = 400;
const NEAREST = 3;

/**
 * A piece that was given to a task. `start` and `end` are UTF-16 units of the Markdown of its version; `quote` is its
 * text, cut at `MAX_QUOTE`.
 */
export interface Source {
  readonly piece: string;
  readonly document: string;
  readonly version: number;
  readonly title: string;
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export interface GivenSource extends Source {
  readonly n: number;
}

/** What the next calls of a task need to know of its sources. */
export type NumberedPiece = Pick<GivenSource, "n" | "piece">;

/** Gives numbers to pieces. */
export interface SourceBook {
  /** Returns the number of a piece: the one that it has in this task, or a new one. */
  give(source: Source): number;
  /** Returns the id of the piece with this number; null if none has it. */
  findPiece(n: number): string | null;
  /** Returns the three given numbers that are nearest to this one, in ascending order. */
  listNearest(n: number): readonly number[];
}

/** Returns the source of a piece, whose quote ends where the shown text ends. */
export function toSource(piece: StoredPiece, title: string): Source {
  const quote = cutText(piece.text, MAX_QUOTE);
  // The text of a piece of text is that part of the Markdown, so a shorter quote ends earlier.
  const isPart = piece.end - piece.start === piece.text.length;
  const end = isPart ? piece.start + quote.length : piece.end;
  const { id, document, version, page, start } = piece;
  return { piece: id, document, version, title, page, start, end, quote };
}

/** Cuts a text to at most `most` UTF-16 units, never inside a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** The numbers of one call. Those of calls that run at once begin at different ones, so that each is unique. */
export class CallSources implements SourceBook {
  readonly #byPiece: Map<string, number>;
  readonly #byNumber: Map<number, string>;
  readonly #added: GivenSource[] = [];
  #next: number;

  /** `given`: of the task before the call. `position`: of the call among those that run at once, from 0. */
  constructor(given: readonly NumberedPiece[] = [], position = 0) {
    this.#byPiece = new Map(given.map(({ n, piece }) => [piece, n]));
    this.#byNumber = new Map(given.map(({ n, piece }) => [n, piece]));
    this.#next = given.reduce((most, { n }) => Math.max(most, n), 0) + 1 + position * MAX_CALL_SOURCES;
  }

  /** What the call added, in order. */
  get added(): readonly GivenSource[] {
    return this.#added;
  }

  give(source: Source): number {
    const known = this.#byPiece.get(source.piece);
    if (known !== undefined) return known;
    if (this.#added.length >= MAX_CALL_SOURCES) throw new RangeError(`a call has at most ${MAX_CALL_SOURCES} sources`);
    const n = this.#next;
    this.#next += 1;
    this.#byPiece.set(source.piece, n);
    this.#byNumber.set(n, source.piece);
    this.#added.push({ ...source, n });
    return n;
  }

  findPiece(n: number): string | null {
    return this.#byNumber.get(n) ?? null;
  }

  listNearest(n: number): readonly number[] {
    const nearest = [...this.#byNumber.keys()].sort((a, b) => Math.abs(a - n) - Math.abs(b - n) || a - b);
    return nearest.slice(0, NEAREST).sort((a, b) => a - b);
  }
}

/** Returns what jobs say of a task's sources; nothing without any. */
export function toJobSources(sources: readonly GivenSource[] = []): { readonly sources?: readonly NumberedPiece[] } {
  return sources.length === 0 ? {} : { sources: sources.map(({ n, piece }) => ({ n, piece })) };
}

/** Adds the sources of a call to those of its task. A number that is taken keeps its piece. */
export function addSources(sources: readonly GivenSource[], added: readonly GivenSource[]): readonly GivenSource[] {
  const taken = new Set(sources.map(({ n }) => n));
  return [...sources, ...added.filter(({ n }) => !taken.has(n))].slice(-MAX_TASK_SOURCES);
}
