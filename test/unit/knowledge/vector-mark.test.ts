/** Marks of vectors: what an earlier release embedded in another form is embedded again, and nothing else is. */
import { expect, it } from "vitest";
import { hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { embedSome } from "../../../core/knowledge/embed.ts";
import { getMarkedModel, toVectorMark } from "../../../core/knowledge/vector-mark.ts";
import type { EmbedderPort } from "../../../core/ports/vectors.ts";
import { act, documentRow, factsOfPieces, START, textPiece } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { fakeKnowledge } from "../../fakes/knowledge.ts";
import { fakeVectors } from "../../fakes/vectors.ts";

const TENANT = "ten_a";

it("names the model, and the form unless it is the one of releases without forms", () => {
  expect([toVectorMark("m", "code"), toVectorMark("m", "knowledge")]).toEqual(["m", "m 2"]);
  expect([getMarkedModel("m"), getMarkedModel("m 2"), getMarkedModel("a/b-3.1:x 17")]).toEqual(["m", "m", "a/b-3.1:x"]);
});

it("embeds again what an earlier release embedded, also after this one did, and nothing twice", async () => {
  const [knowledge, vectors, inner] = [fakeKnowledge(), fakeVectors(), hashingEmbedder()];
  const texts: string[] = [];
  const embedder: EmbedderPort = {
    ...inner,
    async embed(given, signal) {
      texts.push(...given);
      return await inner.embed(given, signal);
    },
  };
  const document = documentRow({ title: "The manual" });
  valueOf(await knowledge.create(TENANT, document, act("document.create", document.id)));
  const place = { document: document.id, version: 1 };
  const pieces = [textPiece(0), textPiece(1)];
  valueOf(await knowledge.savePieces(TENANT, place, pieces));
  valueOf(await knowledge.endReading(TENANT, place, factsOfPieces(pieces), START));
  const embedAll = async () => {
    while (valueOf(await embedSome({ tenant: TENANT, knowledge, embedder, vectors }, place)) > 0);
    return texts.length;
  };
  expect([await embedAll(), await embedAll()]).toEqual([2, 2]);
  valueOf(await knowledge.show(TENANT, place, START));
  const mark = toVectorMark(embedder.model, "knowledge");
  expect(valueOf(await knowledge.toEmbed(mark, 10))).toEqual([]);
  const [first] = valueOf(await knowledge.listUnembedded(TENANT, place, "another", 1));
  // As an earlier release marks what it embeds while this one is deployed.
  valueOf(await knowledge.markEmbedded(TENANT, embedder.model, [first?.id ?? ""]));
  expect(valueOf(await knowledge.toEmbed(mark, 10))).toEqual([{ tenant: TENANT, id: first?.id }]);
  expect([await embedAll(), await embedAll()]).toEqual([3, 3]);
  expect(texts[2]).toContain("The manual");
});
