/** Joins neighbouring pieces of a document to one text. Pure. */
import type { StoredPiece } from "./piece.ts";
import { cutText } from "./sources.ts";

/** A part of a document. `start` and `end` are UTF-16 units of its Markdown. */
export interface JoinedText {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Joins a piece with those before and after it, in their order, to at most `most` characters: the piece itself is cut only
 * when it alone is longer, and of the others the farthest are left out. What two pieces share appears once.
 */
export function joinPieces(pieces: readonly StoredPiece[], id: string, most: number): JoinedText | null {
  const at = pieces.findIndex((piece) => piece.id === id);
  const own = pieces[at];
  if (own === undefined) return null;
  if (own.text.length >= most) return cutPiece(own, most);
  let [first, last] = [at, at];
  let joined = join([own]);
  for (let distance = 1; distance < pieces.length; distance += 1) {
    for (const next of [at + distance, at - distance]) {
      if (next !== first - 1 && next !== last + 1) continue;
      if (pieces[next] === undefined) continue;
      const wider = join(pieces.slice(Math.min(first, next), Math.max(last, next) + 1));
      if (wider.text.length > most) continue;
      [first, last, joined] = [Math.min(first, next), Math.max(last, next), wider];
    }
  }
  return joined;
}

function cutPiece({ start, end, text }: StoredPiece, most: number): JoinedText {
  const cut = cutText(text, most);
  return { start, end: end - start === text.length ? start + cut.length : end, text: cut };
}

function join(pieces: readonly StoredPiece[]): JoinedText {
  const start = Math.min(...pieces.map((piece) => piece.start));
  let end = start;
  let text = "";
  for (const piece of pieces) {
    // Only a text piece is a part of the Markdown itself; others stand where their table or picture is.
    const isPart = piece.end - piece.start === piece.text.length;
    const shared = text === "" || !isPart ? 0 : Math.max(0, end - piece.start);
    const added = piece.text.slice(shared);
    text += text === "" || shared > 0 ? added : `\n\n${added}`;
    end = Math.max(end, piece.end);
  }
  return { start, end, text };
}
