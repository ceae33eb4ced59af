/** The pieces that a document is cut into: what a search finds, and what a citation names. */
import { makeId, readIdTime } from "../base/ids.ts";
import { sha256Bytes } from "../base/sha256.ts";
import type { MemoryLabel } from "../memory/memory.ts";

export const PIECE_KINDS = ["text", "table", "formula", "image"] as const;
export type PieceKind = (typeof PIECE_KINDS)[number];

/** Rows of a table that its piece has; a longer one is a file in the bucket. */
export const MAX_PIECE_ROWS = 500;

/** What a piece has beyond its text, by kind. */
export interface PieceData {
  readonly text: object;
  /** `rows`: at most `MAX_PIECE_ROWS`. `file`: the hash by which the bucket has all rows as JSON; null when `rows` has all. */
  readonly table: {
    readonly caption: string | null;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly rowCount: number;
    readonly file: string | null;
  };
  /** Pieces of an earlier release have more fields, which nothing reads. */
  readonly formula: { readonly tex: string; readonly context: string };
  /** `hash`: SHA-256 in hex, by which the bucket has its bytes. */
  readonly image: {
    readonly hash: string;
    readonly contentType: string;
    readonly size: number;
    readonly width: number | null;
    readonly height: number | null;
    readonly alt: string | null;
    readonly caption: string | null;
    readonly nearby: string;
  };
}

/** A piece before it is stored. Offsets count UTF-16 units of the Markdown of its version; `end` is not included. */
interface PieceOf<Kind extends PieceKind> {
  readonly kind: Kind;
  /** From 0, in the order of the document, across kinds. */
  readonly ordinal: number;
  /** The headings above it, the outermost first. */
  readonly heading: readonly string[];
  /** The page, slide or sheet, from 1; null for documents without. */
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  /** What is searched and embedded; for a table its text form, for a picture its captions and the text nearby. */
  readonly text: string;
  readonly data: PieceData[Kind];
}

export type Piece = { readonly [Kind in PieceKind]: PieceOf<Kind> }[PieceKind];

/** A stored piece, with its id `pce_…`. `project` null: the whole tenant's. */
export type StoredPiece = Piece & {
  readonly id: string;
  readonly document: string;
  readonly version: number;
  readonly project: string | null;
};

/** A piece that a caller may read, with facts of its document. `files`: the folder of its version's files. */
export type ReadPiece = StoredPiece & {
  readonly title: string;
  readonly label: MemoryLabel;
  readonly files: string;
  readonly embeddedBy: string | null;
};

/** The id of a piece: the same for the same document, version and ordinal. */
export async function getPieceId(document: string, version: number, ordinal: number): Promise<string> {
  const hash = await sha256Bytes(`${document} ${version} ${ordinal}`);
  return makeId("piece", readIdTime(document) ?? 0, hash);
}

/** How many pieces of each kind there are. */
export function countKinds(pieces: readonly Pick<Piece, "kind">[]): Partial<Record<PieceKind, number>> {
  const counts: Partial<Record<PieceKind, number>> = {};
  for (const { kind } of pieces) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
