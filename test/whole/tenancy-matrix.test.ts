/** Every route of the OpenAPI document, with the ids of one tenant and the key of another. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Caller,
  calling,
  scriptedInput,
  startWholeSystem,
  untilTask,
  type WholeSystem,
} from "../setup/start-system.ts";

/** A text that stands in everything that the first tenant has. */
const CANARY = "canary-7f3a9c";

/** What the first tenant has. */
interface Owned {
  readonly ended: string;
  readonly waiting: string;
  readonly question: string;
  /** A task whose subtask `part` waits for an approval. */
  readonly asking: string;
  readonly approval: string;
  readonly part: string;
  readonly call: string;
  readonly held: string;
  readonly doomed: string;
  readonly agent: string;
  readonly key: string;
  readonly tenant: string;
  readonly secret: string;
}

interface Case {
  /** The route, as the document writes it. */
  readonly route: string;
  readonly path: (owned: Owned) => string;
  readonly body?: (owned: Owned) => unknown;
  /** What the other tenant gets. A list answers 200 and holds nothing of the first tenant's. */
  readonly other: 404 | 403 | "nothing of it";
  /** What the owner gets for the same request, in this order: the route works, and 404 was about who asked. */
  readonly owner: number;
}

const agentConfig = { name: `agent-${CANARY}`, instructions: CANARY, tools: ["*"], permissions: ["read"] };

const CASES: readonly Case[] = [
  { route: "GET /v1/tasks", path: () => "/v1/tasks", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tasks/{id}", path: ({ ended }) => `/v1/tasks/${ended}`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/events", path: ({ ended }) => `/v1/tasks/${ended}/events`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/subtasks", path: ({ ended }) => `/v1/tasks/${ended}/subtasks`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/ledger", path: ({ ended }) => `/v1/tasks/${ended}/ledger`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/trace", path: ({ ended }) => `/v1/tasks/${ended}/trace`, other: 404, owner: 200 },
  { route: "GET /v1/tasks/{id}/files", path: ({ ended }) => `/v1/tasks/${ended}/files`, other: 404, owner: 200 },
  {
    route: "GET /v1/tasks/{id}/files/{path}",
    path: ({ ended }) => `/v1/tasks/${ended}/files/${CANARY}.txt`,
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/tasks/{id}/files/{path}",
    path: ({ held }) => `/v1/tasks/${held}/files/in.txt`,
    body: () => "from outside",
    other: 404,
    owner: 201,
  },
  {
    route: "GET /v1/tasks/{id}/file-versions/{path}",
    path: ({ ended }) => `/v1/tasks/${ended}/file-versions/${CANARY}.txt`,
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/file-versions/{path}",
    path: ({ held }) => `/v1/tasks/${held}/file-versions/in.txt`,
    body: () => ({ version: 1 }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/ledger/{call_id}",
    path: ({ ended, call }) => `/v1/tasks/${ended}/ledger/${call}`,
    body: () => ({ decision: "done" }),
    other: 404,
    owner: 409,
  },
  {
    route: "POST /v1/tasks/{id}/messages",
    path: ({ held }) => `/v1/tasks/${held}/messages`,
    body: () => ({ text: "hello" }),
    other: 404,
    owner: 202,
  },
  {
    route: "POST /v1/tasks/{id}/questions/{question}/answer",
    path: ({ waiting, question }) => `/v1/tasks/${waiting}/questions/${question}/answer`,
    body: () => ({ text: "yes" }),
    other: 404,
    owner: 200,
  },
  {
    route: "GET /v1/tasks/{id}/subtasks",
    path: ({ asking }) => `/v1/tasks/${asking}/subtasks`,
    other: 404,
    owner: 200,
  },
  {
    // At the root of the tree, and then at the task that asks, where it is decided by then.
    route: "POST /v1/tasks/{id}/approvals/{approval}",
    path: ({ asking, approval }) => `/v1/tasks/${asking}/approvals/${approval}`,
    body: () => ({ decision: "refuse" }),
    other: 404,
    owner: 200,
  },
  {
    route: "POST /v1/tasks/{id}/approvals/{approval}",
    path: ({ part, approval }) => `/v1/tasks/${part}/approvals/${approval}`,
    body: () => ({ decision: "approve" }),
    other: 404,
    owner: 409,
  },
  {
    // Before the task starts: one that has ended takes no calls.
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/read_file/call",
    body: ({ held }) => ({ arguments: { filename: "in.txt" }, task_id: held }),
    other: 404,
    owner: 200,
  },
  {
    route: "DELETE /v1/tasks/{id}/files/{path}",
    path: ({ held }) => `/v1/tasks/${held}/files/in.txt`,
    other: 404,
    owner: 200,
  },
  { route: "POST /v1/tasks/{id}/start", path: ({ held }) => `/v1/tasks/${held}/start`, other: 404, owner: 200 },
  { route: "POST /v1/tasks/{id}/cancel", path: ({ doomed }) => `/v1/tasks/${doomed}/cancel`, other: 404, owner: 202 },
  {
    route: "POST /v1/tasks",
    path: () => "/v1/tasks",
    body: ({ agent }) => ({ input: "x", agent, hold: true }),
    other: 404,
    owner: 201,
  },
  {
    route: "POST /v1/tools/{name}/call",
    path: () => "/v1/tools/read_file/call",
    body: ({ agent }) => ({ arguments: { filename: "x.txt" }, agent }),
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/agents", path: () => "/v1/agents", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/agents",
    path: () => "/v1/agents",
    body: () => ({ ...agentConfig, instructions: "x" }),
    other: "nothing of it",
    owner: 409,
  },
  { route: "GET /v1/agents/{id}", path: ({ agent }) => `/v1/agents/${agent}`, other: 404, owner: 200 },
  {
    route: "GET /v1/agents/{id}/versions",
    path: ({ agent }) => `/v1/agents/${agent}/versions`,
    other: 404,
    owner: 200,
  },
  {
    route: "PUT /v1/agents/{id}",
    path: ({ agent }) => `/v1/agents/${agent}`,
    body: () => agentConfig,
    other: 404,
    owner: 200,
  },
  { route: "GET /v1/keys", path: () => "/v1/keys", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/keys",
    path: () => "/v1/keys",
    body: () => ({ name: "another", scopes: ["tasks:read"] }),
    other: "nothing of it",
    owner: 201,
  },
  { route: "DELETE /v1/keys/{id}", path: ({ key }) => `/v1/keys/${key}`, other: 404, owner: 200 },
  { route: "GET /v1/secrets", path: () => "/v1/secrets", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/secrets",
    path: () => "/v1/secrets",
    body: () => ({ name: "ANOTHER", value: "value", hosts: ["example.com"] }),
    other: "nothing of it",
    owner: 201,
  },
  { route: "GET /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
  {
    route: "PUT /v1/secrets/{secret}",
    path: ({ secret }) => `/v1/secrets/${secret}`,
    body: () => ({ value: "value", hosts: ["example.com"] }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/secrets/{secret}", path: ({ secret }) => `/v1/secrets/${secret}`, other: 404, owner: 200 },
  { route: "GET /v1/audit", path: () => "/v1/audit", other: "nothing of it", owner: 200 },
  { route: "GET /v1/budgets", path: () => "/v1/budgets", other: "nothing of it", owner: 200 },
  {
    route: "PUT /v1/budgets/{account}",
    path: ({ agent }) => `/v1/budgets/${agent}`,
    body: () => ({ max_tokens: 1_000_000, period: "day" }),
    other: 404,
    owner: 200,
  },
  { route: "DELETE /v1/budgets/{account}", path: ({ agent }) => `/v1/budgets/${agent}`, other: 404, owner: 200 },
  { route: "GET /v1/kill-switch", path: () => "/v1/kill-switch", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/kill-switch/stop",
    path: () => "/v1/kill-switch/stop",
    body: () => ({ reason: "x" }),
    other: "nothing of it",
    owner: 200,
  },
  { route: "POST /v1/kill-switch/release", path: () => "/v1/kill-switch/release", other: "nothing of it", owner: 200 },
  { route: "POST /v1/tenants/{id}/stop", path: ({ tenant }) => `/v1/tenants/${tenant}/stop`, other: 404, owner: 404 },
  {
    route: "POST /v1/tenants/{id}/release",
    path: ({ tenant }) => `/v1/tenants/${tenant}/release`,
    other: 404,
    owner: 404,
  },
  { route: "GET /v1/tenants", path: () => "/v1/tenants", other: 403, owner: 403 },
  { route: "POST /v1/tenants", path: () => "/v1/tenants", body: () => ({ name: "x" }), other: 403, owner: 403 },
  { route: "GET /v1/tenants/{id}", path: ({ tenant }) => `/v1/tenants/${tenant}`, other: 404, owner: 404 },
  { route: "DELETE /v1/tenants/{id}", path: ({ tenant }) => `/v1/tenants/${tenant}`, other: 404, owner: 404 },
  { route: "GET /v1/tools", path: () => "/v1/tools", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools.json", path: () => "/v1/tools.json", other: "nothing of it", owner: 200 },
  { route: "GET /v1/tools/{name}", path: () => "/v1/tools/read_file", other: "nothing of it", owner: 200 },
  {
    route: "POST /v1/tools/{name}/reload",
    path: () => "/v1/tools/read_file/reload",
    other: "nothing of it",
    owner: 200,
  },
  { route: "GET /health", path: () => "/health", other: "nothing of it", owner: 200 },
  { route: "GET /openapi.json", path: () => "/openapi.json", other: "nothing of it", owner: 200 },
  { route: "GET /docs", path: () => "/docs", other: "nothing of it", owner: 200 },
  { route: "GET /", path: () => "/", other: "nothing of it", owner: 200 },
  { route: "DELETE /v1/tasks/{id}", path: ({ ended }) => `/v1/tasks/${ended}`, other: 404, owner: 200 },
];

let whole: WholeSystem;
let owner: Caller & { readonly tenant: string };
let other: Caller;
let owned: Owned;
let documented: string[];

beforeAll(async () => {
  whole = await startWholeSystem();
  [owner, other] = await Promise.all([whole.makeTenant(`owner-${CANARY}`), whole.makeTenant("other")]);
  const { paths } = (await owner.send("GET", "/openapi.json")).json;
  documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  owned = await own();
});

afterAll(async () => {
  await whole?.stop();
});

async function own(): Promise<Owned> {
  const make = async (body: unknown) => {
    const made = await owner.send("POST", "/v1/tasks", body);
    expect(made.status, made.text).toBe(201);
    return made.json.id as string;
  };
  const more = { metadata: { note: CANARY }, project: CANARY };
  const ended = await make({
    input: scriptedInput(calling("write_file", { filename: `${CANARY}.txt`, content: CANARY }), { text: CANARY }),
    ...more,
  });
  const waiting = await make({ input: scriptedInput(calling("ask_human", { query: CANARY })), ...more });
  const post = calling("http_request", { url: `http://${CANARY}.example/`, method: "POST" });
  const part = calling("dispatch_subagent", { task_description: scriptedInput(post) });
  const asking = await make({ input: scriptedInput(part), ...more });
  const held = await make({ input: CANARY, hold: true, ...more });
  const doomed = await make({ input: CANARY, hold: true, ...more });
  await untilTask(owner, ended, ({ status }) => status === "completed");
  const { pending } = await untilTask(owner, waiting, ({ status }) => status === "waiting_input");
  const [open] = (await untilTask(owner, asking, (task) => task.pending.length > 0)).pending;
  if (open?.kind !== "approval") throw new Error("no subtask asks for an approval");
  const [row] = (await owner.send("GET", `/v1/tasks/${ended}/ledger`)).json.data;
  const agent = await owner.send("POST", "/v1/agents", agentConfig);
  expect(agent.status, agent.text).toBe(201);
  const key = await owner.send("POST", "/v1/keys", { name: `key-${CANARY}`, scopes: ["tasks:read"] });
  expect(key.status, key.text).toBe(201);
  const secret = { name: "CANARY_KEY", value: CANARY, hosts: [`${CANARY}.example`] };
  const set = await owner.send("POST", "/v1/secrets", secret);
  expect(set.status, set.text).toBe(201);
  return {
    ended,
    waiting,
    question: pending[0]?.kind === "question" ? pending[0].id : "",
    asking,
    approval: open.id,
    part: open.task_id ?? "",
    call: row.call_id,
    held,
    doomed,
    agent: agent.json.id,
    key: key.json.id,
    tenant: owner.tenant,
    secret: secret.name,
  };
}

/** Everything that the owner sees of its things. */
async function seen(): Promise<string> {
  const paths = [
    ...[owned.ended, owned.waiting, owned.asking, owned.part, owned.held].flatMap((id) => [
      `/v1/tasks/${id}`,
      `/v1/tasks/${id}/ledger`,
      `/v1/tasks/${id}/files`,
    ]),
    `/v1/agents/${owned.agent}/versions`,
    "/v1/keys",
    "/v1/secrets",
  ];
  const answers = [];
  for (const path of paths) answers.push((await owner.send("GET", path)).text);
  return answers.join("\n");
}

async function ask(caller: Caller, { route, path, body }: Case) {
  const [method = ""] = route.split(" ");
  const isFile = method === "PUT" && route.includes("/files/");
  return await caller.send(method, path(owned), body?.(owned), isFile ? { "content-type": "text/plain" } : {});
}

describe("another tenant's key", () => {
  test("is tried on every route of the document", () => {
    expect(documented.length).toBeGreaterThan(30);
    expect([...new Set(CASES.map(({ route }) => route))].toSorted()).toEqual(documented.toSorted());
  });

  test("finds nothing of the first tenant's and changes nothing", async () => {
    const before = await seen();
    expect(before).toContain(CANARY);
    const wrong: string[] = [];
    for (const one of CASES) {
      const answer = await ask(other, one);
      const said = `${one.route}: ${answer.status} ${answer.text.slice(0, 200)}`;
      const isRight = one.other === "nothing of it" ? answer.status < 300 : answer.status === one.other;
      if (!isRight) wrong.push(said);
      const isOwnName = one.route === "POST /v1/agents";
      const { question, approval, ended, waiting, asking, part, held, agent, key } = owned;
      const leaked = [CANARY, ended, waiting, asking, part, held, agent, key, question, approval].filter((text) =>
        answer.text.includes(text),
      );
      if (!isOwnName && leaked.length > 0) wrong.push(`${said} tells ${leaked.join(", ")}`);
    }
    expect(wrong).toEqual([]);
    expect(await seen()).toBe(before);
  });

  test("is refused as an id that was never there is", async () => {
    const unknown = "task_00000000000000000000000000";
    for (const rest of [
      "",
      "/events",
      "/ledger",
      "/files",
      "/files/x.txt",
      "/file-versions/x.txt",
      "/trace",
      "/subtasks",
    ]) {
      const [foreign, none] = [
        await other.send("GET", `/v1/tasks/${owned.ended}${rest}`),
        await other.send("GET", `/v1/tasks/${unknown}${rest}`),
      ];
      const { request_id: _, ...left } = foreign.json;
      const { request_id: __, ...right } = none.json;
      expect(left).toEqual(right);
    }
  });

  test("is refused where the owner's key is not", async () => {
    const wrong: string[] = [];
    for (const one of CASES) {
      const answer = await ask(owner, one);
      if (answer.status !== one.owner) wrong.push(`${one.route}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("no key, and the operator's", () => {
  test("open no route under /v1 of a tenant's", async () => {
    for (const one of CASES) {
      if (!one.route.includes(" /v1/")) continue;
      expect((await ask(whole.nobody, one)).status, one.route).toBe(401);
      if (/ \/v1\/(tenants|audit)/.test(one.route) || one.route.startsWith("GET /v1/tools")) continue;
      expect([403, 404], one.route).toContain((await ask(whole.operator, one)).status);
    }
  });
});
