/**
 * What a document is cut into, before its pictures and long tables are stored. The sidecar cuts, because it parses; this is
 * what it returns.
 */
import { z } from "zod";

const place = {
  heading: z.array(z.string()),
  page: z.int().nullable(),
  start: z.int().min(0),
  end: z.int().min(0),
  text: z.string(),
};

/** A table has all its rows here; a picture is named as in `DocumentFacts.images`. */
export const cutPieceSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), ...place }),
  z.strictObject({
    kind: z.literal("table"),
    ...place,
    caption: z.string().nullable(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string())),
  }),
  z.strictObject({ kind: z.literal("formula"), ...place, tex: z.string(), context: z.string() }),
  z.strictObject({
    kind: z.literal("image"),
    ...place,
    name: z.string(),
    alt: z.string().nullable(),
    caption: z.string().nullable(),
    nearby: z.string(),
  }),
]);
export type CutPiece = z.infer<typeof cutPieceSchema>;
export type CutOf<Kind extends CutPiece["kind"]> = Extract<CutPiece, { readonly kind: Kind }>;

/** At one place, text is first. */
const ORDER = ["text", "table", "formula", "image"] satisfies CutPiece["kind"][];

/** Pieces in the order of the document. */
export function orderPieces(pieces: readonly CutPiece[]): CutPiece[] {
  return pieces.toSorted((a, b) => a.start - b.start || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.end - b.end);
}
