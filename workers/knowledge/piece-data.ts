/** What a piece that is no text has in a reply: its table, formula or picture. */
import { z } from "zod";
import type { ReadPiece } from "../../core/knowledge/piece.ts";

const tableSchema = z
  .strictObject({
    caption: z.string().nullable(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    row_count: z.int().describe("Of the whole table; `rows` has at most 500."),
  })
  .meta({ id: "KnowledgeTable" });

const formulaSchema = z
  .strictObject({ tex: z.string(), context: z.string().describe("The text around it.") })
  .meta({ id: "KnowledgeFormula" });

const imageSchema = z
  .strictObject({
    caption: z.string().nullable(),
    alt: z.string().nullable(),
    nearby: z.string().describe("The text next to it."),
    width: z.int().nullable(),
    height: z.int().nullable(),
    content_type: z.string(),
  })
  .meta({ id: "KnowledgeImage" });

/** The fields of a reply: a piece of text has none of them, each other the one of its kind. */
export const pieceDataFields = {
  table: tableSchema.optional(),
  formula: formulaSchema.optional(),
  image: imageSchema.optional(),
};

const dataSchema = z.object(pieceDataFields);

/** Returns the field of the piece's kind. */
export function toPieceData(piece: ReadPiece): z.input<typeof dataSchema> {
  switch (piece.kind) {
    case "text":
      return {};
    case "table": {
      const { caption, columns, rows, rowCount } = piece.data;
      return { table: { caption, columns: [...columns], rows: rows.map((row) => [...row]), row_count: rowCount } };
    }
    case "formula":
      return { formula: { tex: piece.data.tex, context: piece.data.context } };
    case "image": {
      const { caption, alt, nearby, width, height, contentType } = piece.data;
      return { image: { caption, alt, nearby, width, height, content_type: contentType } };
    }
  }
}
