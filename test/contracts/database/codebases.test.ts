/** Codebases and their index: the tables on Postgres and the fake behave alike. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { MAX_CODEBASES } from "../../../core/codebases/codebase.ts";
import type { IndexedFile } from "../../../core/codebases/indexed-file.ts";
import { parseCodeQuery, rankHits } from "../../../core/codebases/rank.ts";
import type { UserListsChange } from "../../../core/base/user-lists.ts";
import type { BuildPlace, CodebaseTable } from "../../../core/ports/codebases.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { fakeCodebases } from "../../fakes/codebases.ts";
import { valueOf } from "../value-of.ts";
import { fileOf, newCodebase, noneSkipped } from "./codebase-rows.ts";
import { act, makeTenant, newTenant } from "./rows.ts";

const AT = 1_800_000_000_000;
const MODEL = "hashing";
const DONE = { commit: "a".repeat(40), deleted: [], skipped: noneSkipped(), mark: MODEL, at: AT };

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

interface Opened {
  readonly table: CodebaseTable;
  readonly a: string;
  readonly b: string;
}

const BACKENDS: Readonly<Record<string, () => Promise<Opened>>> = {
  "the fake": async () => await Promise.resolve({ table: fakeCodebases(), a: newTenant().id, b: newTenant().id }),
  Postgres: async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    return { table: database.codebases, a: a.tenant.id, b: b.tenant.id };
  },
};

describe.each(Object.entries(BACKENDS))("codebases of %s", (_, open) => {
  let { table, a, b }: Opened = { table: fakeCodebases(), a: "", b: "" };
  beforeEach(async () => {
    ({ table, a, b } = await open());
  });

  async function create(codebase = newCodebase(), tenant = a) {
    return valueOf(await table.create(tenant, codebase, act("codebase.create", codebase.id)));
  }
  async function index(id: string, files: readonly IndexedFile[], deleted: readonly string[] = [], tenant = a) {
    const { build } = valueOf(await table.begin(tenant, id, AT));
    expect(await table.add(tenant, id, build, files)).toEqual({ ok: true, value: true });
    expect(await table.publish(tenant, id, build, { ...DONE, deleted: [...deleted] })).toEqual({
      ok: true,
      value: true,
    });
  }
  async function removeOld(id: string, limit = 10, tenant = a) {
    const { files } = valueOf(await table.old(tenant, id, limit));
    valueOf(await table.removeOld(tenant, files));
    return files.map(({ path, build }) => `${path} ${build}`).toSorted();
  }
  async function search(query: string, ids: readonly string[], { type = null as string | null, tenant = a } = {}) {
    const parsed = parseCodeQuery(query, ids, type);
    if (parsed === null) return [];
    return rankHits(valueOf(await table.find(tenant, parsed, 50)), [], parsed, 20);
  }

  test("are created, listed by name, requested and removed", async () => {
    const { id } = await create(newCodebase("web"));
    await create(newCodebase("api"));
    expect(valueOf(await table.all(a)).map(({ name }) => name)).toEqual(["api", "web"]);
    expect(valueOf(await table.get(a, id))).toMatchObject({
      name: "web",
      source: { git: "https://code.example.com/shop.git" },
      agents: ["coder"],
      projects: null,
      people: null,
      status: "queued",
      files: 0,
    });
    const taken = await table.create(a, newCodebase("web"), act("codebase.create", "x"));
    expect(taken).toMatchObject({ ok: false, error: { code: "conflict", field: "name" } });
    await index(id, [fileOf("a.ts", "x", ["one"])]);
    expect(valueOf(await table.request(a, id, act("codebase.reindex", id)))).toMatchObject({
      status: "queued",
      files: 1,
    });
    expect(await table.remove(a, id, act("codebase.delete", id))).toMatchObject({ ok: true });
    expect(await table.get(a, id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await search("one", [id])).toEqual([]);
    expect(await removeOld(id)).toEqual(["a.ts 1"]);
    expect(await removeOld(id)).toEqual([]);
  });

  test("change who may use them, list by list, and keep at least one list", async () => {
    const { id } = await create();
    const change = async (lists: UserListsChange, tenant = a) =>
      await table.update(tenant, id, lists, act("codebase.update", id));
    const users = async () => {
      const { agents, projects, people } = valueOf(await table.get(a, id));
      return { agents, projects, people };
    };
    expect(valueOf(await change({ projects: ["web"], people: [] }))).toMatchObject({ status: "queued" });
    expect(await users()).toEqual({ agents: ["coder"], projects: ["web"], people: [] });
    valueOf(await change({ agents: null, projects: undefined, people: null }));
    expect(await users()).toEqual({ agents: null, projects: ["web"], people: null });
    const refused = { ok: false, error: { code: "invalid_input", field: "agents" } };
    expect(await change({ projects: null })).toMatchObject(refused);
    expect(await change({ projects: [] }, b)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await users()).toEqual({ agents: null, projects: ["web"], people: null });
  });

  test("are limited in number for each tenant", async () => {
    for (let count = 0; count < MAX_CODEBASES; count += 1) await create(newCodebase(`c${count}`));
    const more = await table.create(a, newCodebase("more"), act("codebase.create", "x"));
    expect(more).toMatchObject({ ok: false, error: { code: "quota_exceeded" } });
  });

  test("are found by exact names, beginnings, parts of names, and words of the text", async () => {
    const { id } = await create();
    await index(id, [
      fileOf("src/cart.ts", "function addItem() {}\nfunction removeItemFromCart() {}", [
        "Cart.addItem",
        "removeItemFromCart",
      ]),
      fileOf("src/http_client.py", "def send_request(): pass", ["send_request"]),
      fileOf("docs/readme.md", "Discounts are applied at checkout."),
    ]);
    expect((await search("addItem", [id]))[0]).toMatchObject({
      symbol: "Cart.addItem",
      path: "src/cart.ts",
      startLine: 1,
    });
    expect((await search("add_item", [id]))[0]?.symbol).toBe("Cart.addItem");
    expect((await search("removeItem", [id]))[0]).toMatchObject({
      symbol: "removeItemFromCart",
      code: "function removeItemFromCart() {}",
    });
    expect((await search("where do we send a request?", [id]))[0]?.symbol).toBe("send_request");
    expect(await search("discounts", [id])).toMatchObject([{ symbol: null, path: "docs/readme.md" }]);
    expect((await search("readme", [id]))[0]?.path).toBe("docs/readme.md");
    expect(await search("item", [id], { type: "py" })).toEqual([]);
    expect((await search("request", [id], { type: ".py" })).map(({ path }) => path)).toEqual(["src/http_client.py"]);
    expect((await search("request", [id], { type: "python" })).length).toBe(1);
    expect(await search("nothingLikeThis", [id])).toEqual([]);
    expect(valueOf(await table.get(a, id))).toMatchObject({
      files: 3,
      symbols: 3,
      chunks: 3,
      status: "ready",
      indexedAt: AT,
    });
  });

  test("find what has the rarest words, or all of them, among many that have one", async () => {
    const { id } = await create();
    const many = Array.from({ length: 600 }, (_, index) => [`load_x${index}`, `x${index}_invoice`]).flat();
    const toText = (names: readonly string[]) => names.map((name) => `function ${name}() {}`).join("\n");
    await index(id, [
      fileOf("a.ts", toText(many), many),
      // Behind all others, so that the first rows of a word do not have them.
      fileOf("b.ts", toText(["load_invoice", "load_zebra"]), ["load_invoice", "load_zebra"]),
      fileOf("c.rb", "def load_gem; end", ["load_gem"]),
    ]);
    expect((await search("load the invoice", [id]))[0]?.symbol).toBe("load_invoice");
    expect((await search("load", [id], { type: "ruby" })).map(({ path }) => path)).toEqual(["c.rb"]);
    const findFirst = async (words: readonly string[]) => {
      const wanted = { codebases: [id], names: [], words, extensions: null };
      const symbols = valueOf(await table.find(a, wanted, 5)).filter(({ found }) => found === "symbol");
      expect(symbols.length).toBe(5);
      return symbols[0];
    };
    expect(await findFirst(["load", "invoice"])).toMatchObject({ name: "load_invoice" });
    expect(await findFirst(["load", "invoice", "zebra", "absent"])).toMatchObject({ name: "load_zebra" });
  });

  test("find the exact name among more names that begin with it than a search ranks", async () => {
    const { id } = await create();
    const many = Array.from({ length: 60 }, (_, at) => `task_${String.fromCodePoint(97 + (at % 26))}${at}`);
    await index(id, [
      fileOf("a.ts", many.map((name) => `function ${name}() {}`).join("\n"), many),
      fileOf("b.ts", "class Task {}", ["Task"]),
    ]);
    expect((await search("Task", [id]))[0]?.symbol).toBe("Task");
  });

  test("are replaced whole: an attempt is invisible until it is published, and changes only what it names", async () => {
    const { id } = await create();
    await index(id, [
      fileOf("a.ts", "alpha", ["alpha"]),
      fileOf("b.ts", "beta", ["beta"]),
      fileOf("c.ts", "stays", ["stays"]),
    ]);
    const { build } = valueOf(await table.begin(a, id, AT));
    await table.add(a, id, build, [fileOf("a.ts", "gamma", ["gamma"])]);
    expect(await search("gamma", [id])).toEqual([]);
    expect((await search("alpha", [id])).length).toBe(1);
    await table.publish(a, id, build, { ...DONE, deleted: ["b.ts"] });
    for (const [name, found] of Object.entries({ gamma: 1, alpha: 0, beta: 0, stays: 1 }))
      expect((await search(name, [id])).length, name).toBe(found);
    expect([...valueOf(await table.known(a, id)).keys()].toSorted()).toEqual(["a.ts", "c.ts"]);
    expect((await removeOld(id, 1)).length).toBe(1);
    expect((await removeOld(id)).length).toBe(1);
    expect(await removeOld(id)).toEqual([]);
    expect((await search("gamma", [id])).length).toBe(1);
  });

  test("accept nothing from an attempt that another one replaced", async () => {
    const { id } = await create();
    const first = valueOf(await table.begin(a, id, AT)).build;
    await table.add(a, id, first, [fileOf("a.ts", "first", ["first"])]);
    const second = valueOf(await table.begin(a, id, AT)).build;
    expect(await table.add(a, id, first, [fileOf("b.ts", "first", ["late"])])).toEqual({ ok: true, value: false });
    expect(await table.publish(a, id, first, DONE)).toEqual({ ok: true, value: false });
    await table.fail(a, id, first, "late", AT);
    await table.add(a, id, second, [fileOf("a.ts", "second", ["second"])]);
    await table.publish(a, id, second, DONE);
    expect(await search("first", [id])).toEqual([]);
    expect(await search("late", [id])).toEqual([]);
    expect((await search("second", [id])).length).toBe(1);
    await removeOld(id);
    expect(valueOf(await table.get(a, id))).toMatchObject({ status: "ready", files: 1, error: null });
  });

  test("keep the index when an attempt fails", async () => {
    const { id } = await create();
    await index(id, [fileOf("a.ts", "good", ["good"])]);
    const { build } = valueOf(await table.begin(a, id, AT));
    await table.add(a, id, build, [fileOf("b.ts", "half", ["half"])]);
    await table.fail(a, id, build, "The server refused access.", AT);
    expect(valueOf(await table.get(a, id))).toMatchObject({
      status: "failed",
      error: "The server refused access.",
      files: 1,
    });
    expect(await search("half", [id])).toEqual([]);
    expect((await search("good", [id])).length).toBe(1);
  });

  test("have vectors once every visible chunk has one, and the vectors of old files are named until they are removed", async () => {
    const { id } = await create();
    await index(id, [fileOf("a.ts", "alpha"), fileOf("b.ts", "beta")]);
    expect(valueOf(await table.get(a, id))).toMatchObject({ embedder: null, published: 1, builds: 1 });
    const { build } = valueOf(await table.begin(a, id, AT));
    const place = { codebase: id, build, deleted: [] };
    await table.add(a, id, build, [fileOf("a.ts", "gamma")]);
    const open = valueOf(await table.listUnembedded(a, place, MODEL, 10));
    expect(open.map(({ text }) => text).toSorted()).toEqual(["a.ts\ngamma", "b.ts\nbeta"]);
    expect(open.map(({ kind, project }) => [kind, project])).toEqual([
      ["code", id],
      ["code", id],
    ]);
    expect(valueOf(await table.listUnembedded(a, place, MODEL, 1)).length).toBe(1);
    const ids = open.map((one) => one.id);
    expect([...valueOf(await table.markEmbedded(a, MODEL, [...ids, "cch_gone"]))].toSorted()).toEqual(ids.toSorted());
    expect(await table.listUnembedded(a, place, MODEL, 10)).toEqual({ ok: true, value: [] });
    expect(valueOf(await table.listUnembedded(a, place, "another", 10)).length).toBe(2);
    expect(await table.countVectors(a, place, MODEL)).toEqual({ ok: true, value: { missing: 0, total: 2 } });
    expect(await table.countVectors(a, place, "another")).toEqual({ ok: true, value: { missing: 2, total: 2 } });
    expect(await table.countVectors(b, place, MODEL)).toEqual({ ok: true, value: { missing: 0, total: 0 } });
    const all = { codebases: [id], extensions: null };
    expect(valueOf(await table.readChunks(a, all, ids)).map(({ path }) => path)).toEqual(["b.ts"]);
    await table.publish(a, id, build, DONE);
    expect(valueOf(await table.get(a, id))).toMatchObject({ embedder: MODEL, published: 2, builds: 2 });
    const found = valueOf(await table.readChunks(a, all, ids));
    expect(found.map(({ path, code, startLine }) => `${path} ${code} ${startLine}`).toSorted()).toEqual([
      "a.ts gamma 1",
      "b.ts beta 1",
    ]);
    expect(await table.readChunks(a, { ...all, extensions: ["py"] }, ids)).toEqual({ ok: true, value: [] });
    expect(await table.readChunks(a, { ...all, codebases: [] }, ids)).toEqual({ ok: true, value: [] });
    expect(await table.readChunks(b, all, ids)).toEqual({ ok: true, value: [] });
    expect(await table.markEmbedded(b, "another", ids)).toEqual({ ok: true, value: [] });
    const old = valueOf(await table.old(a, id, 10));
    expect([old.files.length, old.chunks.length, ids.includes(old.chunks[0] ?? "")]).toEqual([1, 1, false]);
    expect(await table.old(b, null, 10)).toEqual({ ok: true, value: { files: [], chunks: [] } });
    valueOf(await table.removeAll(a));
    const left = valueOf(await table.old(a, null, 10));
    expect(ids.every((one) => left.chunks.includes(one))).toBe(true);
  });

  test("count the vectors that a tenant has after an attempt, without those that it replaces", async () => {
    const [one, other] = [await create(newCodebase("one")), await create(newCodebase("other"))];
    const embed = async (place: BuildPlace) => {
      const open = valueOf(await table.listUnembedded(a, place, MODEL, 100)).map(({ id }) => id);
      valueOf(await table.markEmbedded(a, MODEL, open));
    };
    for (const [{ id }, names] of [
      [one, ["a.ts", "b.ts", "c.ts"]],
      [other, ["x.ts", "y.ts"]],
    ] as const) {
      await index(
        id,
        names.map((name) => fileOf(name, "text")),
      );
      await embed({ codebase: id, build: 1, deleted: [] });
    }
    const { build } = valueOf(await table.begin(a, one.id, AT));
    await table.add(a, one.id, build, [fileOf("a.ts", "changed"), fileOf("d.ts", "added")]);
    const count = async (deleted: readonly string[]) =>
      valueOf(await table.countVectors(a, { codebase: one.id, build, deleted }, MODEL));
    expect(await count([])).toEqual({ missing: 2, total: 2 + 4 });
    expect(await count(["b.ts", "gone.ts"])).toEqual({ missing: 2, total: 2 + 3 });
    valueOf(await table.markEmbedded(a, null, valueOf(await table.listEmbedded(a, one.id, 100))));
    const left = valueOf(await table.listUnembedded(a, { codebase: one.id, build, deleted: ["b.ts"] }, MODEL, 100));
    expect(left.map(({ text }) => text.slice(0, text.indexOf("\n"))).toSorted()).toEqual(["a.ts", "c.ts", "d.ts"]);
    expect(await count(["b.ts"])).toEqual({ missing: 3, total: 2 + 3 });
    expect(await table.listEmbedded(a, one.id, 100)).toEqual({ ok: true, value: [] });
    expect(valueOf(await table.listEmbedded(a, other.id, 100)).length).toBe(2);
    expect(valueOf(await table.listEmbedded(a, other.id, 1)).length).toBe(1);
    expect(await table.listEmbedded(b, other.id, 100)).toEqual({ ok: true, value: [] });
    // Vectors of a deleted codebase are removed later, and count for nobody.
    valueOf(await table.remove(a, other.id, act("codebase.delete", other.id)));
    expect(await count(["b.ts"])).toEqual({ missing: 3, total: 3 });
  });

  test("that were deleted are named while they have files", async () => {
    const [gone, empty, present] = [
      await create(newCodebase("gone")),
      await create(newCodebase("empty")),
      await create(),
    ];
    for (const { id } of [gone, present]) await index(id, [fileOf("a.ts", "alpha"), fileOf("b.ts", "beta")]);
    const own = async () => valueOf(await table.listDeleted(1_000)).filter(({ tenant }) => tenant === a);
    expect(await own()).toEqual([]);
    for (const { id } of [gone, empty]) valueOf(await table.remove(a, id, act("codebase.delete", id)));
    expect(await own()).toEqual([{ tenant: a, id: gone.id }]);
    expect(valueOf(await table.listDeleted(0))).toEqual([]);
    await removeOld(gone.id);
    expect(await own()).toEqual([]);
  });

  test("are due by their rule, and queued unless a later attempt began", async () => {
    const { id } = await create(newCodebase("shop", { every: "6h", dueAt: AT }));
    const own = async (now: number) => valueOf(await table.due(now, 1_000)).filter((one) => one.id === id);
    expect(await own(AT - 1)).toEqual([]);
    expect(await own(AT)).toEqual([{ tenant: a, id, every: "6h", dueAt: AT, builds: 0 }]);
    await table.setDue(a, id, { from: AT - 5, next: AT + 9 });
    await table.setDue(b, id, { from: AT, next: AT + 9 });
    expect((await own(AT)).length).toBe(1);
    await table.setDue(a, id, { from: AT, next: AT + 10 });
    expect([(await own(AT + 9)).length, (await own(AT + 10)).length]).toEqual([0, 1]);
    expect(valueOf(await table.get(a, id)).dueAt).toBe(AT + 10);
    const never = { every: null, dueAt: null };
    expect(await table.setEvery(b, id, never, act("codebase.schedule", id))).toEqual({ ok: true, value: false });
    expect(await table.setEvery(a, id, never, act("codebase.schedule", id))).toEqual({ ok: true, value: true });
    expect(await own(AT * 2)).toEqual([]);
    await index(id, [fileOf("a.ts", "alpha")]);
    await table.setQueued(a, id, 0, AT);
    expect(valueOf(await table.get(a, id))).toMatchObject({ status: "ready", every: null, dueAt: null });
    await table.setQueued(a, id, 1, AT);
    expect(valueOf(await table.get(a, id))).toMatchObject({ status: "queued", builds: 1 });
  });

  test("of another tenant are neither seen, changed nor found", async () => {
    const { id } = await create();
    await index(id, [fileOf("a.ts", "songbird", ["canary"])]);
    const own = await create(newCodebase("own"), b);
    await index(own.id, [fileOf("b.ts", "minetext", ["mine"])], [], b);
    expect(await table.get(b, id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(valueOf(await table.all(b)).map(({ name }) => name)).toEqual(["own"]);
    expect(await table.begin(b, id, AT)).toMatchObject({ ok: false });
    expect(await table.add(b, id, 1, [fileOf("x.ts", "x")])).toEqual({ ok: true, value: false });
    expect(await table.publish(b, id, 1, DONE)).toEqual({ ok: true, value: false });
    expect(await table.remove(b, id, act("codebase.delete", id))).toMatchObject({ ok: false });
    valueOf(await table.removeOld(b, [{ codebase: id, path: "a.ts", build: 1 }]));
    expect(await search("canary", [id, own.id], { tenant: b })).toEqual([]);
    expect(await search("songbird", [id, own.id], { tenant: b })).toEqual([]);
    expect((await search("mine", [id, own.id], { tenant: b })).length).toBe(1);
    expect((await search("canary", [id])).length).toBe(1);
    expect(await search("canary", [])).toEqual([]);
  });

  test("take quotes and odd characters as text", async () => {
    const { id } = await create();
    await index(id, [fileOf("o'brien/a b.ts", "it's 'quoted' \\ & | ! (x) ünïcode 日本語", ["it's"])]);
    for (const query of ["it's", "'", "a' | 'c:", "(x) & !y", "\\", "ünïcode", "日本語", "b:*"])
      expect(Array.isArray(await search(query, [id])), query).toBe(true);
    expect((await search("ünïcode", [id])).length).toBe(1);
  });
});
