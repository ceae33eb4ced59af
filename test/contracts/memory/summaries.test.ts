/** Summaries of tasks: one statement with their vectors and projects. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { openMemory } from "../../../adapters/memory/store.ts";
import { openPgvector } from "../../../adapters/vectors/pgvector.ts";
import { openVectorize } from "../../../adapters/vectors/vectorize.ts";
import { failed } from "../../../core/base/errors.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { MemoryStore } from "../../../core/ports/memory-store.ts";
import type { EmbedderPort, VectorsPort } from "../../../core/ports/vectors.ts";
import { TENANT } from "../../../core/provenance/label.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { makeMockVectorize } from "../../mock-servers/vectorize.ts";
import { act, makeTenant, newId, START } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const { signal } = new AbortController();
const newTenantId = async () => (await makeTenant(database)).tenant.id;
const storeOn = (vectors: VectorsPort, embedder: EmbedderPort = hashingEmbedder()) =>
  openMemory({ database, vectors, embedder });
const pgvector = () => openPgvector(server.url, server.endpoint);

describe("summaries of tasks", () => {
  const makeSummary = (content: string) =>
    ({
      id: newId("memory"),
      project: "reports",
      kind: "summary",
      content,
      tags: [],
      sourceTask: newId("task"),
      label: TENANT,
      author: "agent_default",
      createdAt: START,
    }) as const;
  const findSummaries = async (store: MemoryStore, tenant: string) => {
    const rules = { tagBoost: 0, minScore: 0, query: "quarterly report", tag: null, limit: 10, withOutside: true };
    const search = { ...rules, kind: "summary", scope: ["reports"] } as const;
    return valueOf(await store.search(tenant, search, signal)).map(({ memory }) => memory.content);
  };

  it.each([
    ["pgvector", pgvector],
    ["an index", () => openVectorize(makeMockVectorize(384))],
  ])("are saved with their vectors and projects, once, with %s", async (_name, open) => {
    const store = storeOn(open());
    const tenant = await newTenantId();
    const saved = [makeSummary("The quarterly report is done."), makeSummary("The quarterly report is late.")];
    for (let times = 0; times < 2; times += 1) valueOf(await store.saveSummaries(tenant, saved, signal));
    expect((await findSummaries(store, tenant)).toSorted()).toEqual(saved.map(({ content }) => content));
    const read = valueOf(
      await database.memories.read(
        tenant,
        null,
        saved.map(({ id }) => id),
      ),
    );
    expect(read.map(({ embeddedBy }) => embeddedBy)).toEqual([store.embedder, store.embedder]);
    expect(valueOf(await database.projects.list(tenant, null, 9))).toMatchObject([{ name: "reports", memories: 2 }]);
  });

  it.each([
    ["pgvector", pgvector],
    ["an index", () => openVectorize(makeMockVectorize(384))],
  ])("of a deleted tenant leave nothing, with %s", async (_name, open) => {
    const store = storeOn(open());
    const tenant = await newTenantId();
    valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
    const summary = makeSummary("The quarterly report is done.");
    valueOf(await store.saveSummaries(tenant, [summary], signal));
    expect(valueOf(await database.memories.read(tenant, null, [summary.id]))).toEqual([]);
    expect(await findSummaries(store, tenant)).toEqual([]);
  });

  it("are saved without vectors while the embedding server is unavailable, and embedded by the sweep", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const hashing = hashingEmbedder();
    let isAway = true;
    const embedder: EmbedderPort = {
      ...hashing,
      embed: async (texts) =>
        isAway ? failed("upstream_failed", "The embedding server is away.") : await hashing.embed(texts, signal),
    };
    const store = storeOn(pgvector(), embedder);
    const tenant = await newTenantId();
    const summary = makeSummary("The quarterly report is done.");
    valueOf(await store.saveSummaries(tenant, [summary], signal));
    const readEmbedder = async () => valueOf(await database.memories.read(tenant, null, [summary.id]))[0]?.embeddedBy;
    expect(await readEmbedder()).toBeNull();
    isAway = false;
    while (valueOf(await store.embedPending(100, signal)) > 0 && (await readEmbedder()) === null);
    expect(await readEmbedder()).toBe(hashing.model);
  });

  it("are saved without vectors that Postgres refuses", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const broken: EmbedderPort = {
      ...hashingEmbedder(),
      embed: async (texts) => ({ ok: true, value: texts.map(() => new Float32Array(0)) }),
    };
    const tenant = await newTenantId();
    const summary = makeSummary("The quarterly report is done.");
    valueOf(await storeOn(pgvector(), broken).saveSummaries(tenant, [summary], signal));
    expect(valueOf(await database.memories.read(tenant, null, [summary.id]))).toMatchObject([{ embeddedBy: null }]);
  });
});
