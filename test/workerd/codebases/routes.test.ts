/** Codebases over the API, from an archive to the result of a search, with the sidecar; and what another tenant sees of them. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { makeZip } from "../../mock-servers/make-zip.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

const LONG = { timeout: 120_000 } as const;
const ZIP = { "content-type": "application/zip" };
const CART = "/** Adds an item. */\nexport function addItem(item: string) {\n  send(item);\n}\n";

async function uploadZip(caller: Caller, files: Readonly<Record<string, string>>): Promise<string> {
  const bytes = await makeZip(Object.entries(files).map(([path, text]) => ({ path, bytes: text })));
  const stored = await caller.send("POST", "/v1/codebases/archives", bytes, ZIP);
  expect(stored.status, stored.text).toBe(201);
  return stored.json.hash;
}

async function addShop(caller: Caller, lists: object = { agents: ["default"] }): Promise<string> {
  const zip = await uploadZip(caller, {
    "src/cart.ts": CART,
    ".env": "A=1",
    "readme.md": "Discounts for loyal customers.\n",
  });
  const made = await caller.send("POST", "/v1/codebases", { name: "shop", source: { zip }, ...lists });
  expect(made.status, made.text).toBe(202);
  expect(made.headers.get("location")).toBe(`/v1/codebases/${made.json.id}`);
  expect(made.json).toMatchObject({ name: "shop", source: { zip }, status: "queued", files: 0, commit: null });
  await untilIndexed(caller, made.json.id);
  return made.json.id;
}

async function untilIndexed(caller: Caller, id: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { json } = await caller.send("GET", `/v1/codebases/${id}`);
      expect(["ready", "failed"]).toContain(json.status);
    },
    { timeout: 60_000, interval: 250 },
  );
}

async function search(caller: Caller, given: object, more: object = {}) {
  return (await caller.send("POST", "/v1/tools/search_codebase/call", { arguments: given, ...more })).json;
}

describe("a codebase", LONG, () => {
  test("is indexed from an archive, searched by the API and by a model, indexed again, and deleted", async () => {
    const caller = await makeCaller();
    const id = await addShop(caller);
    const { json: ready } = await caller.send("GET", `/v1/codebases/${id}`);
    expect(ready).toMatchObject({ status: "ready", error: null, files: 2, symbols: 1, skipped: { denied: 1 } });
    expect((await caller.send("GET", "/v1/codebases")).json).toEqual({ data: [ready], next_cursor: null });

    expect(await search(caller, { query: "addItem" })).toMatchObject({
      ok: true,
      result: {
        total: 1,
        results: [
          { file: "src/cart.ts", codebase: "shop", symbol: "addItem", kind: "function", start_line: 2, end_line: 4 },
        ],
      },
    });
    expect(await search(caller, { query: "discounts", file_type: "ts" })).toMatchObject({
      ok: true,
      result: { total: 0 },
    });
    const calls = [{ name: "search_codebase", arguments: { query: "discounts" } }];
    const { id: task } = await caller.makeTask([{ calls }, { text: "done" }]);
    await caller.until(task, ({ status }) => status === "completed");
    const [row] = (await caller.send("GET", `/v1/tasks/${task}/ledger`)).json.data;
    expect(row).toMatchObject({
      tool: "search_codebase",
      state: "confirmed",
      result: { ok: true, result: { total: 1 } },
    });

    const again = await caller.send("POST", `/v1/codebases/${id}/reindex`, {});
    expect([again.status, again.json.status]).toEqual([202, "queued"]);
    await untilIndexed(caller, id);
    expect((await caller.send("DELETE", `/v1/codebases/${id}`)).status).toBe(200);
    expectProblem(await caller.send("GET", `/v1/codebases/${id}`), 404);
    expect(await search(caller, { query: "addItem" })).toMatchObject({ ok: false, error: { code: "not_found" } });
    // It was deleted with the last codebase that used it.
    const { zip } = ready.source;
    const without = await caller.send("POST", "/v1/codebases", { name: "b", source: { zip }, agents: ["default"] });
    expectProblem(without, 404);
    const acts = (await caller.send("GET", "/v1/audit")).json.data.map(({ action }: { action: string }) => action);
    expect(acts).toEqual(["codebase.delete", "codebase.reindex", "codebase.create"]);
  });

  test("of another tenant is neither seen, searched, changed nor made from its archive", async () => {
    const [a, b] = [await makeCaller(), await makeCaller()];
    const id = await addShop(a);
    for (const [method, path] of [
      ["GET", `/v1/codebases/${id}`],
      ["PATCH", `/v1/codebases/${id}`],
      ["DELETE", `/v1/codebases/${id}`],
      ["POST", `/v1/codebases/${id}/reindex`],
    ] as const)
      expectProblem(
        await b.send(method, path, method === "POST" ? {} : method === "PATCH" ? { projects: [] } : undefined),
        404,
      );
    expect((await b.send("GET", "/v1/codebases")).json.data).toEqual([]);
    expect((await b.send("POST", "/v1/codebases/search", { query: "addItem" })).json.results).toEqual([]);
    expect(await search(b, { query: "addItem" })).toMatchObject({ ok: false, error: { code: "not_found" } });
    const { zip } = (await a.send("GET", `/v1/codebases/${id}`)).json.source;
    expectProblem(await b.send("POST", "/v1/codebases", { name: "b", source: { zip }, agents: ["default"] }), 404);
    expect(await search(a, { query: "addItem" })).toMatchObject({ ok: true, result: { total: 1 } });
  });

  test("is searched only by those whom its lists name", async () => {
    const caller = await makeCaller();
    await addShop(caller, { agents: ["default"], projects: ["shop"] });
    const refused = { ok: false, error: { code: "permission_denied" } };
    expect(await search(caller, { query: "addItem", project_name: "shop" })).toMatchObject(refused);
    expect(await search(caller, { query: "addItem", project_name: "shop" }, { project: "web" })).toMatchObject(refused);
    expect(await search(caller, { query: "addItem" }, { project: "shop" })).toMatchObject({
      ok: true,
      result: { total: 1 },
    });
  });

  test("has users by name, that can be changed", async () => {
    const caller = await makeCaller();
    const made = await caller.send("POST", "/v1/agents", config("coder"));
    const id = await addShop(caller, { agents: ["coder", made.json.id, "default"] });
    const change = async (lists: object) => await caller.send("PATCH", `/v1/codebases/${id}`, lists);
    const shown = async () => (await caller.send("GET", `/v1/codebases/${id}`)).json;
    expect(await shown()).toMatchObject({ agents: ["coder", "default"], projects: null, people: null });

    const found = { ok: true, result: { total: 1 } };
    const refused = { ok: false, error: { code: "not_found" } };
    expect((await change({ agents: ["coder"] })).json).toMatchObject({ agents: ["coder"], status: "ready", files: 2 });
    expect(await search(caller, { query: "addItem" })).toMatchObject(refused);
    expect(await search(caller, { query: "addItem" }, { agent: "coder" })).toMatchObject(found);
    await caller.send("PUT", `/v1/agents/${made.json.id}`, config("reviewer"));
    expect(await shown()).toMatchObject({ agents: ["reviewer"] });
    expect(await search(caller, { query: "addItem" }, { agent: "reviewer" })).toMatchObject(found);

    expect((await change({ agents: null, projects: ["web"] })).json).toMatchObject({ agents: null, projects: ["web"] });
    expectProblem(await change({ projects: null }), 422, "agents");
    expectProblem(await change({ agents: ["nobody"] }), 422, "agents.0");
    expectProblem(await change({ people: ["per_00000000000000000000000000"] }), 422, "people.0");
    expect(await search(caller, { query: "addItem" }, { project: "web" })).toMatchObject(found);
    const acts = (await caller.send("GET", `/v1/audit?target=${id}&action=codebase.update`)).json.data;
    expect(acts).toHaveLength(2);
  });

  test("keeps the lists that a reply shows when they are sent back, after a person of them was deleted", async () => {
    const caller = await makeCaller();
    const [ana, ben] = await Promise.all(
      ["Ana", "Ben"].map(async (name) => (await caller.send("POST", "/v1/people", { name })).json.id),
    );
    const id = await addShop(caller, { people: [ana, ben] });
    expect((await caller.send("DELETE", `/v1/people/${ana}`)).status).toBe(200);
    const change = async (lists: object) => await caller.send("PATCH", `/v1/codebases/${id}`, lists);
    const { people } = (await caller.send("GET", `/v1/codebases/${id}`)).json;
    expect(people).toEqual([ana, ben]);
    expect((await change({ people, projects: ["web"] })).json).toMatchObject({ people: [ana, ben], projects: ["web"] });
    // Once it has left the list, it is as unknown as any other.
    expect((await change({ people: [ben] })).json).toMatchObject({ people: [ben] });
    expectProblem(await change({ people: [ben, ana] }), 422, "people.1");
  });

  test("has a time at which it is indexed again, which an administrator sets and removes", async () => {
    const caller = await makeCaller();
    const id = await addShop(caller);
    const put = async (every: unknown) => await caller.send("PUT", `/v1/codebases/${id}/reindex`, { every });
    expect((await put("6h")).json).toMatchObject({ id, status: "ready", files: 2, reindex: { every: "6h" } });
    const sixHours = Date.now() + 6 * 3_600_000;
    const due = async (now: number) => {
      const found = await databaseFromEnv(env).codebases.due(now, 1_000);
      return found.ok ? found.value.filter((one) => one.id === id) : found;
    };
    expect(await due(sixHours - 60_000)).toEqual([]);
    expect(await due(sixHours)).toMatchObject([{ tenant: caller.tenant, every: "6h" }]);
    expect((await put("0 3 * * *")).json).toMatchObject({ reindex: { every: "0 3 * * *" } });
    expect((await put(null)).json).toMatchObject({ reindex: { every: null } });
    expect(await due(Date.now() + 30 * 86_400_000)).toEqual([]);
    expect((await caller.send("GET", `/v1/codebases/${id}`)).json).toMatchObject({ reindex: { every: null } });
    for (const every of ["1m", "* * * * *", "", 6]) expectProblem(await put(every), 422, "every");
    expectProblem(
      await caller.send("PUT", "/v1/codebases/cdb_00000000000000000000000000/reindex", { every: "1h" }),
      404,
    );
    expectProblem(await (await makeCaller()).send("PUT", `/v1/codebases/${id}/reindex`, { every: "1h" }), 404);
    const acts = (await caller.send("GET", `/v1/audit?target=${id}&action=codebase.schedule`)).json.data;
    expect(acts).toHaveLength(3);
  });

  test("is searched by an administrator without regard to its lists", async () => {
    const caller = await makeCaller();
    await addShop(caller, { agents: [] });
    const found = await caller.send("POST", "/v1/codebases/search", { query: "addItem", codebase: "shop" });
    expect(found.json).toMatchObject({
      query: "addItem",
      results: [{ file: "src/cart.ts", codebase: "shop", symbol: "addItem", start_line: 2, end_line: 4, commit: null }],
      searched: [{ name: "shop", files: 2, status: "ready" }],
    });
    const nothing = await (await makeCaller()).send("POST", "/v1/codebases/search", { query: "addItem" });
    expect(nothing.json).toEqual({ query: "addItem", results: [], searched: [] });
    expectProblem(await caller.send("POST", "/v1/codebases/search", { query: "x", codebase: "web" }), 404, "codebase");
    const reader = await makeCaller(["tasks:read"]);
    expectProblem(await reader.send("POST", "/v1/codebases/search", { query: "addItem" }), 403);
  });

  test("says why it could not be indexed", async () => {
    const caller = await makeCaller();
    const zip = await uploadZip(caller, { "a.py": "x = 1\n" });
    const broken = new Uint8Array([0x50, 0x4b, 3, 4, ...Array.from({ length: 60 }, () => 7)]);
    const stored = await caller.send("POST", "/v1/codebases/archives", broken, ZIP);
    expect(stored.json.hash).not.toBe(zip);
    const made = await caller.send("POST", "/v1/codebases", {
      name: "broken",
      source: { zip: stored.json.hash },
      agents: ["default"],
    });
    await untilIndexed(caller, made.json.id);
    const { json } = await caller.send("GET", `/v1/codebases/${made.json.id}`);
    expect(json).toMatchObject({ status: "failed", error: expect.stringContaining("no ZIP file"), files: 0 });
  });

  test.each<[object, string]>([
    [{ source: { project: "x" }, agents: ["a"] }, "name"],
    [{ name: "Shop", source: { project: "x" }, agents: ["a"] }, "name"],
    [{ name: "shop", source: { project: "x" } }, "agents"],
    [{ name: "shop", source: { project: "x" }, agents: ["a"] }, "agents.0"],
    [{ name: "shop", source: { git: "http://example.com/a.git" }, agents: ["a"] }, "source.git"],
    [{ name: "shop", source: { git: "https://10.0.0.1/a.git" }, agents: ["a"] }, "source.git"],
    [{ name: "shop", source: { path: "/srv/code" }, agents: ["a"] }, "source"],
  ])("is refused as %j", async (given, field) => {
    expectProblem(await (await makeCaller()).send("POST", "/v1/codebases", given), 422, field);
  });

  test("needs the scope admin, and an archive its type", async () => {
    const reader = await makeCaller(["tasks:read", "tasks:write"]);
    expectProblem(await reader.send("GET", "/v1/codebases"), 403);
    expectProblem(await reader.send("POST", "/v1/codebases", { name: "a", source: { project: "x" }, agents: [] }), 403);
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/codebases/archives", "{}"), 415);
    expectProblem(await caller.send("POST", "/v1/codebases/archives", "no zip", ZIP), 422);
  });
});
