/**
 * Cuts the blocks of one section into pieces of text. A piece is a slice of the Markdown, so that its offsets say exactly
 * what a reader saw. Blocks stay whole where they fit; a longer one is cut at the end of a line, a sentence or a word.
 */

/** Characters (UTF-16 units) of a piece of text, those that two neighbours share, and those of a whole block of code. */
export const PIECE_CHARACTERS = 1_200;
export const OVERLAP_CHARACTERS = 150;
export const CODE_CHARACTERS = 4_000;

/** A block of the Markdown. */
export interface TextBlock {
  readonly start: number;
  readonly end: number;
  readonly isCode: boolean;
}

/** A slice of the Markdown. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** Cuts adjacent blocks of one section, in order. */
export function cutBlocks(markdown: string, blocks: readonly TextBlock[]): Slice[] {
  const pieces: Slice[] = [];
  let open: Slice | null = null;
  const close = () => {
    if (open !== null) pieces.push(open);
    open = null;
  };
  for (const block of blocks) {
    if (block.isCode) {
      close();
      pieces.push(...splitAt(markdown, block, CODE_CHARACTERS, 0));
      continue;
    }
    if (open !== null && block.end - open.start <= PIECE_CHARACTERS) {
      open = { start: open.start, end: block.end };
      continue;
    }
    const before: Slice | null = open;
    close();
    // The end of the piece before is repeated, so that a search finds what the cut would divide.
    const start: number = before === null ? block.start : findOverlap(markdown, before);
    if (block.end - start <= PIECE_CHARACTERS) open = { start, end: block.end };
    else if (block.end - block.start <= PIECE_CHARACTERS) open = { start: block.start, end: block.end };
    else pieces.push(...splitAt(markdown, block, PIECE_CHARACTERS, OVERLAP_CHARACTERS));
  }
  close();
  return pieces.flatMap((piece) => trim(markdown, piece));
}

/** Where the last words of a piece begin. */
function findOverlap(markdown: string, { start, end }: Slice): number {
  const from = Math.max(start, end - OVERLAP_CHARACTERS);
  return from === start ? start : findWord(markdown, from, end);
}

/** The beginning of the first word at or after `from`, before `end`. */
function findWord(markdown: string, from: number, end: number): number {
  const space = /\s\S/g;
  space.lastIndex = from;
  const found = space.exec(markdown.slice(0, end));
  return found === null ? end : found.index + 1;
}

/** Cuts a long block into pieces of at most `limit` characters. */
function splitAt(markdown: string, { start, end }: Slice, limit: number, overlap: number): Slice[] {
  const pieces: Slice[] = [];
  for (let from = start; from < end; ) {
    const to = end - from <= limit ? end : findCut(markdown, from, from + limit);
    pieces.push({ start: from, end: to });
    if (to === end) break;
    const next = overlap === 0 ? to : findWord(markdown, Math.max(from + 1, to - overlap), to);
    from = next > from ? next : to;
  }
  return pieces;
}

/** Ends of lines are best, then of sentences, then of words; none in the first half counts. */
const CUTS = [/\n/g, /[.!?…。！？]["'»”)\]]*\s/g, /\s/g];

function findCut(markdown: string, from: number, to: number): number {
  const least = from + Math.floor((to - from) / 2);
  const window = markdown.slice(least, to);
  for (const cut of CUTS) {
    const last = [...window.matchAll(cut)].at(-1);
    if (last !== undefined) return least + last.index + last[0].length;
  }
  // Not inside of a surrogate pair.
  return /[\uD800-\uDBFF]/.test(markdown.charAt(to - 1)) ? to - 1 : to;
}

function trim(markdown: string, { start, end }: Slice): Slice[] {
  const text = markdown.slice(start, end);
  const from = start + (text.length - text.trimStart().length);
  const to = end - (text.length - text.trimEnd().length);
  return to > from ? [{ start: from, end: to }] : [];
}
