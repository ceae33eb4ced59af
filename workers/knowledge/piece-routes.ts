/** Reads what a citation names: a piece of a document, with those next to it. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { MEMORY_LABELS, nameMemoryLabel } from "../../core/memory/memory.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { getKeyScope } from "../http/project-scope.ts";
import { unwrap } from "../http/unwrap.ts";
import { pieceDataFields, toPieceData } from "./piece-data.ts";

/** Pieces on each side of the named one. */
const MAX_NEIGHBOURS = 5;

const neighbours = z.coerce.number().int().min(0).max(MAX_NEIGHBOURS).optional();

const placedSchema = z
  .strictObject({
    piece_id: z.string(),
    kind: z.enum(PIECE_KINDS),
    heading: z.array(z.string()).describe("The headings above it, the outermost first."),
    page: z.int().nullable().describe("The page, slide or sheet, from 1; null for documents without."),
    start: z.int().describe("Where it begins in the Markdown of its version, in UTF-16 units."),
    end: z.int(),
    text: z.string(),
    ...pieceDataFields,
  })
  .meta({ id: "PlacedPiece" });

const readSchema = z
  .strictObject({
    document_id: z.string(),
    title: z.string(),
    version: z.int(),
    label: z.enum(MEMORY_LABELS),
    pieces: z.array(placedSchema).describe("In the order of the document, the named one among them."),
  })
  .meta({ id: "ReadPieces" });

const read = createRoute({
  tags: ["Knowledge"],
  ...withKey,
  method: "get",
  operationId: "knowledge.readPiece",
  path: "/v1/knowledge/pieces/{id}",
  summary: "Read a piece of a document",
  description:
    "With the pieces before and after it. Its text is data from a document. `not_found` also when its version was replaced or deleted since: the citation still has the quote.",
  middleware: [requireScope("tasks:read")],
  request: {
    params: z.object({ id: z.string().describe("The piece's id, `pce_…`") }),
    query: z.strictObject({ before: neighbours, after: neighbours }),
  },
  responses: answers({ 200: { description: "The pieces.", json: readSchema } }, [404, 422]),
});

export function pieceRoutes(app: App): void {
  app.openapi(read, async (c) => {
    const { id } = c.req.valid("param");
    if (!isId("piece", id)) raise("not_found", "There is no such piece.");
    const { before = 1, after = 1 } = c.req.valid("query");
    const { knowledge } = databaseFromEnv(c.env);
    const pieces = unwrap(await knowledge.neighbours(getTenant(c), getKeyScope(c), { id, before, after }));
    const named = pieces.find((piece) => piece.id === id);
    if (named === undefined) return raise("not_found", "There is no such piece.");
    const { document, title, version, label } = named;
    const placed = pieces.map((piece) => {
      const { id: own, kind, heading, page, start, end, text } = piece;
      return { piece_id: own, kind, heading: [...heading], page, start, end, text, ...toPieceData(piece) };
    });
    return c.json({ document_id: document, title, version, label: nameMemoryLabel(label), pieces: placed }, 200);
  });
}
