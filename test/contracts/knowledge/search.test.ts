import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { type KnowledgeParts, openKnowledgeSearches } from "../../../adapters/knowledge/searches.ts";
import { openTaskKnowledge } from "../../../adapters/knowledge/task-knowledge.ts";
import { openPgvector } from "../../../adapters/vectors/pgvector.ts";
import { openVectorize } from "../../../adapters/vectors/vectorize.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { getKnowledgeKey } from "../../../core/knowledge/file-key.ts";
import { PIECE_KINDS } from "../../../core/knowledge/piece.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { VectorsPort } from "../../../core/ports/vectors.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { FakeKnowledge, textPiece } from "../../fakes/knowledge-port.ts";
import { makeMockVectorize } from "../../mock-servers/vectorize.ts";
import { makeTenant } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";
import { knowledgeSearchContract, type SearchWorld } from "./search-suite.ts";
import { runAs, type SeedDocument, seedDocument } from "./seed.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const { signal } = new AbortController();
const embedder = hashingEmbedder();
const newTenantId = async () => (await makeTenant(database)).tenant.id;

function partsOn(vectors: VectorsPort, change: Partial<KnowledgeParts> = {}): KnowledgeParts {
  const blobs = { get: async (key: string) => ok(new TextEncoder().encode(key)) };
  return { pieces: database.knowledge, words: database.knowledgeWords, vectors, embedder, blobs, ...change };
}

/** Seeds a document with its vectors. */
async function addTo(tenant: string, vectors: VectorsPort, document: SeedDocument): Promise<readonly string[]> {
  const { pieces } = await seedDocument(server, tenant, document);
  const values = valueOf(
    await embedder.embed(
      document.pieces.map(({ text }) => text),
      signal,
    ),
  );
  const stored = document.pieces.flatMap(({ kind = "text" }, index) => {
    const [id, own] = [pieces[index], values[index]];
    if (id === undefined || own === undefined) return [];
    return [{ id, project: document.project ?? null, collection: "knowledge" as const, kind, values: own }];
  });
  valueOf(await vectors.upsert(tenant, embedder.model, stored));
  return pieces;
}

async function makeWorld(vectors: VectorsPort): Promise<SearchWorld> {
  const [tenant, other] = [await newTenantId(), await newTenantId()];
  const searches = openKnowledgeSearches(partsOn(vectors));
  return {
    of: (project) => openTaskKnowledge(searches, { tenant, project }),
    elsewhere: openTaskKnowledge(searches, { tenant: other, project: null }),
    add: async (document) => await addTo(tenant, vectors, document),
  };
}

const pgvector = () => openPgvector(server.url, server.endpoint);

knowledgeSearchContract("the fake in memory", async () => {
  const knowledge = new FakeKnowledge();
  return {
    of: (project) => knowledge.of(project),
    elsewhere: new FakeKnowledge().of(null),
    add: async ({ pieces, warnings = [], ...document }) => {
      const made = pieces.map(({ text, ...change }, ordinal) => textPiece(ordinal, text, change as object));
      return knowledge.add({ ...document, formulasNotRead: warnings.length > 0, pieces: made });
    },
  };
});
knowledgeSearchContract("Postgres with pgvector", async () => await makeWorld(pgvector()));
knowledgeSearchContract(
  "Postgres with Vectorize, played",
  async () => await makeWorld(openVectorize(makeMockVectorize(384))),
);

describe("the real search of documents", () => {
  const searchFor = { kinds: PIECE_KINDS, scope: null, by: "both", limit: 20 } as const;

  it("reads only what the caller may, also where vectors and words propose more", async () => {
    const [owner, other] = [await newTenantId(), await newTenantId()];
    const ids = await addTo(owner, pgvector(), { title: "S", project: "p", pieces: [{ text: "canary" }] });
    const proposed = ids.map((id) => ({ id, score: 0.99 }));
    const counts = { documents: 0, pieces: 0, formulasNotRead: 0 };
    const searches = openKnowledgeSearches(
      partsOn(pgvector(), {
        vectors: { query: async () => ok(proposed) },
        words: { findByWords: async () => ok({ ids, counts }) },
      }),
    );
    const find = async (tenant: string, scope: readonly (string | null)[] | null) =>
      valueOf(await searches.search(tenant, { ...searchFor, query: "canary", scope }, signal)).hits.length;
    expect(await find(owner, null)).toBe(1);
    expect(await find(owner, ["p"])).toBe(1);
    expect([
      await find(owner, [null]),
      await find(owner, ["q"]),
      await find(other, null),
      await find("", null),
    ]).toEqual([0, 0, 0, 0]);
  });

  it("shows a replaced version no longer, and the new one as soon as it is shown", async () => {
    const tenant = await newTenantId();
    const searches = openKnowledgeSearches(partsOn(pgvector()));
    const old = { title: "Plan", pieces: [{ text: "the otter plan one" }] };
    const first = await seedDocument(server, tenant, old);
    const find = async () =>
      valueOf(await searches.search(tenant, { ...searchFor, query: "otter plan" }, signal)).hits.map(
        ({ piece }) => piece.text,
      );
    expect(await find()).toEqual(["the otter plan one"]);
    const next = { title: "Plan", id: first.id, version: 2, shown: 1, pieces: [{ text: "the otter plan two" }] };
    await addTo(tenant, pgvector(), next);
    expect(await find()).toEqual(["the otter plan one"]);
    await runAs(server, tenant, [
      { text: "update knowledge_documents set shown = 2 where id = $1", params: [first.id] },
    ]);
    expect(await find()).toEqual(["the otter plan two"]);
    const [gone = ""] = first.pieces;
    expect(await searches.read(tenant, null, { id: gone, before: 0, after: 0 })).toMatchObject({ ok: false });
  });

  it("searches words alone while the embedder is away, and a search by meaning fails with its error", async () => {
    const tenant = await newTenantId();
    await addTo(tenant, pgvector(), { title: "T", pieces: [{ text: "the otter sleeps" }] });
    const down = { model: "m", embed: async () => failed("upstream_failed", "The embedder is away.") };
    const searches = openKnowledgeSearches(partsOn(pgvector(), { embedder: down }));
    const found = await searches.search(tenant, { ...searchFor, query: "otter" }, signal);
    expect(valueOf(found)).toMatchObject({ total: 1, searched: { embedder: null } });
    const byMeaning = await searches.search(tenant, { ...searchFor, by: "vectors", query: "otter" }, signal);
    expect(byMeaning).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });

  it("reads a picture from the folder of its version", async () => {
    const tenant = await newTenantId();
    const data = {
      hash: "abc",
      contentType: "image/png",
      size: 1,
      width: 1,
      height: 1,
      alt: null,
      caption: "Otter",
      nearby: "",
    };
    const [id = ""] = await addTo(tenant, pgvector(), { title: "T", pieces: [{ text: "otter", kind: "image", data }] });
    const searches = openKnowledgeSearches(partsOn(pgvector()));
    const [piece] = valueOf(await searches.read(tenant, null, { id, before: 0, after: 0 }));
    if (piece === undefined) throw new Error("expected a piece");
    const read = valueOf(await searches.readImage(tenant, piece));
    expect(new TextDecoder().decode(read)).toBe(getKnowledgeKey(tenant, piece.files, "abc"));
  });
});
