/** A search for words reads the pieces that have them, by the index, however many others there are. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PIECE_KINDS } from "../../../core/knowledge/piece.ts";
import { type CountedDatabase, startCountedDatabase } from "../database/counted-database.ts";
import { act, documentRow, factsOfPieces, makeTenant, START, textPiece } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";

const PIECES = 1_000;
const BATCH = 200;
/** Every piece has `common`, and one in a hundred `rare`. */
const RARE_EVERY = 100;

let counted: CountedDatabase;
let tenant: string;
beforeAll(async () => {
  counted = await startCountedDatabase();
  tenant = (await makeTenant(counted.database)).tenant.id;
  const { knowledge } = counted.database;
  const document = documentRow({});
  const place = { document: document.id, version: 1 };
  valueOf(await knowledge.create(tenant, document, act("document.create", document.id)));
  const pieces = Array.from({ length: PIECES }, (_, index) =>
    textPiece(index, `common ${index % RARE_EVERY === 0 ? "rare" : "other"} number${index}`),
  );
  for (let from = 0; from < PIECES; from += BATCH)
    valueOf(await knowledge.savePieces(tenant, place, pieces.slice(from, from + BATCH)));
  valueOf(await knowledge.endReading(tenant, place, factsOfPieces(pieces), START));
  const open = valueOf(await knowledge.listUnembedded(tenant, place, "m", PIECES)).map(({ id }) => id);
  valueOf(await knowledge.markEmbedded(tenant, "m", open));
  valueOf(await knowledge.show(tenant, place, START));
  await counted.backend.asOwner((owner) => owner.script("vacuum analyze knowledge_pieces"));
}, 60_000);
afterAll(() => counted.close());

const find = async (words: string) => {
  const request = { words, kinds: PIECE_KINDS, scope: null, limit: 5 };
  return valueOf(await counted.database.knowledgeWords.findByWords(tenant, request)).ids;
};

test.each([
  ["rare", PIECES / RARE_EVERY],
  ["number57", 1],
  ["absent", 0],
])("a search for %s reads the pieces that have it, for their places and for their ids", async (words, having) => {
  expect(await find(words)).toHaveLength(Math.min(having, 5));
  const { knowledge_pieces: read = 0 } = await counted.countRows(async () => await find(words));
  expect(read).toBeLessThanOrEqual(2 * having);
});
