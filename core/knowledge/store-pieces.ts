/** Turns what a reader cut into the pieces that are stored: pictures and long tables become files of the bucket. */
import { ok, type Result } from "../base/errors.ts";
import type { DocumentRead } from "../ports/documents.ts";
import type { CutOf, CutPiece } from "../documents/cut-piece.ts";
import { MAX_PIECE_ROWS, type Piece } from "./piece.ts";
import { findImageSize } from "./image-size.ts";

/** Formats whose formulas no converter reads, and their warning. */
const WITHOUT_FORMULAS: ReadonlySet<DocumentRead["kind"]> = new Set(["pdf", "odt"]);
const FORMULAS_NOT_READ = "formulas_not_read: The formulas of this format are not read.";
const LOST_PICTURES = "Some of its pictures could not be stored.";

/** Stores bytes by their hash, and returns it. */
export type StoreBytes = (bytes: Uint8Array) => Promise<Result<string>>;

type StoredImage = Pick<Extract<Piece, { kind: "image" }>["data"], "hash" | "size" | "width" | "height">;

export async function storePieces(
  read: DocumentRead,
  store: StoreBytes,
): Promise<Result<{ readonly pieces: readonly Piece[]; readonly warnings: readonly string[] }>> {
  const images = await storeImages(read, store);
  if (!images.ok) return images;
  const types = new Map(read.images.map(({ name, contentType }) => [name, contentType]));
  const pieces: Piece[] = [];
  let lost = 0;
  for (const piece of read.pieces) {
    const ordinal = pieces.length;
    if (piece.kind === "image") {
      const image = images.value.get(piece.name);
      if (image === undefined) lost += 1;
      else pieces.push(toImage(piece, ordinal, image, types.get(piece.name) ?? "application/octet-stream"));
    } else if (piece.kind === "table") {
      const table = await toTable(piece, ordinal, store);
      if (!table.ok) return table;
      pieces.push(table.value);
    } else pieces.push(toTextOrFormula(piece, ordinal));
  }
  const warnings = [
    ...read.warnings,
    ...(WITHOUT_FORMULAS.has(read.kind) ? [FORMULAS_NOT_READ] : []),
    ...(lost === 0 ? [] : [LOST_PICTURES]),
  ];
  return ok({ pieces, warnings });
}

async function storeImages(read: DocumentRead, store: StoreBytes): Promise<Result<Map<string, StoredImage>>> {
  const used = new Set(read.pieces.flatMap((piece) => (piece.kind === "image" ? [piece.name] : [])));
  const stored = new Map<string, StoredImage>();
  for await (const { name, bytes } of read.imageFiles) {
    if (!used.has(name)) continue;
    const hash = await store(bytes);
    if (!hash.ok) return hash;
    stored.set(name, { hash: hash.value, size: bytes.length, ...findImageSize(bytes) });
  }
  return ok(stored);
}

function getPlace({ heading, page, start, end, text }: CutPiece) {
  return { heading, page, start, end, text };
}

function toTextOrFormula(piece: CutOf<"text" | "formula">, ordinal: number): Piece {
  if (piece.kind === "text") return { kind: "text", ordinal, ...getPlace(piece), data: {} };
  const { tex, context } = piece;
  return { kind: "formula", ordinal, ...getPlace(piece), data: { tex, context } };
}

async function toTable(piece: CutOf<"table">, ordinal: number, store: StoreBytes): Promise<Result<Piece>> {
  const { caption, columns, rows } = piece;
  const isLong = rows.length > MAX_PIECE_ROWS;
  const file = isLong ? await store(new TextEncoder().encode(JSON.stringify({ columns, rows }))) : ok(null);
  if (!file.ok) return file;
  const data = { caption, columns, rows: rows.slice(0, MAX_PIECE_ROWS), rowCount: rows.length, file: file.value };
  return ok({ kind: "table", ordinal, ...getPlace(piece), data });
}

function toImage(piece: CutOf<"image">, ordinal: number, image: StoredImage, contentType: string): Piece {
  const { alt, caption, nearby } = piece;
  return { kind: "image", ordinal, ...getPlace(piece), data: { ...image, contentType, alt, caption, nearby } };
}
