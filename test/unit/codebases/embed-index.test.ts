/** The vectors of an index: they become visible and disappear with its rows, wherever an attempt ends. */
import { beforeEach, describe, expect, it } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { runIndex } from "../../../core/codebases/run-index.ts";
import { openCodebases } from "../../../core/codebases/search.ts";
import type { CodebaseTable } from "../../../core/ports/codebases.ts";
import type { EmbedderPort, VectorsPort } from "../../../core/ports/vectors.ts";
import { fakeCodeReader } from "../../fakes/code-reader.ts";
import { fakeCodebases } from "../../fakes/codebases.ts";
import { fakeVectors } from "../../fakes/vectors.ts";

const [TENANT, ID, AT] = ["ten_a", "cdb_1", 1_800_000_000_000];
const ACT = { id: "aud_1", at: AT, actor: "key_1", target: ID, requestId: "req_1" } as const;
const MODEL = "topics";
const SIGNAL = new AbortController().signal;
const USER = { agent: { id: "agent_1", name: "coder" }, project: null, person: null };
const NEW = { every: null, dueAt: null, agents: ["coder"], projects: null, people: null };
const FILES = {
  "pay.js": "function charge() {}\n// subscription invoices and refunds",
  "old.js": "function legacy() {}\n// carrier pigeons deliver letters",
};
/** What the embedder takes texts to be about. */
const TOPICS = [/invoices|money/i, /chargebacks|dispute/i, /pigeons|post/i];
/** Are about a topic, and share no word with a text of it. */
const [MONEY, DISPUTE] = ["money", "dispute"];

let table = fakeCodebases();
let reader = fakeCodeReader(FILES);
let vectors = spyVectors();
let embedder = topicEmbedder();

/** Vectors, and the ids that are stored. */
function spyVectors(): VectorsPort & { readonly stored: Set<string> } {
  const inner = fakeVectors();
  const stored = new Set<string>();
  return {
    ...inner,
    stored,
    async upsert(tenant, model, given) {
      for (const { id } of given) stored.add(id);
      return await inner.upsert(tenant, model, given);
    },
    async delete(tenant, ids) {
      for (const id of ids) stored.delete(id);
      return await inner.delete(tenant, ids);
    },
  };
}

/** An embedder that knows topics, with the texts that it embedded. `isAway`: it fails. */
function topicEmbedder(): EmbedderPort & { texts: string[]; isAway: boolean } {
  const counted = {
    model: MODEL,
    dimensions: TOPICS.length + 1,
    texts: [] as string[],
    isAway: false,
    async embed(texts: readonly string[]) {
      if (counted.isAway) return failed("upstream_failed", "The embedding server did not reply.");
      counted.texts.push(...texts);
      return await Promise.resolve(ok(texts.map(toVector)));
    },
  };
  return counted;
}

function toVector(text: string): Float32Array {
  const about = TOPICS.map((topic) => (topic.test(text) ? 1 : 0));
  const values = [...about, about.includes(1) ? 0 : 1];
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

beforeEach(async () => {
  [table, reader, vectors, embedder] = [fakeCodebases(), fakeCodeReader(FILES), spyVectors(), topicEmbedder()];
  const source = { project: "shop" };
  await table.create(TENANT, { id: ID, name: "shop", source, ...NEW }, { ...ACT, action: "codebase.create" });
});

async function run(
  through: CodebaseTable = table,
  after: number | null = null,
  by: VectorsPort = vectors,
  codebase = ID,
) {
  const deps = { table: through, reader, embedder, vectors: by, now: () => AT };
  return await runIndex(deps, { tenant: TENANT, codebase, after, receivedAt: AT, signal: SIGNAL });
}

/** The table of a tenant that would have `total` vectors after an attempt. */
function withTotal(total: number, missing = 1): CodebaseTable {
  return { ...table, countVectors: async () => await Promise.resolve(ok({ missing, total })) };
}

async function search(query: string): Promise<readonly string[]> {
  const port = openCodebases({ table, embedder, vectors }, TENANT, USER);
  const found = await port.search({ query, fileType: null, codebase: null, limit: 10, signal: SIGNAL });
  return found.ok ? found.value.hits.map(({ path }) => path) : [found.error.code];
}

async function get() {
  const got = await table.get(TENANT, ID);
  if (!got.ok) throw new Error(got.error.message);
  return got.value;
}

function visible(): string[] {
  return [...table.chunks()].filter(([, isShown]) => isShown).map(([id]) => id);
}

describe("an index with vectors", () => {
  it("finds texts that share no word with the query", async () => {
    await run();
    expect((await get()).embedder).toBe(MODEL);
    expect(await search(MONEY)).toEqual(["pay.js"]);
    expect(await search("dispute")).toEqual([]);
  });

  it("asks no vectors for a query that is a symbol's name", async () => {
    await run();
    embedder.texts.length = 0;
    expect(await search("legacy")).toEqual(["old.js"]);
    expect(embedder.texts).toEqual([]);
    expect(await search("legacy money")).toEqual(["old.js", "pay.js"]);
    expect(embedder.texts).toEqual(["legacy money"]);
  });

  it("embeds no file again that did not change, and removes the vectors of those that did", async () => {
    await run();
    expect(embedder.texts.length).toBe(2);
    reader.files.set("old.js", "function modern() {}\n// drones deliver parcels");
    await run();
    expect(embedder.texts.length).toBe(3);
    expect(embedder.texts[2]).toBe("old.js\nfunction modern() {}\n// drones deliver parcels");
    expect([...vectors.stored].toSorted()).toEqual(visible().toSorted());
  });

  it.each([
    "known",
    "add",
    "listUnembedded",
    "markEmbedded",
    "publish",
    "old",
    "removeOld",
    "upsert",
    "delete",
  ] as const)("is visible whole or not when the process dies at %s, and leaves one set of vectors", async (step) => {
    await run();
    reader.files.set("pay.js", "function refund() {}\n// chargebacks of credit cards");
    for (const isAfter of [false, true]) {
      const die = async (target: object, ...given: never[]): Promise<never> => {
        if (isAfter) await (target as Record<string, (...all: never[]) => Promise<unknown>>)[step]?.(...given);
        throw new Error("killed");
      };
      const isOfVectors = step === "upsert" || step === "delete";
      const dies: CodebaseTable = isOfVectors
        ? table
        : { ...table, [step]: (...given: never[]) => die(table, ...given) };
      const by = isOfVectors ? { ...vectors, [step]: (...given: never[]) => die(vectors, ...given) } : vectors;
      await run(dies, null, by).catch(() => undefined);
      const shown = [(await search(MONEY)).length, (await search(DISPUTE)).length];
      expect([
        [1, 0],
        [0, 1],
      ]).toContainEqual(shown);
    }
    await run();
    expect((await get()).embedder).toBe(MODEL);
    expect([...table.chunks().keys()].toSorted()).toEqual(visible().toSorted());
    expect([...vectors.stored].toSorted()).toEqual(visible().toSorted());
  });

  it("becomes ready by words while the embedder is away, says so, and is embedded by a later index", async () => {
    embedder.isAway = true;
    expect(await run()).toEqual({
      kind: "done",
      note: "2 files were indexed, 0 removed. It is found by names and words alone: The embedding server did not reply.",
    });
    expect(await get()).toMatchObject({ status: "ready", embedder: null, error: null });
    expect(await search("pigeons")).toEqual(["old.js"]);
    embedder.isAway = false;
    expect(await search(MONEY)).toEqual([]);
    await run();
    expect((await get()).embedder).toBe(MODEL);
    expect(await search(MONEY)).toEqual(["pay.js"]);
    embedder.isAway = true;
    expect(await search("pigeons")).toEqual(["old.js"]);
  });

  it("uses no vectors while some visible chunk has none", async () => {
    await run();
    embedder.isAway = true;
    reader.files.set("more.js", "function more() {}");
    await run();
    embedder.isAway = false;
    expect(await search(MONEY)).toEqual([]);
  });

  it("continues in another attempt when the time for embedding ended", async () => {
    for (let file = 0; file < 1_100; file += 1) reader.files.set(`f${file}.js`, `function f${file}() {}`);
    let now = AT;
    const slow: EmbedderPort = {
      ...embedder,
      embed: async (texts, signal) => await embedder.embed(texts, signal).finally(() => (now += 60_000)),
    };
    const deps = { table, reader, embedder: slow, vectors, now: () => now };
    const request = { tenant: TENANT, codebase: ID, after: 0, receivedAt: AT, signal: SIGNAL };
    expect(await runIndex(deps, request)).toMatchObject({ kind: "later" });
    expect(await get()).toMatchObject({ status: "ready", embedder: null });
    expect(await runIndex(deps, request)).toMatchObject({ kind: "done" });
    expect((await get()).embedder).toBe(MODEL);
  });

  it("is indexed again while the embedder has too many requests, and is found by words until then", async () => {
    let isBusy = true;
    const busy: EmbedderPort = {
      ...embedder,
      embed: async (texts, signal) =>
        isBusy
          ? failed("rate_limited", "Too many requests.", { retryAfterMs: 500 })
          : await embedder.embed(texts, signal),
    };
    const deps = { table, reader, embedder: busy, vectors, now: () => AT };
    const request = { tenant: TENANT, codebase: ID, after: 0, receivedAt: AT, signal: SIGNAL };
    expect(await runIndex(deps, request)).toMatchObject({ kind: "later", afterMs: 500 });
    expect(await get()).toMatchObject({ status: "ready", embedder: null });
    isBusy = false;
    expect(await runIndex(deps, request)).toMatchObject({ kind: "done" });
    expect((await get()).embedder).toBe(MODEL);
  });

  it("is found by names and words while the embedder does not answer", { timeout: 20_000 }, async () => {
    await run();
    const silent: EmbedderPort = {
      ...embedder,
      embed: async (_, signal) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return failed("timeout", "The embedder did not answer.");
      },
    };
    const port = openCodebases({ table, embedder: silent, vectors }, TENANT, USER);
    const found = await port.search({
      query: "carrier letters",
      fileType: null,
      codebase: null,
      limit: 10,
      signal: SIGNAL,
    });
    expect(found.ok && found.value.hits.length).toBeGreaterThan(0);
  });

  it("embeds nothing of a codebase whose vectors do not all fit, says so, and leaves none of its vectors", async () => {
    await run();
    const other = { id: "cdb_2", name: "other", source: { project: "other" }, ...NEW };
    await table.create(TENANT, other, { ...ACT, action: "codebase.create" });
    await run(table, null, vectors, other.id);
    const before = vectors.stored.size;
    embedder.texts.length = 0;
    reader.files.set("more.js", "function more() {}");
    expect(await run(withTotal(100_001))).toEqual({
      kind: "done",
      note: expect.stringContaining("100001 chunks of the tenant would have vectors, and 100000 are the most."),
    });
    expect(embedder.texts).toEqual([]);
    expect(await get()).toMatchObject({ status: "ready", embedder: null });
    expect([before, vectors.stored.size]).toEqual([4, 2]);
    expect(await table.listEmbedded(TENANT, ID, 10)).toEqual({ ok: true, value: [] });
    await run(withTotal(100_000));
    expect((await get()).embedder).toBe(MODEL);
    expect(vectors.stored.size).toBe(5);
  });

  it("is repeated when vectors that are over the limit cannot be deleted", async () => {
    await run();
    reader.files.set("more.js", "function more() {}");
    const away: VectorsPort = {
      ...vectors,
      delete: async () => await Promise.resolve(failed("upstream_failed", "The vectors are away.")),
    };
    expect(await run(withTotal(100_001), null, away)).toMatchObject({ kind: "later", why: "The vectors are away." });
    expect(vectors.stored.size).toBe(2);
    expect(await run(withTotal(100_001))).toMatchObject({ kind: "done" });
    expect(vectors.stored.size).toBe(0);
  });

  it("keeps its vectors when none is missing, also over the limit", async () => {
    await run();
    embedder.texts.length = 0;
    expect(await run(withTotal(100_001, 0))).toMatchObject({ note: "0 files were indexed, 0 removed." });
    expect(embedder.texts).toEqual([]);
    expect((await get()).embedder).toBe(MODEL);
  });

  it("embeds no file that the source no longer has", async () => {
    embedder.isAway = true;
    await run();
    embedder.isAway = false;
    reader.files.delete("old.js");
    await run();
    expect(embedder.texts.map((text) => text.split("\n")[0])).toEqual(["pay.js"]);
    expect((await get()).embedder).toBe(MODEL);
  });

  it("uses vectors of an earlier form until it is embedded in the present one", async () => {
    await run();
    const earlier = `${MODEL} 0`;
    const ids = await table.listEmbedded(TENANT, ID, 10);
    await table.markEmbedded(TENANT, earlier, ids.ok ? ids.value : []);
    await table.begin(TENANT, ID, AT);
    const skipped = { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };
    const nothing = { commit: null, deleted: [], skipped, at: AT };
    await table.publish(TENANT, ID, 2, { ...nothing, mark: earlier });
    expect((await get()).embedder).toBe(earlier);
    expect(await search(MONEY)).toEqual(["pay.js"]);
    embedder.texts.length = 0;
    await run(table, 1);
    expect(embedder.texts.length).toBe(2);
    expect((await get()).embedder).toBe(MODEL);
  });

  it("removes every vector of a deleted codebase", async () => {
    await run();
    await table.remove(TENANT, ID, { ...ACT, action: "codebase.delete" });
    expect(await run()).toEqual({ kind: "done", note: "The codebase was deleted." });
    expect([vectors.stored.size, table.chunks().size]).toEqual([0, 0]);
  });

  it("is read once for all requests that came before it began", async () => {
    await run(table, 0);
    expect(await run(table, 0)).toMatchObject({ note: "An index that began later has read it already." });
    expect((await get()).builds).toBe(1);
    await run(table, 1);
    expect((await get()).builds).toBe(2);
  });
});
