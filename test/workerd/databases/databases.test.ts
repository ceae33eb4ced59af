/** Databases through the API and through tasks: who may use one, what its check decides, and that its address is in no answer. */
import { beforeEach, describe, expect, inject, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

const { reader, writer } = inject("servers").postgres;
const CANARY = /canary-of-postgres|postgres:\/\//;
const SELECT = "select customer from orders order by id";

let caller: Caller;
let agent: string;
beforeEach(async () => {
  caller = await makeCaller();
  agent = await makeAgent("analyst");
});

async function makeAgent(name: string): Promise<string> {
  const made = await caller.send("POST", "/v1/agents", config(name, { permissions: ["read", "network"] }));
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

async function add(more: Record<string, unknown> = {}): Promise<string> {
  const name = `db${crypto.randomUUID().slice(0, 8)}`;
  const body = { name, kind: "postgres", dsn: reader, tls: "off", agents: [agent], ...more };
  const made = await caller.send("POST", "/v1/databases", body);
  expect(made.status, made.text).toBe(201);
  expect(made.text).not.toMatch(CANARY);
  return name;
}

const check = async (name: string) => await caller.send("POST", `/v1/databases/${name}/check`);
const change = async (name: string, body: unknown) => await caller.send("PATCH", `/v1/databases/${name}`, body);

/** Calls the tool over the API as this agent. */
async function query(more: Record<string, unknown> = {}, as: string | undefined = agent) {
  const given = { query: SELECT, ...more };
  const called = await caller.send("POST", "/v1/tools/query_database/call", { arguments: given, agent: as });
  expect(called.text).not.toMatch(CANARY);
  return called.json;
}

const failsWith = (code: string) => ({ ok: false, error: { code } });

describe("a database in the API", () => {
  test("is added, shown, listed, changed and deleted without its address, and each act is audited", async () => {
    const name = await add({ tables: { deny: ["salaries"] } });
    const shown = await caller.send("GET", `/v1/databases/${name}`);
    expect(shown.json).toMatchObject({
      name,
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      agents: ["analyst"],
      projects: null,
      people: null,
      tls: "off",
      tables: { deny: ["salaries"] },
      max_rows: 1_000,
      status: "unchecked",
      check: null,
      version: 1,
    });
    expect((await caller.send("GET", "/v1/databases")).json.data).toEqual([shown.json]);
    expect((await change(name, { schemas: ["public"] })).json).toMatchObject({ schemas: ["public"] });
    expect((await change(name, { max_rows: 6 })).json).toMatchObject({ schemas: ["public"], max_rows: 6 });
    expect((await change(name, { schemas: null })).json).not.toHaveProperty("schemas");
    const changed = await change(name, { agents: null, projects: ["books"], max_rows: 5 });
    expect(changed.json).toMatchObject({ agents: null, projects: ["books"], max_rows: 5, version: 5 });
    expectProblem(await change(name, { projects: null }), 422, "agents");
    expect((await caller.send("DELETE", `/v1/databases/${name}`)).status).toBe(200);
    expectProblem(await caller.send("GET", `/v1/databases/${name}`), 404);
    const audit = await caller.send("GET", `/v1/audit?target=${shown.json.id}`);
    expect(audit.json.data.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      "database.create",
      "database.delete",
      "database.update",
      "database.update",
      "database.update",
      "database.update",
    ]);
    expect(audit.text + shown.text + changed.text).not.toMatch(CANARY);
  });

  test("keeps the lists that a reply shows when they are sent back, after a person of them was deleted", async () => {
    const { id } = (await caller.send("POST", "/v1/people", { name: "Ana" })).json;
    const name = await add();
    expect((await change(name, { people: [id] })).json).toMatchObject({ people: [id] });
    expect((await caller.send("DELETE", `/v1/people/${id}`)).status).toBe(200);
    const { people } = (await caller.send("GET", `/v1/databases/${name}`)).json;
    expect((await change(name, { people, max_rows: 7 })).json).toMatchObject({ people: [id], max_rows: 7 });
    const body = { name: "another", kind: "postgres", dsn: reader, people };
    expectProblem(await caller.send("POST", "/v1/databases", body), 422, "people.0");
    expect((await change(name, { people: [] })).json).toMatchObject({ people: [] });
    expectProblem(await change(name, { people: [id] }), 422, "people.0");
  });

  test.each([
    [{ agents: undefined }, "agents"],
    [{ agents: ["nobody"] }, "agents.0"],
    [{ people: ["per_00000000000000000000000000"] }, "people.0"],
    [{ kind: "mysql" }, "kind"],
    [{ dsn: "mysql://canary:canary@db.example.com/x" }, "dsn"],
    [{ dsn: `${reader}?sslmode=disable` }, "dsn"],
    [{ max_rows: 100_000 }, "max_rows"],
    [{ timeout_s: 0 }, "timeout_s"],
    [{ name: "a b" }, "name"],
    [{ unknown: 1 }, "unknown"],
  ])("refuses %j", async (more, field) => {
    const body = { name: "x", kind: "postgres", dsn: reader, agents: [agent], ...more };
    const refused = await caller.send("POST", "/v1/databases", body);
    expectProblem(refused, 422, field);
    expect(refused.text).not.toMatch(/canary/);
  });

  test("is for administrators", async () => {
    const name = await add();
    const key = await caller.send("POST", "/v1/keys", {
      name: "k",
      scopes: ["tasks:read", "tasks:write", "tools:call"],
    });
    const other = { authorization: `Bearer ${key.json.key}` };
    for (const [method, path] of [
      ["GET", "/v1/databases"],
      ["GET", `/v1/databases/${name}`],
      ["POST", `/v1/databases/${name}/check`],
      ["DELETE", `/v1/databases/${name}`],
    ] as const)
      expectProblem(await caller.send(method, path, undefined, other), 403);
  });
});

describe("a check", () => {
  test("opens a database whose role only reads, and another address closes it again", async () => {
    const name = await add();
    expect(await query()).toMatchObject(failsWith("not_available"));
    expect((await check(name)).json).toMatchObject({
      status: "ready",
      check: { role: "reader", grants: [], tables: ["orders"] },
      version: 1,
    });
    expect(await query()).toMatchObject({ ok: true });
    expect((await change(name, { dsn: writer })).json).toMatchObject({ status: "unchecked", check: null });
    expect(await query()).toMatchObject(failsWith("not_available"));
  });

  test("rejects a role that may write, and names its grants, unless the record accepts it", async () => {
    const name = await add({ dsn: writer });
    const rejected = (await check(name)).json;
    expect(rejected).toMatchObject({
      status: "rejected",
      check: { grants: expect.arrayContaining(["DELETE on table public.orders"]) },
    });
    expect(await query()).toMatchObject(failsWith("not_available"));
    expect((await change(name, { accept_writing_role: true })).json).toMatchObject({ status: "ready" });
    expect(await query()).toMatchObject({ ok: true });
    expect(await query({ query: "delete from orders" })).toMatchObject(failsWith("invalid_input"));
    expect((await change(name, { accept_writing_role: false })).json).toMatchObject({ status: "rejected" });
  });

  test.each([
    [{ dsn: "postgres://a:canary-of-postgres@10.0.0.1/x" }, 403],
    [{ dsn: "postgres://a:canary-of-postgres@metadata.internal/x" }, 403],
    [{ tls: "require" }, 503],
    [{ dsn: reader.replace("canary-of-postgres", "wrong") }, 403],
  ])("reports a database that it cannot reach: %j", async (more, status) => {
    const refused = await check(await add(more));
    expect(refused.status, refused.text).toBe(status);
    expect(refused.text).not.toMatch(CANARY);
  });
});

describe("query_database", () => {
  test("returns rows, and names the tables to a query that names none", async () => {
    const name = await add();
    await check(name);
    expect(await query()).toMatchObject({
      ok: true,
      result: {
        database: name,
        sql: SELECT,
        columns: ["customer"],
        rows: [["Ana"], ["Ben"]],
        row_count: 2,
        truncated: false,
        explanation: null,
        rephrased_query: null,
      },
    });
    expect(await query({ query: "select * from order_lines" })).toMatchObject({
      ok: false,
      error: { code: "not_found", message: expect.stringContaining("It opens: orders.") },
    });
  });

  test("answers a question in plain words by the task's model, in a call and in a task, which is charged for it", async () => {
    await check(await add());
    const answer = { sql: "select count(*) from orders", explanation: "Counts.", rephrased_query: "How many orders?" };
    const reply = { calls: [{ name: "answer", arguments: answer }], usage: { input: 7_000, output: 40 } };
    const asked = { query: `How many orders are there? OBEY:${btoa(JSON.stringify(reply))}:` };
    expect(await query(asked)).toMatchObject({
      ok: true,
      result: { sql: expect.stringContaining("orders"), row_count: 1 },
    });
    const { id } = await caller.makeTask(
      [{ calls: [{ name: "query_database", arguments: asked }], usage: { input: 10, output: 5 } }, { text: "Done." }],
      { agent },
    );
    const task = await caller.until(id, ({ status }: TaskView) => status === "completed");
    expect(task.usage.input_tokens).toBeGreaterThanOrEqual(7_010);
    const trace = await caller.send("GET", `/v1/tasks/${id}/trace`);
    expect(trace.json.steps[0].usage).toMatchObject({ input_tokens: 7_010, output_tokens: 45 });
  });

  test("says so if the model answers a question in another form", async () => {
    await check(await add());
    expect(await query({ query: "How many orders are there?" })).toMatchObject(failsWith("upstream_failed"));
  });

  test("serves the agents of its list alone, and of several lists only who is in each", async () => {
    const other = await makeAgent("other");
    const name = await add();
    await check(name);
    expect(await query({ database_name: name }, other)).toMatchObject(failsWith("permission_denied"));
    expect(await query({}, other)).toMatchObject(failsWith("not_found"));
    expect(await query({}, "default")).toMatchObject(failsWith("not_found"));
    await change(name, { projects: [] });
    expect(await query()).toMatchObject(failsWith("not_found"));
    await change(name, { agents: [], projects: null });
    expect(await query()).toMatchObject(failsWith("not_found"));
  });

  test("serves the tasks of a project, and no others", async () => {
    const name = await add({ agents: undefined, projects: ["books"] });
    await check(name);
    const run = async (project: string | undefined) => {
      const calls = [{ name: "query_database", arguments: { query: SELECT } }];
      const { id } = await caller.makeTask([{ calls }, { text: "Done." }], { agent, project });
      await caller.until(id, ({ status }: TaskView) => status === "completed");
      const ledger = await caller.send("GET", `/v1/tasks/${id}/ledger`);
      expect(ledger.text).not.toMatch(CANARY);
      return ledger.json.data[0].result;
    };
    expect(await run("books")).toMatchObject({ ok: true, result: { rows: [["Ana"], ["Ben"]] } });
    expect(await run("other")).toMatchObject(failsWith("not_found"));
    expect(await run(undefined)).toMatchObject(failsWith("not_found"));
  });

  test("acts through the database as its account, in the approval, the ledger and the trace", async () => {
    const name = await add({ agents: undefined, projects: ["books"] });
    await check(name);
    const asks = { permissions: ["read", "network"], approval: { cautious: "ask" } };
    const made = await caller.send("POST", "/v1/agents", config("careful", asks));
    const calls = [{ name: "query_database", arguments: { query: SELECT } }];
    const task = await caller.makeTask([{ calls }, { text: "Done." }], { agent: made.json.id, project: "books" });
    const waiting = await caller.until(task.id, ({ status }: TaskView) => status === "waiting_approval");
    const account = {
      connection: expect.stringMatching(/^dbs_/),
      app: "database",
      provider: "database",
      owner: { kind: "shared" },
      label: name,
    };
    expect(waiting.pending).toMatchObject([{ kind: "approval", account }]);
    const [pending] = waiting.pending as readonly { id: string }[];
    await caller.send("POST", `/v1/tasks/${task.id}/approvals/${pending?.id}`, { decision: "approve" });
    await caller.until(task.id, ({ status }: TaskView) => status === "completed");
    const [row] = (await caller.send("GET", `/v1/tasks/${task.id}/ledger`)).json.data;
    expect(row).toMatchObject({ state: "confirmed", account, result: { ok: true } });
    const trace = await caller.send("GET", `/v1/tasks/${task.id}/trace`);
    expect(trace.text).toContain(`"provider":"database"`);
  });

  test("asks nobody to approve a query of a closed database, and does not run one that was closed meanwhile", async () => {
    const name = await add({ agents: undefined, projects: ["books"] });
    await check(name);
    const asks = { permissions: ["read", "network"], approval: { cautious: "ask" } };
    const made = await caller.send("POST", "/v1/agents", config("careful", asks));
    const calls = [{ name: "query_database", arguments: { query: SELECT, database_name: name } }];
    const start = async (project: string) =>
      await caller.makeTask([{ calls }, { text: "Done." }], { agent: made.json.id, project });
    const closed = await start("other");
    await caller.until(closed.id, ({ status }: TaskView) => status === "completed");
    const task = await start("books");
    const waiting = await caller.until(task.id, ({ status }: TaskView) => status === "waiting_approval");
    await change(name, { projects: [] });
    const [pending] = waiting.pending as readonly { id: string }[];
    await caller.send("POST", `/v1/tasks/${task.id}/approvals/${pending?.id}`, { decision: "approve" });
    await caller.until(task.id, ({ status }: TaskView) => status === "completed");
    for (const { id } of [closed, task]) {
      const [row] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
      expect(row).toMatchObject({ result: failsWith("permission_denied") });
    }
  });

  test("of another tenant with the same name stays closed", async () => {
    const name = await add();
    await check(name);
    const stranger = await makeCaller();
    const called = await stranger.send("POST", "/v1/tools/query_database/call", {
      arguments: { query: SELECT, database_name: name },
    });
    expect(called.json).toMatchObject(failsWith("not_found"));
  });
});
