import { afterAll, beforeAll, expect, it } from "vitest";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openPgvector } from "../../../adapters/vectors/pgvector.ts";
import { openVectorize } from "../../../adapters/vectors/vectorize.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeVectors } from "../../fakes/vectors.ts";
import { makeTenant, newId } from "../database/rows.ts";
import { makeMockVectorize } from "../../mock-servers/vectorize.ts";
import { vectorsContract } from "./vectors-suite.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startTestDatabase();
});
afterAll(() => server.close());

const newTenants = () => [newId("tenant"), newId("tenant")] as const;
const EAST = Float32Array.of(1, 0, 0, 0);
const ANY = { values: EAST, scope: null, collection: "memory" as const, kind: null, limit: 10, among: null };

vectorsContract("the fake in memory", () => ({ vectors: fakeVectors(), tenants: newTenants() }));

vectorsContract("Postgres with pgvector", async () => {
  const database = openDatabase(server.url, server.endpoint);
  const [a, b] = [await makeTenant(database), await makeTenant(database)];
  return { vectors: openPgvector(server.url, server.endpoint), tenants: [a.tenant.id, b.tenant.id] };
});

vectorsContract("Vectorize, played", () => ({ vectors: openVectorize(makeMockVectorize(4)), tenants: newTenants() }));

it("pgvector stores vectors of any length together, and compares those of one length", async () => {
  const { tenant } = await makeTenant(openDatabase(server.url, server.endpoint));
  const vectors = openPgvector(server.url, server.endpoint);
  const long = new Float32Array(1_536).fill(1 / Math.sqrt(1_536));
  const [short, other] = [newId("memory"), newId("memory")];
  await vectors.upsert(tenant.id, "m", [
    { id: short, project: null, collection: "memory" as const, kind: "note" as const, values: EAST },
  ]);
  await vectors.upsert(tenant.id, "m", [
    { id: other, project: null, collection: "memory" as const, kind: "note" as const, values: long },
  ]);
  expect(await vectors.query(tenant.id, "m", ANY)).toMatchObject({ ok: true, value: [{ id: short }] });
  expect(await vectors.query(tenant.id, "m", { ...ANY, values: long })).toMatchObject({
    ok: true,
    value: [{ id: other, score: expect.closeTo(1, 3) }],
  });
});

it("pgvector stores nothing of an erased or unknown tenant", async () => {
  const vectors = openPgvector(server.url, server.endpoint);
  const unknownTenant = newId("tenant");
  const vector = {
    id: newId("memory"),
    project: null,
    collection: "memory" as const,
    kind: "note" as const,
    values: EAST,
  };
  expect(await vectors.upsert(unknownTenant, "m", [vector])).toEqual({ ok: true, value: undefined });
  expect(await vectors.query(unknownTenant, "m", ANY)).toEqual({ ok: true, value: [] });
});

it("Vectorize finds a summary that an earlier release put among the notes, when every kind is asked for", async () => {
  const index = makeMockVectorize(4);
  const [tenant, id] = [newId("tenant"), newId("memory")];
  const hash = (await sha256Hex("m")).slice(0, 32);
  await index.upsert([
    { id: `${tenant}/${id}`, namespace: `${tenant}/${hash}`, values: EAST, metadata: { project: "" } },
  ]);
  const vectors = openVectorize(index);
  expect(await vectors.query(tenant, "m", ANY)).toMatchObject({ ok: true, value: [{ id }] });
  expect(await vectors.query(tenant, "m", { ...ANY, among: [id] })).toMatchObject({ ok: true, value: [{ id }] });
});

it("Vectorize that is away, or has other dimensions, is a failure with a word for operators", async () => {
  const index = makeMockVectorize(4);
  const vectors = openVectorize(index);
  const tenant = newId("tenant");
  const wrong = await vectors.query(tenant, "m", { ...ANY, values: Float32Array.of(1, 0) });
  expect(wrong).toMatchObject({
    ok: false,
    error: { code: "upstream_failed", details: { thrown: expect.any(String) } },
  });
  index.isAway = true;
  for (const answer of [
    await vectors.query(tenant, "m", ANY),
    await vectors.query(tenant, "m", { ...ANY, among: [newId("memory")] }),
    await vectors.upsert(tenant, "m", [
      { id: newId("memory"), project: null, collection: "memory" as const, kind: "note" as const, values: EAST },
    ]),
    await vectors.delete(tenant, [newId("memory")]),
  ])
    expect(answer).toMatchObject({ ok: false, error: { code: "upstream_failed", retryAfterMs: 1_000 } });
});
