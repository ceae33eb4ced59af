/** Keys with bounds: the content that they see, the tasks that they may start, and the routes that they never reach. */
import { describe, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, knock, makeCaller, open } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

const SCOPES = ["tasks:read", "tasks:write", "tools:call"];
const completed = ({ status }: TaskView) => status === "completed";

/** A second key of the same tenant. */
async function bind(caller: Caller, bounds: object): Promise<Caller & { readonly id: string }> {
  const made = await caller.send("POST", "/v1/keys", { name: "bound", scopes: SCOPES, ...bounds });
  expect(made.status, made.text).toBe(201);
  const { id, key } = made.json;
  const send: Caller["send"] = async (method, path, body, headers = {}) =>
    await knock(method, path, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...caller, id, key, send };
}

async function makeTask(caller: Caller, project: string | null): Promise<string> {
  const replies = [{ text: `of ${project}` }];
  const { id } = await caller.makeTask(replies, project === null ? {} : { project });
  await caller.until(id, completed);
  return id;
}

async function remember(caller: Caller, project: string | null): Promise<string> {
  const made = await caller.send("POST", "/v1/memory", { content: `note of ${project}`, project });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

const idsOf = (answer: { json: { data: { id: string }[] } }) => answer.json.data.map(({ id }) => id).toSorted();

describe("a key with projects", () => {
  test("sees the tasks, files, memory and projects of its bounds, and 404 for all others", async () => {
    const caller = await makeCaller();
    const key = await bind(caller, { projects: ["sales", "support"] });
    const [sales, legal, none] = [
      await makeTask(caller, "sales"),
      await makeTask(caller, "legal"),
      await makeTask(caller, null),
    ];
    expect(idsOf(await key.send("GET", "/v1/tasks"))).toEqual([sales]);
    expect(idsOf(await key.send("GET", "/v1/tasks?view=short"))).toEqual([sales]);
    expect(idsOf(await key.send("GET", "/v1/tasks?project=legal"))).toEqual([]);
    expect(idsOf(await caller.send("GET", "/v1/tasks"))).toEqual([sales, legal, none].toSorted());
    for (const path of ["", "/log", "/ledger", "/trace", "/files", "/subtasks", "/tree", "/events"]) {
      for (const id of [legal, none]) expectProblem(await key.send("GET", `/v1/tasks/${id}${path}`), 404);
      expect((await key.send("GET", `/v1/tasks/${sales}${path}`)).status, path).toBe(200);
    }
    expectProblem(await key.send("GET", `/v1/tasks/%74ask_${legal.slice(5)}`), 404);
    expectProblem(await key.send("PUT", `/v1/tasks/${legal}/files/a.txt`, "x"), 404);
    expectProblem(await key.send("DELETE", `/v1/tasks/${legal}`), 404);
    expectProblem(await key.send("POST", `/v1/tasks/${legal}/cancel`, {}), 404);
    const foreign = await key.send("GET", `/v1/tasks/${legal}`);
    const unknown = await key.send("GET", "/v1/tasks/task_00000000000000000000000000");
    expect({ ...foreign.json, request_id: "" }).toEqual({ ...unknown.json, request_id: "" });

    const [own, other, shared] = [
      await remember(caller, "sales"),
      await remember(caller, "legal"),
      await remember(caller, null),
    ];
    for (const path of ["/v1/memory", "/v1/memory?query=note", "/v1/memory?project=sales"]) {
      const { data } = (await key.send("GET", path)).json;
      // The task that ended has left a summary.
      expect(data.map(({ project }: { project: string | null }) => project)).toEqual(data.map(() => "sales"));
      expect(idsOf({ json: { data } }), path).toContain(own);
    }
    expectProblem(await key.send("GET", "/v1/memory?project=legal"), 404);
    expectProblem(await key.send("GET", "/v1/memory?scope=tenant"), 403);
    for (const id of [other, shared]) {
      expectProblem(await key.send("GET", `/v1/memory/${id}`), 404);
      expectProblem(await key.send("DELETE", `/v1/memory/${id}`), 404);
    }
    expectProblem(await key.send("POST", "/v1/memory", { content: "x", project: "legal" }), 404, "project");
    expectProblem(await key.send("POST", "/v1/memory", { content: "x" }), 422, "project");
    expect((await key.send("POST", "/v1/memory", { content: "x", project: "support" })).status).toBe(201);
    expect((await key.send("GET", `/v1/memory/${own}`)).status).toBe(200);
    expect((await key.send("GET", "/v1/projects")).json.data.map(({ name }: { name: string }) => name)).toEqual([
      "sales",
      "support",
    ]);
    expectProblem(await key.send("GET", "/v1/projects/legal"), 404);
  });

  test("starts tasks and makes calls in them only", async () => {
    const caller = await makeCaller();
    const key = await bind(caller, { projects: ["sales"] });
    expectProblem(await key.send("POST", "/v1/tasks", { input: "x" }), 422, "project");
    expectProblem(await key.send("POST", "/v1/tasks", { input: "x", project: "legal" }), 404, "project");
    expect((await key.send("POST", "/v1/tasks", { input: "x", project: "sales" })).status).toBe(201);
    const call = async (body: object) =>
      await key.send("POST", "/v1/tools/evaluate_expression/call", { arguments: { expression: "1+1" }, ...body });
    expectProblem(await call({}), 422, "project");
    expectProblem(await call({ project: "legal" }), 404, "project");
    expect((await call({ project: "sales" })).json).toMatchObject({ ok: true });
    const held = (await caller.send("POST", "/v1/tasks", { input: "x", project: "legal", hold: true })).json.id;
    expectProblem(await call({ task_id: held }), 404, "task_id");
    expectProblem(await key.send("POST", `/v1/tasks/${held}/start`, {}), 404);
  });

  test("finds only its projects' entries in the inbox and in the live feed", async () => {
    const caller = await makeCaller();
    const key = await bind(caller, { projects: ["sales"] });
    const feed = await open(key, "/v1/events");
    expect(feed.status).toBe(200);
    const ask = { calls: [{ name: "ask_human", arguments: { query: "Well?" } }] };
    const asking = async (project: string) => {
      const { id } = await caller.makeTask([ask], { project });
      await caller.until(id, ({ status }) => status === "waiting_input");
      return id;
    };
    const [legal, sales] = [await asking("legal"), await asking("sales")];
    for (const view of ["", "?view=short"]) {
      const { json } = await key.send("GET", `/v1/inbox${view}`);
      expect([json.total, json.data.map(({ task }: { task: { id: string } }) => task.id)]).toEqual([1, [sales]]);
    }
    expect((await caller.send("GET", "/v1/inbox")).json.total).toBe(2);
    const reader = (feed.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes('"status":"waiting_input"')) text += (await reader.read()).value ?? "";
    await reader.cancel();
    expect(text).toContain(sales);
    expect(text).not.toContain(legal);
  });

  test("reaches no route of the tenant as a whole, and stops working when it is revoked", async () => {
    const caller = await makeCaller();
    const key = await bind(caller, { projects: ["sales"] });
    for (const [method, path] of [
      ["GET", "/v1/schedules"],
      ["GET", "/v1/deliveries"],
      ["GET", "/v1/webhooks"],
      ["GET", "/v1/incoming-webhooks"],
      ["GET", "/v1/mail"],
      ["GET", "/v1/keys"],
      ["POST", "/webhook/orders"],
    ] as const)
      expectProblem(await key.send(method, path, method === "POST" ? {} : undefined), 403);
    for (const path of ["/v1/people", "/v1/tools", "/v1/skills"])
      expect((await key.send("GET", path)).status, path).toBe(200);
    expect((await caller.send("DELETE", `/v1/keys/${key.id}`)).json).toMatchObject({
      projects: ["sales"],
      agents: null,
    });
    expectProblem(await key.send("GET", "/v1/tasks"), 401);
  });
});

describe("a key with agents", () => {
  test("starts tasks of these agents only, even if the request names no agent", async () => {
    const caller = await makeCaller();
    const mine = (await caller.send("POST", "/v1/agents", config("mine"))).json.id;
    await caller.send("POST", "/v1/agents", config("other"));
    const key = await bind(caller, { agents: ["mine"] });
    expect((await key.send("POST", "/v1/tasks", { input: "x", agent: "mine" })).status).toBe(201);
    expect((await key.send("POST", "/v1/tasks", { input: "x", agent: mine })).status).toBe(201);
    for (const more of [{}, { agent: "other" }, { agent: "agent_default" }])
      expectProblem(await key.send("POST", "/v1/tasks", { input: "x", ...more }), 403);
    const call = async (body: object) =>
      await key.send("POST", "/v1/tools/evaluate_expression/call", { arguments: { expression: "1+1" }, ...body });
    expectProblem(await call({}), 403);
    expect((await call({ agent: "mine" })).json).toMatchObject({ ok: true });
    const held = (await caller.send("POST", "/v1/tasks", { input: "x", hold: true })).json.id;
    expectProblem(await call({ task_id: held }), 403);
    expectProblem(await key.send("POST", `/v1/tasks/${held}/start`, {}), 403);
    expect((await key.send("GET", `/v1/tasks/${held}`)).status).toBe(200);
    expectProblem(await key.send("POST", "/webhook/orders", {}), 403);
  });

  test("reads and cancels tasks of other agents, but cannot direct them", async () => {
    const caller = await makeCaller();
    await caller.send("POST", "/v1/agents", config("mine"));
    await caller.send("POST", "/v1/agents", { ...config("other"), permissions: ["read", "write", "network"] });
    const key = await bind(caller, { agents: ["mine"] });
    const asks = [{ calls: [{ name: "ask_human", arguments: { query: "Well?" } }] }, { text: "done" }];
    const ask = async (agent: string) => {
      const { id } = await caller.makeTask(asks, { agent });
      const [question] = (await caller.until(id, ({ pending }) => pending.length > 0)).pending;
      return { id, question: question?.kind === "question" ? question.id : "" };
    };
    const [mine, other] = [await ask("mine"), await ask("other")];
    const path = `/v1/tasks/${other.id}`;
    for (const [method, below, body] of [
      ["POST", "/messages", { text: "Send all to me." }],
      ["POST", `/questions/${other.question}/answer`, { text: "Yes." }],
      ["POST", "/approvals/ap_0", { decision: "approve" }],
      ["POST", "/ledger/call_0", { decision: "retry" }],
      ["PUT", "/files/a.txt", "x"],
      ["PUT", "/files/cancel", "x"],
      ["DELETE", "/files/a.txt", undefined],
      ["POST", "/file-versions/a.txt", { version: 1 }],
      ["POST", "/start", {}],
      ["DELETE", "", undefined],
    ] as const) {
      const refused = await key.send(method, `${path}${below}`, body);
      expectProblem(refused, 403);
      expect(refused.json.detail, below).toContain("this task's agent, other, is not one of them");
    }
    for (const below of ["", "/ledger", "/files"]) expect((await key.send("GET", `${path}${below}`)).status).toBe(200);
    expect((await key.send("POST", `${path}/cancel`, {})).status).toBe(202);
    const answer = { text: "Yes." };
    const answered = await key.send("POST", `/v1/tasks/${mine.id}/questions/${mine.question}/answer`, answer);
    expect(answered.status, answered.text).toBe(200);
    await caller.until(mine.id, completed);
  });
});

describe("making a bound key", () => {
  test("shows its bounds, and accepts agents of this tenant only, by id or name", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const own = (await caller.send("POST", "/v1/agents", config("own"))).json.id;
    const body = { name: "k", scopes: SCOPES, projects: ["sales", "sales"], agents: ["own", own, "default"] };
    const made = await caller.send("POST", "/v1/keys", body);
    expect(made.json).toMatchObject({ projects: ["sales"], agents: [own, "agent_default"] });
    const { data } = (await caller.send("GET", "/v1/keys")).json;
    expect(data.map(({ projects }: { projects: string[] | null }) => projects)).toEqual([["sales"], null]);
    expectProblem(await other.send("POST", "/v1/keys", { ...body, agents: [own] }), 422, "agents.0");
  });

  test.each([
    [{ projects: [] }, "projects"],
    [{ projects: ["a b"] }, "projects.0"],
    [{ agents: [] }, "agents"],
    [{ agents: ["nobody"] }, "agents.0"],
    [{ projects: ["sales"], scopes: ["tasks:read", "admin"] }, "scopes"],
    [{ agents: ["default"], scopes: ["admin"] }, "scopes"],
    [{ person: "per_1" }, "person"],
  ])("refuses %j", async (more, field) => {
    const caller = await makeCaller();
    const refused = await caller.send("POST", "/v1/keys", { name: "k", scopes: SCOPES, ...more });
    expectProblem(refused, 422, field);
  });
});
