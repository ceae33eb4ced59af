/** What every way does by which a task adds documents. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openTaskIntake } from "../../../adapters/knowledge/task-intake.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { ok } from "../../../core/base/errors.ts";
import type { AcceptDeps } from "../../../core/knowledge/accept.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { DocumentIntakePort } from "../../../core/ports/document-intake.ts";
import { OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeDocumentIntake } from "../../fakes/document-intake.ts";
import { makeTenant, newId, START } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

function factsOf(tenant: string, project: string | null): TaskFacts {
  const id = newId("task");
  return {
    id,
    tenant,
    key: "key_x",
    via: { channel: "api", id: null },
    label: PRINCIPAL,
    deliver: [],
    rootId: id,
    parentId: null,
    actsFor: null,
    depth: 0,
    kind: "agent",
    input: "x",
    agent: DEFAULT_AGENT,
    tools: [],
    skills: [],
    sources: [],
    project,
    models: [{ name: "m", price: null, windowTokens: 1000 }],
    metadata: {},
    createdAt: START,
    limits: { maxSteps: 1, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
  };
}

/** The adapter on the database, with a bucket and an inbox that note what they get. */
async function openReal(project: string | null) {
  const tenant = (await makeTenant(database)).tenant.id;
  const stored = new Map<string, Uint8Array>();
  const items: string[] = [];
  const deps: AcceptDeps = {
    tenant,
    knowledge: database.knowledge,
    blobs: {
      put: async (key, bytes) => ok(void stored.set(key, bytes)),
      get: async (key) => ok(stored.get(key) ?? new Uint8Array()),
      erase: async () => true,
    },
    put: async (item) => void items.push(item.id),
  };
  return { tenant, stored, items, intake: openTaskIntake(deps, factsOf(tenant, project)) };
}

const document = {
  path: "docs/manual.md",
  bytes: new TextEncoder().encode("# Pumps"),
  title: "The manual",
  tags: ["pumps"],
};
const call = { ...document, label: PRINCIPAL, nowMs: START };

describe.each<[string, (project: string | null) => Promise<DocumentIntakePort>]>([
  ["the fake in memory", async (project) => fakeDocumentIntake(project)],
  ["the adapter on Postgres", async (project) => (await openReal(project)).intake],
])("adding documents: %s", (_name, open) => {
  it("adds one for a key, to the project of the task", async () => {
    const intake = await open("plant");
    const added = valueOf(await intake.add({ ...call, key: "call_1" }));
    expect(added).toMatchObject({ id: expect.stringMatching(/^doc_/), status: "queued", project: "plant" });
    expect(valueOf(await intake.add({ ...call, key: "call_1" }))).toEqual(added);
    expect(valueOf(await intake.add({ ...call, key: "call_2" })).id).not.toBe(added.id);
  });

  it("adds to the tenant for a task without a project", async () => {
    const intake = await open(null);
    expect(valueOf(await intake.add({ ...call, key: "call_1" })).project).toBeNull();
  });
});

it("stores the bytes before the row, and the row before the item of the inbox", async () => {
  const { tenant, stored, items, intake } = await openReal(null);
  const { id } = valueOf(await intake.add({ ...call, label: OUTSIDE, key: "call_1" }));
  valueOf(await intake.add({ ...call, label: OUTSIDE, key: "call_1" }));
  expect([...stored.values()]).toEqual([document.bytes]);
  expect(new Set(items)).toEqual(new Set([`${id}/1`]));
  const row = valueOf(await database.knowledge.get(tenant, null, id));
  expect(row).toMatchObject({ filename: "manual.md", title: "The manual", tags: ["pumps"], label: OUTSIDE });
  expect(row.author).toBe(DEFAULT_AGENT.id);
  expect([...stored.keys()]).toEqual([`${tenant}/knowledge/${row.latest.files}/${row.latest.hash}`]);
  const own = await openReal(null);
  valueOf(await own.intake.add({ ...call, label: TENANT, key: "call_1" }));
  expect(valueOf(await database.knowledge.usage(tenant))).toMatchObject({ documents: 1, queued: 1 });
});
