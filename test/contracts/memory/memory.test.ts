import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { openMemory } from "../../../adapters/memory/store.ts";
import { openTaskMemory } from "../../../adapters/memory/task-memory.ts";
import { openPgvector } from "../../../adapters/vectors/pgvector.ts";
import { openVectorize } from "../../../adapters/vectors/vectorize.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import type { Database } from "../../../core/ports/database.ts";
import { failed } from "../../../core/base/errors.ts";
import type { NewMemory } from "../../../core/memory/memory.ts";
import type { MemoryStore } from "../../../core/ports/memory-store.ts";
import type { EmbedderPort, VectorsPort } from "../../../core/ports/vectors.ts";
import { PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeMemories, fakeMemory } from "../../fakes/memory.ts";
import { act, makeTenant, newId, START } from "../database/rows.ts";
import { memoryContract } from "./suite.ts";
import { valueOf } from "../value-of.ts";
import { makeMockVectorize } from "../../mock-servers/vectorize.ts";

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const { signal } = new AbortController();
const newTenantId = async () => (await makeTenant(database)).tenant.id;

function factsOf(tenant: string, project: string | null): TaskFacts {
  const id = newId("task");
  return {
    id,
    tenant,
    key: null,
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
    limits: { maxSteps: 1, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
    metadata: {},
    createdAt: START,
  };
}

/** One task a project, so that a call that is made again has the key of its task. */
async function underTest(store: MemoryStore) {
  const [tenant, other] = [await newTenantId(), await newTenantId()];
  const tasks = new Map<string | null, ReturnType<typeof openTaskMemory>>();
  const of = (project: string | null) => {
    const known = tasks.get(project) ?? openTaskMemory(store, factsOf(tenant, project));
    tasks.set(project, known);
    return known;
  };
  return { of, elsewhere: openTaskMemory(store, factsOf(other, null)) };
}

const storeOn = (vectors: VectorsPort, embedder: EmbedderPort = hashingEmbedder()) =>
  openMemory({ database, vectors, embedder });
const pgvector = () => openPgvector(server.url, server.endpoint);

memoryContract("the fake in memory", () => {
  const memories = fakeMemories();
  return { of: (project) => fakeMemory(memories, project), elsewhere: fakeMemory() };
});
memoryContract("Postgres with pgvector", () => underTest(storeOn(pgvector())));
memoryContract("Postgres with Vectorize, played", () => underTest(storeOn(openVectorize(makeMockVectorize(384)))));

function note(content: string, change: Partial<NewMemory> = {}): NewMemory {
  const made = { id: newId("memory"), project: null, kind: "note", content, tags: [], sourceTask: null } as const;
  return { ...made, label: TENANT, author: "agent_default", createdAt: START, ...change };
}

const ASK = { scope: null, kind: null, tag: null, withOutside: false, limit: 20, tagBoost: 0.1, minScore: 0.2 };
const find = async (store: MemoryStore, tenant: string, query: string, more: Partial<typeof ASK> = {}) =>
  valueOf(await store.search(tenant, { ...ASK, ...more, query }, signal)).map(({ memory }) => memory.content);

describe("what the vectors propose", () => {
  /** Vectors that propose every id they were ever given, of any tenant and project. */
  function indiscreet(): VectorsPort {
    const ids: string[] = [];
    return {
      place: "index",
      async upsert(_tenant, _model, vectors) {
        ids.push(...vectors.map(({ id }) => id));
        return { ok: true, value: undefined };
      },
      query: async () => ({ ok: true, value: ids.map((id) => ({ id, score: 0.9 })) }),
      delete: async () => ({ ok: true, value: undefined }),
    };
  }

  it("is read only as far as the database lets the caller", async () => {
    const store = storeOn(indiscreet());
    const [a, b] = [await newTenantId(), await newTenantId()];
    valueOf(await store.save(a, [note("of a"), note("of a's project", { project: "p" })], null, signal));
    valueOf(await store.save(b, [note("of b")], null, signal));
    expect(await find(store, a, "of")).toHaveLength(2);
    expect(await find(store, a, "of", { scope: [null] as never })).toEqual(["of a"]);
    expect(await find(store, a, "of", { scope: ["q"] as never })).toEqual([]);
    expect(await find(store, b, "of")).toEqual(["of b"]);
  });

  it("and is no longer there is passed over", async () => {
    const store = storeOn(indiscreet());
    const tenant = await newTenantId();
    const gone = note("gone");
    valueOf(await store.save(tenant, [gone, note("here")], null, signal));
    valueOf(await store.delete(tenant, gone.id, act("memory.delete", gone.id)));
    expect(await find(store, tenant, "x")).toEqual(["here"]);
  });
});

describe("a search", () => {
  it("gives what looking at every memory would give, tags included", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const words = "river stone deploy invoice meeting customer database latency green coffee train window".split(" ");
    const word = (seed: number) => words[(seed * 7919) % words.length] ?? "";
    const made = Array.from({ length: 400 }, (_, index) =>
      note(`${index} ${Array.from({ length: 6 }, (_w, at) => word(index * 3 + at * at)).join(" ")}`, {
        tags: index % 9 === 0 ? [word(index)] : [],
        project: index % 4 === 0 ? "p" : null,
      }),
    );
    valueOf(await store.save(tenant, made, null, signal));
    const { embed } = hashingEmbedder();
    const vectorsOf = async (texts: readonly string[]) => valueOf(await embed(texts, signal));
    const all = (await Promise.all(made.map(async ({ content }) => await vectorsOf([content])))).flat();
    for (const query of ["coffee by the river", "database latency invoice", "train", "green window deploy meeting"]) {
      const [asked] = await vectorsOf([query]);
      const asWords = new Set(query.split(" "));
      const isTagged = (tags: readonly string[]) => tags.some((tag) => asWords.has(tag));
      const scores = made.flatMap(({ tags, project }, index) => {
        const similarity = (all[index] ?? asked)?.reduce((sum, value, at) => sum + value * (asked?.[at] ?? 0), 0) ?? 0;
        const score = similarity + (isTagged(tags) ? 0.1 : 0);
        return project === null && (score >= 0.2 || isTagged(tags)) ? [score] : [];
      });
      const best = scores.toSorted((a, b) => b - a).slice(0, 10);
      const found = valueOf(await store.search(tenant, { ...ASK, limit: 10, scope: [null], query }, signal));
      expect(found.map(({ score }) => score.toFixed(4))).toEqual(best.map((score) => score.toFixed(4)));
    }
  });

  it("obeys the boost and the cut-off that it is given", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    valueOf(
      await store.save(tenant, [note("Invoices are sent by Bob."), note("Bob.", { tags: ["invoices"] })], null, signal),
    );
    const query = "who sends invoices";
    expect((await find(store, tenant, query, { tagBoost: 1 }))[0]).toBe("Bob.");
    expect((await find(store, tenant, query, { tagBoost: 0 }))[0]).toBe("Invoices are sent by Bob.");
    expect(await find(store, tenant, query, { minScore: 0.99, tagBoost: 0 })).toEqual([]);
    expect(await find(store, tenant, query, { minScore: -1 })).toHaveLength(2);
  });

  it("among the memories of a tag, in any case, finds those alone, however far their texts are", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const texts = [
      note("The train leaves at nine.", { tags: ["Travel"] }),
      note("Hotels cost too much.", { tags: ["travel"] }),
      note("The train is late today.", { tags: ["travel news"] }),
    ];
    valueOf(await store.save(tenant, texts, null, signal));
    const found = await find(store, tenant, "train", { tag: "TRAVEL" as never });
    expect(found).toEqual(["The train leaves at nine.", "Hotels cost too much."]);
    expect(await find(store, tenant, "train", { tag: "none" as never })).toEqual([]);
  });

  it("finds a tag without a letter, and one of many that share a word", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const otter = note("It swims.", { tags: ["🦦"] });
    const plan = note("zebra giraffe", { tags: ["release plan"] });
    const later = Array.from({ length: 120 }, (_, at) =>
      note(`quokka ${at}`, { tags: [`plan ${at}`], createdAt: START + 1 }),
    );
    valueOf(await store.save(tenant, [otter, plan, ...later], null, signal));
    expect(await find(store, tenant, "x", { tag: "🦦" as never })).toEqual(["It swims."]);
    expect(await find(store, tenant, "the release plan")).toEqual(["zebra giraffe"]);
  });

  it("ranks a fact above any number of nearer summaries, and filters by kind", async () => {
    for (const vectors of [pgvector(), openVectorize(makeMockVectorize(384))]) {
      const store = storeOn(vectors);
      const tenant = await newTenantId();
      const query = "when is the quarterly report due";
      const summaries = Array.from({ length: 150 }, (_, at) =>
        note(`${query} ${at}`, { kind: "summary", sourceTask: newId("task") }),
      );
      const fact = "The quarterly report goes to Ana.";
      valueOf(await store.save(tenant, [note(fact), ...summaries], null, signal));
      const found = await find(store, tenant, query, { limit: 5 });
      expect([found[0], found.length]).toEqual([fact, 5]);
      expect(await find(store, tenant, query, { kind: "note" as never })).toEqual([fact]);
      const ofTasks = await find(store, tenant, query, { kind: "summary" as never, limit: 5 });
      expect([ofTasks.length, ofTasks.includes(fact)]).toEqual([5, false]);
    }
  });

  it("finds a memory by what it holds now", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const memory = note("The train leaves at nine.");
    valueOf(await store.save(tenant, [memory], null, signal));
    const change = {
      id: memory.id,
      kind: memory.kind,
      label: memory.label,
      content: "Coffee is in the kitchen.",
      tags: [],
    };
    const changed = valueOf(await store.update(tenant, change, act("memory.update", memory.id), signal));
    expect(changed).toMatchObject({ content: "Coffee is in the kitchen.", embeddedBy: "hashing" });
    expect(await find(store, tenant, "train leaves at nine")).toEqual([]);
    expect(await find(store, tenant, "where is the coffee")).toHaveLength(1);
  });
});

describe("summaries", () => {
  const left = (content = "Request: say hello\nOutcome: Hello.", task = newId("task")) =>
    note(content, { kind: "summary", sourceTask: task, project: "p" });

  it("of the same words are one for each task, saved together or one after the other", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const batch = [left(), left(), left("Another.")];
    const saved = [
      ...valueOf(await store.save(tenant, batch, null, signal)),
      ...valueOf(await store.save(tenant, [left()], null, signal)),
    ];
    expect(saved.map(({ isNew }) => isNew)).toEqual([true, true, true, true]);
    expect(new Set(saved.map(({ memory }) => memory.sourceTask)).size).toBe(4);
    expect(valueOf(await store.save(tenant, batch, null, signal)).map(({ memory }) => memory.id)).toEqual(
      batch.map(({ id }) => id),
    );
    expect(await find(store, tenant, "say hello")).toHaveLength(3);
    expect(log).not.toHaveBeenCalled();
  });

  it("can have their tags changed next to others of the same words, and stay separate from notes", async () => {
    const store = storeOn(pgvector());
    const tenant = await newTenantId();
    const [one, two] = [left(), left()];
    valueOf(await store.save(tenant, [one, two], null, signal));
    for (const { id, kind, label, content } of [one, two]) {
      const change = { id, kind, label, content, tags: ["greeting"] };
      const changed = valueOf(await store.update(tenant, change, act("memory.update", id), signal));
      expect(changed).toMatchObject({ id, tags: ["greeting"], embeddedBy: "hashing" });
    }
    const [said] = valueOf(await store.save(tenant, [note(one.content, { project: "p" })], null, signal));
    expect(said).toMatchObject({ isNew: true, memory: { kind: "note" } });
  });
});

it("a text that comes twice in one batch is one memory with one vector", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const store = storeOn(pgvector());
  const tenant = await newTenantId();
  const saved = valueOf(await store.save(tenant, [note("twice"), note("twice")], null, signal));
  expect(saved.map(({ memory }) => memory.embeddedBy)).toEqual(["hashing", "hashing"]);
  expect(await find(store, tenant, "twice")).toEqual(["twice"]);
  expect(log).not.toHaveBeenCalled();
});

describe("while the embedding server is away", () => {
  /** Hashing under another name, that can be switched off and refuses texts with a certain word. */
  function moody(model: string) {
    const hashing = hashingEmbedder();
    const mood = { isAway: false, refusesAll: false, calls: 0 };
    const embedder: EmbedderPort = {
      ...hashing,
      model,
      async embed(texts, limit) {
        mood.calls += 1;
        if (mood.isAway) return failed("upstream_failed", "The embedding server is away.");
        if (mood.refusesAll) return failed("invalid_input", "The embedding server refused the text (400)");
        if (texts.some((text) => text.includes("unspeakable"))) return failed("invalid_input", "No such text.");
        return await hashing.embed(texts, limit);
      },
    };
    return { mood, embedder };
  }

  it("memories are stored, and found once the sweep has embedded them; a search reports that it cannot compare", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { mood, embedder } = moody("moody-1");
    const store = storeOn(pgvector(), embedder);
    const tenant = await newTenantId();
    mood.isAway = true;
    const texts = [note("The train leaves at nine.", { tags: ["travel"] })];
    const [saved] = valueOf(await store.save(tenant, texts, null, signal));
    expect(saved).toMatchObject({ isNew: true, memory: { embeddedBy: null } });
    expect(await store.search(tenant, { ...ASK, query: "train" }, signal)).toMatchObject({
      ok: false,
      error: { code: "upstream_failed" },
    });
    expect(await store.embedPending(10_000, signal)).toMatchObject({ ok: false });
    mood.isAway = false;
    expect(await find(store, tenant, "train")).toEqual([]);
    // Its tag finds it without a vector.
    expect(await find(store, tenant, "travel")).toEqual(["The train leaves at nine."]);
    expect(valueOf(await store.embedPending(10_000, signal))).toBeGreaterThan(0);
    expect(await find(store, tenant, "train")).toHaveLength(1);
    expect(valueOf(await store.embedPending(10_000, signal))).toBe(0);
  });

  it("and a server that rejects every text, such as a misconfigured one, is retried until it accepts one", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { mood, embedder } = moody("moody-5");
    const store = storeOn(pgvector(), embedder);
    const tenant = await newTenantId();
    valueOf(await store.embedPending(10_000, signal));
    mood.refusesAll = true;
    const texts = [note("The train leaves at nine."), note("Coffee is in the kitchen.")];
    valueOf(await store.save(tenant, texts, null, signal));
    mood.calls = 0;
    expect(await store.embedPending(10_000, signal)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(mood.calls).toBeLessThan(5);
    mood.refusesAll = false;
    expect(valueOf(await store.embedPending(10_000, signal))).toBe(2);
    expect(await find(store, tenant, "train")).toHaveLength(1);
  });

  it("and after a change of the model, memories of the former one are embedded again", async () => {
    const tenant = await newTenantId();
    const before = storeOn(pgvector(), moody("moody-2").embedder);
    valueOf(await before.save(tenant, [note("The train leaves at nine.")], null, signal));
    const after = storeOn(pgvector(), moody("moody-3").embedder);
    expect(await find(after, tenant, "train")).toEqual([]);
    valueOf(await after.embedPending(10_000, signal));
    expect(await find(after, tenant, "train")).toHaveLength(1);
    expect(await find(before, tenant, "train")).toEqual([]);
  });

  it("a text that the model rejects blocks no other, and is sent once", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { mood, embedder } = moody("moody-4");
    const store = storeOn(pgvector(), embedder);
    const tenant = await newTenantId();
    valueOf(await store.embedPending(10_000, signal));
    mood.isAway = true;
    const texts = ["The train leaves at nine.", "unspeakable words", "Coffee is in the kitchen."];
    valueOf(
      await store.save(
        tenant,
        texts.map((text) => note(text)),
        null,
        signal,
      ),
    );
    mood.isAway = false;
    valueOf(await store.embedPending(10_000, signal));
    expect(await find(store, tenant, "train")).toHaveLength(1);
    expect(await find(store, tenant, "coffee kitchen")).toHaveLength(1);
    expect(log).toHaveBeenCalledWith(
      expect.stringContaining("rejects a memory"),
      tenant,
      expect.any(String),
      "No such text.",
    );
    expect(valueOf(await store.embedPending(10_000, signal))).toBe(0);
  });
});

it("a scope is erased with its vectors, and the others stay", async () => {
  const index = makeMockVectorize(384);
  const store = storeOn(openVectorize(index));
  const tenant = await newTenantId();
  const made = Array.from({ length: 30 }, (_, at) => note(`number ${at}`, { project: at % 2 === 0 ? "p" : null }));
  valueOf(await store.save(tenant, made, null, signal));
  expect((await index.describe()).vectorCount).toBe(30);
  expect(valueOf(await store.erase(tenant, ["p"]))).toBe(true);
  expect((await index.describe()).vectorCount).toBe(15);
  expect(valueOf(await database.memories.some(tenant, null, 100))).toHaveLength(15);
});
