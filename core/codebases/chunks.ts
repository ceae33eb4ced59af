/** Cuts a file into chunks of whole lines. Pure. */
import { MAX_CHUNK_CHARACTERS } from "./limits.ts";

/** Lines count from 1, both included. */
export interface Chunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** A symbol begins a new chunk unless the present one is shorter than this. */
const MIN_CHARACTERS = 600;

/**
 * Chunks of at most `MAX_CHUNK_CHARACTERS`, in order. `starts` are the lines where symbols begin. A longer line is cut in
 * pieces. Chunks without letters or digits are left out.
 */
export function cutChunks(text: string, starts: ReadonlySet<number>): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let open: { startLine: number; endLine: number; pieces: string[]; characters: number } | null = null;
  for (const [index, line] of splitLines(text).entries()) {
    const number = index + 1;
    for (const [at, piece] of cutLine(line).entries()) {
      const beginsSymbol = at === 0 && starts.has(number) && (open?.characters ?? 0) >= MIN_CHARACTERS;
      const isFull = open !== null && open.characters + piece.length > MAX_CHUNK_CHARACTERS;
      if (open !== null && (beginsSymbol || isFull)) {
        chunks.push(toChunk(open));
        open = null;
      }
      open ??= { startLine: number, endLine: number, pieces: [], characters: 0 };
      open.pieces.push(piece);
      open.endLine = number;
      open.characters += piece.length + 1;
    }
  }
  if (open !== null) chunks.push(toChunk(open));
  return chunks.filter((chunk) => /[\p{L}\p{N}]/u.test(chunk.text));
}

/** Lines as the parser counts them. */
export function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

function toChunk({ startLine, endLine, pieces }: Omit<Chunk, "text"> & { readonly pieces: readonly string[] }): Chunk {
  return { startLine, endLine, text: pieces.join("\n") };
}

function cutLine(line: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += MAX_CHUNK_CHARACTERS)
    pieces.push(line.slice(at, at + MAX_CHUNK_CHARACTERS));
  return pieces;
}
