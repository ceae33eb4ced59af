import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { sweep } from "../../../workers/sweep.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

interface MemoryView {
  readonly id: string;
  readonly content: string;
  readonly kind: string;
  readonly project: string | null;
  readonly source_task: string | null;
  readonly embedding: string | null;
}

const CONTENT = "The customer database runs on Postgres.";

const listed = async (caller: Caller, query = ""): Promise<MemoryView[]> =>
  (await caller.send("GET", `/v1/memory${query}`)).json.data;

const save = async (caller: Caller, body: object) => {
  const answer = await caller.send("POST", "/v1/memory", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json as MemoryView;
};

/** The summaries that a tenant's tasks left, as soon as there are so many. */
const summaries = async (caller: Caller, count: number): Promise<MemoryView[]> =>
  await vi.waitFor(
    async () => {
      const found = (await listed(caller)).filter(({ kind }) => kind === "summary");
      expect(found).toHaveLength(count);
      expect(found.every(({ embedding }) => embedding !== null)).toBe(true);
      return found;
    },
    { timeout: 20_000, interval: 50 },
  );

const call = async (caller: Caller, name: string, given: object, more: object = {}) =>
  (await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, ...more })).json;

describe("memory over the API", () => {
  test("is saved, read, listed, searched, changed and deleted", async () => {
    const caller = await makeCaller();
    const saved = await save(caller, { content: CONTENT, tags: ["infra"], project: "sales" });
    expect(saved).toMatchObject({
      content: CONTENT,
      tags: ["infra"],
      project: "sales",
      kind: "note",
      source_task: null,
    });
    expect(saved).toMatchObject({ embedding: "hashing", author: expect.stringMatching(/^key_/) });
    const path = `/v1/memory/${saved.id}`;
    expect((await caller.send("GET", path)).json).toEqual(saved);
    expect(await listed(caller)).toEqual([saved]);
    const found = (await caller.send("GET", "/v1/memory?query=where%20is%20the%20customer%20database")).json;
    expect(found).toMatchObject({
      data: [{ ...saved, score: expect.any(Number), matched_tags: [] }],
      next_cursor: null,
    });
    const changed = await caller.send("PUT", path, { content: "Tea is in the kitchen." });
    expect([changed.status, changed.json.content, changed.json.tags]).toEqual([
      200,
      "Tea is in the kitchen.",
      ["infra"],
    ]);
    expect(await listed(caller, "?query=customer%20database")).toEqual([]);
    expect(await listed(caller, "?query=tea%20kitchen")).toHaveLength(1);
    expect((await caller.send("DELETE", path)).json).toMatchObject({ id: saved.id });
    expectProblem(await caller.send("GET", path), 404);
    expectProblem(await caller.send("DELETE", path), 404);
    const acts = (await caller.send("GET", "/v1/audit")).json.data;
    expect(acts.map(({ action, target }: { action: string; target: string }) => [action, target])).toEqual([
      ["memory.delete", saved.id],
      ["memory.update", saved.id],
      ["memory.create", saved.id],
    ]);
  });

  test("is returned byte for byte, and a repeat returns the existing one", async () => {
    const caller = await makeCaller();
    const content = ` é e\u0301 🦦 \u200b\u0001 "'\\{}\r\n\t\u2028 -- `;
    const saved = await save(caller, { content, tags: ["Ünïcode 🦦", "a,b"] });
    expect((await caller.send("GET", `/v1/memory/${saved.id}`)).json).toMatchObject({
      content,
      tags: ["Ünïcode 🦦", "a,b"],
    });
    const trimmed = await caller.send("POST", "/v1/memory", { content: content.trim() });
    expect([trimmed.status, trimmed.json.content]).toEqual([201, content.trim()]);
    const again = await caller.send("POST", "/v1/memory", { content, tags: ["c"] });
    expect([again.status, again.json.id, again.json.content]).toEqual([200, saved.id, content]);
    expect(again.json.tags).toEqual(["Ünïcode 🦦", "a,b", "c"]);
  });

  test("is made once under its key", async () => {
    const caller = await makeCaller();
    const make = async () =>
      await caller.send("POST", "/v1/memory", { content: CONTENT }, { "idempotency-key": "one" });
    expect((await make()).text).toBe((await make()).text);
    expect(await listed(caller)).toHaveLength(1);
  });

  test("is narrowed by project, to what is of no project, and by tag, page by page", async () => {
    const caller = await makeCaller();
    for (const [index, project] of ["a", "a", "b", null, null].entries())
      await save(caller, { content: `number ${index}`, project, tags: index % 2 === 0 ? ["even"] : [] });
    const count = async (query: string) => (await listed(caller, query)).length;
    expect([await count("?project=a"), await count("?project=b"), await count("?project=c")]).toEqual([2, 1, 0]);
    expect([await count("?scope=tenant"), await count("?tag=even"), await count("?tag=even&project=a")]).toEqual([
      2, 3, 1,
    ]);
    expect(await count("?query=number&project=b")).toBe(1);
    expect(await count("?query=number&tag=even")).toBe(3);
    expect(await count("?tag=EVEN")).toBe(3);
    const first = (await caller.send("GET", "/v1/memory?limit=3")).json;
    const second = (await caller.send("GET", `/v1/memory?limit=3&cursor=${first.next_cursor}`)).json;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([3, 2, null]);
  });

  test("is found by its tag, in the query or as a filter, though no word of the text is near", async () => {
    const caller = await makeCaller();
    await save(caller, { content: "zebra giraffe", tags: ["Quarterly report"] });
    await save(caller, { content: "Tea is in the kitchen." });
    const found = await listed(caller, "?query=the%20quarterly%20report");
    expect(found).toMatchObject([{ content: "zebra giraffe", matched_tags: ["Quarterly report"] }]);
    expect(await listed(caller, "?query=tea&tag=quarterly%20report")).toMatchObject([{ content: "zebra giraffe" }]);
    expect(await listed(caller, "?tag=quarterly%20report&kind=note")).toHaveLength(1);
    expect(await listed(caller, "?tag=quarterly%20report&kind=summary")).toEqual([]);
    expect(await listed(caller, "?query=quarterly%20report&kind=summary")).toEqual([]);
  });

  test.each([
    [{ content: "" }, "content"],
    [{ content: " \n " }, "content"],
    [{ content: "a\u0000b" }, "content"],
    [{ content: "half \ud800" }, "content"],
    [{ content: "🦦".repeat(4_001) }, "content"],
    [{ content: 7 }, "content"],
    [{}, "content"],
    [{ content: "x", tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, "tags"],
    [{ content: "x", tags: ["x".repeat(65)] }, "tags.0"],
    [{ content: "x", tags: ["ok", " "] }, "tags.1"],
    [{ content: "x", project: "no spaces" }, "project"],
    [{ content: "x", colour: "red" }, "colour"],
  ])("is refused with the field named: %j", async (body, field) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("POST", "/v1/memory", body), 422, field);
    if (!("project" in body))
      expectProblem(await caller.send("POST", "/v1/tools/memory_save/call", { arguments: body }), 422);
  });

  test("takes a text of exactly the limit, counted in characters", async () => {
    const caller = await makeCaller();
    const content = "🦦".repeat(4_000);
    expect(await save(caller, { content })).toMatchObject({ content });
  });

  test.each([
    ["?query=x&cursor=abc", "cursor"],
    ["?query=x&limit=21", "limit"],
    [`?query=${"x".repeat(2_001)}`, "query"],
    ["?project=a%20b", "project"],
    ["?project=a&scope=tenant", "scope"],
    ["?scope=project", "scope"],
    ["?kind=fact", "kind"],
    ["?cursor=!", "cursor"],
    ["?colour=red", "colour"],
  ])("does not list by %s", async (query, field) => {
    const caller = await makeCaller();
    expectProblem(await caller.send("GET", `/v1/memory${query}`), 422, field);
  });

  test("cannot become what another memory of its project says", async () => {
    const caller = await makeCaller();
    const [one, two] = [await save(caller, { content: "one" }), await save(caller, { content: "two" })];
    expectProblem(await caller.send("PUT", `/v1/memory/${two.id}`, { content: "one" }), 409, "content");
    expectProblem(await caller.send("PUT", `/v1/memory/${two.id}`, {}), 422, "content");
    expect((await caller.send("PUT", `/v1/memory/${one.id}`, { tags: ["t"] })).json).toMatchObject({ tags: ["t"] });
  });

  test("needs the scopes of tasks", async () => {
    const [reader, other] = [await makeCaller(["tasks:read"]), await makeCaller(["tools:call"])];
    expect((await reader.send("GET", "/v1/memory")).status).toBe(200);
    expectProblem(await reader.send("POST", "/v1/memory", { content: "x" }), 403);
    expectProblem(await reader.send("DELETE", "/v1/projects/x"), 403);
    expectProblem(await other.send("GET", "/v1/memory"), 403);
    expectProblem(await other.send("GET", "/v1/projects"), 403);
  });
});

describe("the tools of memory", () => {
  test("work by the API, each project for itself", async () => {
    const caller = await makeCaller();
    const saved = await call(caller, "memory_save", { content: CONTENT, tags: ["infra"] }, { project: "a" });
    expect(saved).toMatchObject({
      ok: true,
      result: { merged: false, searchable: true, project: "a", tags: ["infra"] },
    });
    await call(caller, "memory_save", { content: "The customer database of everybody is small." });
    const find = async (project?: string, more: object = {}) =>
      await call(
        caller,
        "memory_search",
        { query: "customer database", ...more },
        project === undefined ? {} : { project },
      );
    const projects = ({ result }: { result: { memories: MemoryView[] } }) =>
      result.memories.map(({ project }) => String(project)).toSorted();
    expect(projects(await find("a"))).toEqual(["a", "null"]);
    expect(projects(await find("b"))).toEqual(["null"]);
    expect(projects(await find())).toEqual(["null"]);
    expect(projects(await find("a", { project_id: "a" }))).toEqual(["a"]);
    for (const [project, project_id] of [
      ["b", "a"],
      [undefined, "a"],
      ["a", "none"],
    ] as const) {
      const refused = await find(project, { project_id });
      expect(refused).toMatchObject({ ok: false, error: { code: "permission_denied", field: "project_id" } });
    }
    const [stored] = await listed(caller, "?project=a");
    expect(stored).toMatchObject({ author: expect.stringMatching(/^key_/), source_task: null });
  });

  test("find nothing of another tenant", async () => {
    const [one, two] = [await makeCaller(), await makeCaller()];
    await save(one, { content: CONTENT, project: "p" });
    for (const more of [{}, { project: "p" }]) {
      const found = await call(two, "memory_search", { query: CONTENT }, more);
      expect(found).toMatchObject({ ok: true, result: { memories: [], embedder: "hashing" } });
    }
    expect(await listed(two, `?query=${encodeURIComponent(CONTENT)}`)).toEqual([]);
  });

  test("are called by a model, and the next task finds what the last one saved", async () => {
    const caller = await makeCaller();
    const first = await caller.makeTask(
      [{ calls: [{ name: "memory_save", arguments: { content: CONTENT, tags: ["infra"] } }] }, { text: "Saved." }],
      { project: "sales" },
    );
    await caller.until(first.id, ({ status }) => status === "completed");
    const [note] = (await listed(caller)).filter(({ kind }) => kind === "note");
    expect(note).toMatchObject({ source_task: first.id, author: "agent_default", project: "sales" });
    const second = await caller.makeTask(
      [{ calls: [{ name: "memory_search", arguments: { query: "customer database" } }] }, { text: "Found." }],
      { project: "sales" },
    );
    await caller.until(second.id, ({ status }) => status === "completed");
    const [row] = (await caller.send("GET", `/v1/tasks/${second.id}/ledger`)).json.data;
    expect(row.result.result.memories).toContainEqual(expect.objectContaining({ id: note?.id, content: CONTENT }));
  });
});

describe("a completed task", () => {
  const write = { calls: [{ name: "write_file", arguments: { filename: "plan.md", content: "secret-content" } }] };

  test("saves one summary, a sentence of its request and its answer", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([write, { text: "The plan is written." }], { project: "sales" });
    await caller.until(id, ({ status }) => status === "completed");
    const [left] = await summaries(caller, 1);
    expect(left).toMatchObject({ project: "sales", source_task: id, author: "agent_default", embedding: "hashing" });
    expect(left?.content).toMatch(/^Asked “[^“”\n]+”, the agent answered “The plan is written”\.$/);
    expect(await listed(caller, "?kind=summary")).toEqual([left]);
    expect(await listed(caller, "?kind=note")).toEqual([]);
    // Told again, swept and woken: still one, and none once somebody deleted it.
    const tenant = tenantsFromEnv(env)(caller.tenant);
    const view = (await caller.send("GET", `/v1/tasks/${id}`)).json;
    const again = {
      task: id,
      version: 99,
      view,
      hidden: false,
      wakeAt: null,
      key: null,
      used: { tokens: 0, costMicros: 0 },
    };
    await tenant.report(again);
    expect(await tenant.summarise()).toBe(true);
    expect(await listed(caller)).toEqual([left]);
    await caller.send("DELETE", `/v1/memory/${left?.id}`);
    await tenant.report({ ...again, version: 100 });
    await sweep(env, Date.now());
    expect(await tenant.summarise()).toBe(true);
    expect(await listed(caller)).toEqual([]);
  });

  test("saves it also if the object crashed before it was stored, or the database was unavailable", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    await caller.send("GET", "/v1/agents/agent_default");
    const real = globalThis.fetch.bind(globalThis);
    let isAway = true;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (isAway && url === env.OTTO_DATABASE_ENDPOINT) throw new TypeError("the database is away");
      return await real(input, init);
    });
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await caller.until(id, ({ status }) => status === "completed");
    const stub = env.TENANTS.get(env.TENANTS.idFromName(caller.tenant));
    const due = async () =>
      await runInDurableObject(stub, (_, state) =>
        state.storage.sql.exec<{ task: string }>("SELECT task FROM tasks WHERE summary = 'due'").toArray(),
      );
    await vi.waitFor(async () => expect(await due()).toEqual([{ task: id }]), { timeout: 20_000 });
    expect(await tenantsFromEnv(env)(caller.tenant).summarise()).toBe(false);
    expect(await due()).toEqual([{ task: id }]);
    isAway = false;
    await summaries(caller, 1);
    await vi.waitFor(async () => expect(await due()).toEqual([]), { timeout: 20_000 });
  });

  test("saves none if it failed, was a subtask, was one call, or its agent disables summaries", async () => {
    const caller = await makeCaller();
    const quiet = await caller.send("POST", "/v1/agents", {
      name: "quiet",
      instructions: "",
      tools: ["*"],
      permissions: ["read"],
      memory: { summaries: false },
    });
    expect(quiet.status, quiet.text).toBe(201);
    const cancelled = await caller.makeTask([], { hold: true });
    await caller.send("POST", `/v1/tasks/${cancelled.id}/cancel`);
    const silent = await caller.makeTask([{ text: "Done." }], { agent: "quiet" });
    await call(caller, "get_current_datetime", {});
    const dispatch = { name: "dispatch_subagent", arguments: { task_description: "Say hello" } };
    const parent = await caller.makeTask([{ calls: [dispatch] }, { text: "Both done." }]);
    for (const { id } of [silent, parent]) await caller.until(id, ({ status }) => status === "completed");
    const [only] = await summaries(caller, 1);
    expect(only).toMatchObject({ source_task: parent.id });
    expect(await tenantsFromEnv(env)(caller.tenant).summarise()).toBe(true);
    expect(await listed(caller)).toHaveLength(1);
  });

  test("that is erased takes its summary along", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await caller.until(id, ({ status }) => status === "completed");
    await summaries(caller, 1);
    expect((await caller.send("DELETE", `/v1/tasks/${id}`)).status).toBe(200);
    await vi.waitFor(async () => expect(await listed(caller)).toEqual([]), { timeout: 20_000, interval: 50 });
  });
});

describe("projects over the API", () => {
  test("are listed by name, read, and erased with their memories and shared files", async () => {
    const caller = await makeCaller();
    await save(caller, { content: CONTENT, project: "beta" });
    await save(caller, { content: "of the whole tenant" });
    const files = filesFromEnv(env, { tenant: caller.tenant, rootId: "task_x", project: "beta" });
    await files.write("project/shared.txt", new TextEncoder().encode("shared"), { key: "one" });
    const task = await caller.makeTask([{ text: "Done." }], { project: "Alpha" });
    await caller.until(task.id, ({ status }) => status === "completed");
    await summaries(caller, 1);
    const projects = (await caller.send("GET", "/v1/projects")).json;
    expect(projects).toMatchObject({
      data: [
        { name: "Alpha", tasks: 1, memories: 1 },
        { name: "beta", tasks: 0, memories: 1 },
      ],
      next_cursor: null,
    });
    const first = (await caller.send("GET", "/v1/projects?limit=1")).json;
    expect(first).toMatchObject({ data: [{ name: "Alpha" }], next_cursor: "Alpha" });
    expect((await caller.send("GET", "/v1/projects?limit=1&cursor=Alpha")).json).toMatchObject({
      data: [{ name: "beta" }],
      next_cursor: null,
    });
    expect((await caller.send("DELETE", "/v1/projects/beta")).json).toMatchObject({ name: "beta", memories: 1 });
    expect(await listed(caller, "?project=beta")).toEqual([]);
    expect(await listed(caller, "?scope=tenant")).toHaveLength(1);
    expect(await files.stat("project/shared.txt")).toMatchObject({ ok: false, error: { code: "not_found" } });
    expectProblem(await caller.send("GET", "/v1/projects/beta"), 404);
    expectProblem(await caller.send("DELETE", "/v1/projects/beta"), 404);
    expectProblem(await caller.send("GET", "/v1/projects/no%20name"), 404);
    expectProblem(await caller.send("GET", "/v1/projects?cursor=%21"), 422, "cursor");
    const [act] = (await caller.send("GET", "/v1/audit")).json.data;
    expect(act).toMatchObject({ action: "project.erase", target: "beta" });
  });

  test("are not erased under a task that lives, and nothing of a task that ended comes after", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done." }], { project: "p", hold: true });
    expectProblem(await caller.send("DELETE", "/v1/projects/p"), 409);
    await caller.send("POST", `/v1/tasks/${id}/start`);
    await caller.until(id, ({ status }) => status === "completed");
    expect((await caller.send("DELETE", "/v1/projects/p")).status).toBe(200);
    await tenantsFromEnv(env)(caller.tenant).summarise();
    expect(await listed(caller)).toEqual([]);
    expect(await databaseFromEnv(env).projects.list(caller.tenant, null, 10)).toEqual({ ok: true, value: [] });
  });
});
