/** An attempt to index, ended at every step: the visible index is always one whole. */
import { beforeEach, expect, it } from "vitest";
import { hashingEmbedder } from "../../../adapters/embeddings/hashing.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { parseCodeQuery, rankHits } from "../../../core/codebases/rank.ts";
import { runIndex } from "../../../core/codebases/run-index.ts";
import type { CodebaseTable } from "../../../core/ports/codebases.ts";
import { fakeCodebases } from "../../fakes/codebases.ts";
import { fakeCodeReader } from "../../fakes/code-reader.ts";
import { fakeVectors } from "../../fakes/vectors.ts";

const [TENANT, ID] = ["ten_a", "cdb_1"];
const AT = 1_800_000_000_000;
const ACT = { id: "aud_1", at: AT, actor: "key_1", target: ID, requestId: "req_1" } as const;
const REQUEST = { tenant: TENANT, codebase: ID, after: null, receivedAt: AT, signal: new AbortController().signal };
const BEFORE = { "a.js": "function alpha() {}", "b.js": "function beta() {}", "c.js": "function stays() {}" };

let table = fakeCodebases();
let reader = fakeCodeReader(BEFORE);
const embedder = hashingEmbedder();
let vectors = fakeVectors();

beforeEach(async () => {
  table = fakeCodebases();
  reader = fakeCodeReader(BEFORE);
  vectors = fakeVectors();
  const users = { agents: ["coder"], projects: null, people: null };
  await table.create(
    TENANT,
    { id: ID, name: "shop", source: { project: "shop" }, ...users, every: null, dueAt: null },
    { ...ACT, action: "codebase.create" },
  );
  await run();
});

async function run(through: CodebaseTable = table, now = AT) {
  return await runIndex({ table: through, reader, embedder, vectors, now: () => now }, REQUEST);
}

async function names(): Promise<string> {
  const found = [];
  for (const name of ["alpha", "beta", "stays", "gamma", "delta"]) {
    const query = parseCodeQuery(name, [ID], null);
    const hits = query === null ? ok([]) : await table.find(TENANT, query, 50);
    if (hits.ok && query !== null && rankHits(hits.value, [], query, 5).some(({ symbol }) => symbol === name))
      found.push(name);
  }
  return found.join(" ");
}

function change(): void {
  reader.files.set("a.js", "function gamma() {}");
  reader.files.set("d.js", "function delta() {}");
  reader.files.delete("b.js");
}

it("adds, replaces and removes files", async () => {
  expect(await names()).toBe("alpha beta stays");
  change();
  expect(await run()).toEqual({ kind: "done", note: "2 files were indexed, 1 removed." });
  expect(await names()).toBe("stays gamma delta");
  expect(await table.get(TENANT, ID)).toMatchObject({ value: { status: "ready", files: 3 } });
});

it.each(["known", "add", "publish", "removeOld"] as const)(
  "leaves one whole index when it dies at %s",
  async (step) => {
    change();
    for (const isAfter of [false, true]) {
      const dies: CodebaseTable = {
        ...table,
        [step]: async (...given: never[]) => {
          if (isAfter) await (table[step] as (...all: never[]) => Promise<unknown>)(...given);
          throw new Error("killed");
        },
      };
      await run(dies).catch(() => undefined);
      expect(["alpha beta stays", "stays gamma delta"]).toContain(await names());
    }
    expect(await run()).toMatchObject({ kind: "done" });
    expect(await names()).toBe("stays gamma delta");
    expect(await table.old(TENANT, ID, 1)).toEqual(ok({ files: [], chunks: [] }));
  },
);

it("tries again after a broken connection, and leaves the index as it was", async () => {
  change();
  reader.breaksAfter = 1;
  expect(await run()).toMatchObject({ kind: "later" });
  expect(await names()).toBe("alpha beta stays");
  reader.breaksAfter = null;
  await run();
  expect(await names()).toBe("stays gamma delta");
});

it("loses quietly to a later attempt", async () => {
  change();
  const overtaken: CodebaseTable = {
    ...table,
    add: async (...given) => {
      await table.begin(TENANT, ID, AT);
      return await table.add(...given);
    },
  };
  expect(await run(overtaken)).toEqual({ kind: "done", note: "A later attempt replaced this one." });
  expect(await names()).toBe("alpha beta stays");
});

it("records a failure that stays, and repeats one that passes for half an hour", async () => {
  reader.fails = failed("permission_denied", "The server refused access.");
  expect(await run()).toMatchObject({ kind: "done" });
  expect(await table.get(TENANT, ID)).toMatchObject({
    value: { status: "failed", error: "The server refused access.", files: 3 },
  });
  reader.fails = failed("upstream_failed", "The sidecar is away.", { retryAfterMs: 1_000 });
  expect(await run()).toEqual({ kind: "later", afterMs: 1_000, why: "The sidecar is away." });
  expect(await run(table, AT + 31 * 60_000)).toMatchObject({ kind: "done" });
  expect(await table.get(TENANT, ID)).toMatchObject({ value: { status: "failed", error: "The sidecar is away." } });
  expect(await names()).toBe("alpha beta stays");
});

it("deletes the files of a deleted codebase", async () => {
  await table.remove(TENANT, ID, { ...ACT, action: "codebase.delete" });
  expect(await run()).toEqual({ kind: "done", note: "The codebase was deleted." });
  expect(await table.known(TENANT, ID)).toEqual(ok(new Map()));
});

it.each(["add", "publish"] as const)("is repeated when the database is restored before %s", async (step) => {
  change();
  const restored: CodebaseTable = {
    ...table,
    get: async (...given) => {
      const found = await table.get(...given);
      return found.ok ? ok({ ...found.value, builds: 1 }) : found;
    },
    [step]: async () => await Promise.resolve(ok(false)),
  };
  expect(await run(restored)).toMatchObject({ kind: "later" });
  expect(await run({ ...table, [step]: async () => await Promise.resolve(ok(false)) })).toMatchObject({
    kind: "later",
  });
  expect(await run()).toMatchObject({ kind: "done" });
  expect(await names()).toBe("stays gamma delta");
});
