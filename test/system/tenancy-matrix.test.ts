/** Every route of the OpenAPI document, with the ids of one tenant and the key of another. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type Caller,
  calling,
  scriptedInput,
  startTestSystem,
  untilTask,
  type TestSystem,
} from "../setup/start-system.ts";
import { SlackClient } from "../mock-servers/slack-client.ts";
import { type SlackServer, startSlackServer } from "../mock-servers/slack-server.ts";
import { agentConfig, CANARY, type Case, CASES, type Owned, personConfig } from "./tenancy-cases.ts";
import { scheduleNamed } from "./schedule-cases.ts";
import { apiDocument, mcpServer, ownTool, skillFile } from "./tool-cases.ts";
import { webhookAt } from "./webhook-cases.ts";

/** Routes that only read. */
const READS = /^GET |^POST \/v1\/knowledge\/search$/;

let slack: SlackServer;
let system: TestSystem;
let owner: Caller & { readonly tenant: string };
let other: Caller;
let owned: Owned;
let documented: string[];

beforeAll(async () => {
  slack = await startSlackServer();
  system = await startTestSystem({
    SLACK_API_URL: `${slack.url}/api/`,
    SLACK_SIGNING_SECRET: "canary-signing-secret",
    SLACK_CLIENT_ID: "1111.2222",
    SLACK_CLIENT_SECRET: "canary-client-secret",
  });
  [owner, other] = await Promise.all([system.makeTenant(`owner-${CANARY}`), system.makeTenant("other")]);
  const { paths } = (await owner.send("GET", "/openapi.json")).json;
  documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  owned = await own();
});

afterAll(async () => {
  await system?.stop();
  await slack?.close();
});

async function own(): Promise<Owned> {
  for (const [path, body] of [
    ["/v1/tools", ownTool("canary.look", CANARY)],
    ["/v1/tools", ownTool("canary.kept", CANARY)],
    ["/v1/tools/import", apiDocument],
    ["/v1/tools/import", { ...apiDocument, name: "gone" }],
    ["/v1/mcp-servers", mcpServer("kept", `/${CANARY}`)],
  ] as const)
    expect((await owner.send("POST", path, body)).status).toBe(201);
  for (const name of ["canary-note", "canary-done"]) {
    const uploaded = await owner.send("POST", "/v1/skills", skillFile(name, CANARY), {
      "content-type": "text/markdown",
    });
    expect(uploaded.status, uploaded.text).toBe(201);
  }
  const make = async (body: unknown) => {
    const made = await owner.send("POST", "/v1/tasks", body);
    expect(made.status, made.text).toBe(201);
    return made.json.id as string;
  };
  const more = { metadata: { note: CANARY }, project: CANARY };
  const ended = await make({
    input: scriptedInput(calling("write_file", { filename: `${CANARY}.txt`, content: CANARY }), { text: CANARY }),
    deliver: [{ channel: "email", to: `${CANARY}@example.com` }],
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
  const database = { name: `db-${CANARY}`, kind: "postgres", dsn: `postgres://a:${CANARY}@db.invalid/c` };
  const added = await owner.send("POST", "/v1/databases", { ...database, projects: [CANARY] });
  expect(added.status, added.text).toBe(201);
  const person = await owner.send("POST", "/v1/people", { ...personConfig, aliases: [CANARY] });
  expect(person.status, person.text).toBe(201);
  const webhook = await owner.send("POST", "/v1/webhooks", webhookAt(CANARY));
  expect(webhook.status, webhook.text).toBe(201);
  const memory = await owner.send("POST", "/v1/memory", {
    content: `remember ${CANARY}`,
    tags: [CANARY],
    project: CANARY,
  });
  expect(memory.status, memory.text).toBe(201);
  const schedule = await owner.send("POST", "/v1/schedules", scheduleNamed(CANARY));
  expect(schedule.status, schedule.text).toBe(201);
  const hook = await owner.send("POST", "/v1/incoming-webhooks", {
    name: CANARY,
    type: "generic",
    once_per_body: true,
    prompt: CANARY,
  });
  expect(hook.status, hook.text).toBe(201);
  const { token } = await new SlackClient(slack.url, "T0MATRIX").make({ name: CANARY });
  const install = await owner.send("POST", "/v1/slack/installs", { bot_token: token });
  expect(install.status, install.text).toBe(201);
  const entered = await owner.send("POST", "/v1/session", { key: owner.key }, { "user-agent": CANARY });
  expect(entered.status, entered.text).toBe(201);
  const [session] = (await owner.send("GET", "/v1/sessions")).json.data;
  await keepMail();
  // The ended task saves its summary next to it.
  await vi.waitFor(async () => expect((await owner.send("GET", "/v1/memory")).json.data).toHaveLength(2), {
    timeout: 40_000,
    interval: 50,
  });
  const delivered = async () => (await owner.send("GET", `/v1/deliveries?task=${ended}`)).json.data;
  await vi.waitFor(async () => expect(await delivered()).toMatchObject([{ state: "sent" }]), {
    timeout: 40_000,
    interval: 50,
  });
  const [delivery] = await delivered();
  return {
    delivery: delivery.id,
    memory: memory.json.id,
    person: person.json.id,
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
    database: database.name,
    webhook: webhook.json.id,
    hook: hook.json.id,
    install: install.json.id,
    schedule: schedule.json.id,
    session: session.id,
  };
}

/** Has the owner send a mail, which is kept: no provider is set up here. */
async function keepMail(): Promise<void> {
  const mailer = {
    ...agentConfig,
    name: `mailer-${CANARY}`,
    permissions: ["network"],
    approval: { dangerous: "allow" },
  };
  const agent = await owner.send("POST", "/v1/agents", mailer);
  expect(agent.status, agent.text).toBe(201);
  const mail = { to: "spy@acme.example", subject: CANARY, body: CANARY };
  const sent = await owner.send("POST", "/v1/tools/send_email/call", { agent: agent.json.id, arguments: mail });
  expect(sent.json, sent.text).toMatchObject({ ok: true, result: { sent: false } });
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
    "/v1/sessions",
    "/v1/secrets",
    "/v1/databases",
    "/v1/memory?scope=all",
    "/v1/projects",
    "/v1/people",
    "/v1/mail/outbox",
    "/v1/schedules",
    "/v1/mcp-servers",
    "/v1/skills",
    "/v1/webhooks",
    "/v1/deliveries",
    "/v1/incoming-webhooks",
    "/v1/slack/installs",
    `/v1/incoming-webhooks/${owned.hook}/received`,
  ];
  const answers = [];
  for (const path of paths) answers.push((await owner.send("GET", path)).text);
  return answers.join("\n");
}

async function ask(caller: Caller, { route, path, body, headOnly }: Case) {
  const [method = ""] = headOnly === true ? ["HEAD"] : route.split(" ");
  const given = body?.(owned);
  const type = route.startsWith("POST /v1/skills") ? "text/markdown" : "text/plain";
  return await caller.send(method, path(owned), given, typeof given === "string" ? { "content-type": type } : {});
}

describe("a key of the same tenant that is bound to another project", () => {
  test("finds no content outside it and changes nothing, on any route", async () => {
    const body = { name: "bound", scopes: ["tasks:read", "tasks:write", "tools:call"], projects: ["elsewhere"] };
    const made = await owner.send("POST", "/v1/keys", body);
    expect(made.status, made.text).toBe(201);
    const bound = system.withKey(made.json.key);
    const before = await seen();
    const wrong: string[] = [];
    for (const one of CASES) {
      const isOpen = /^GET \/v1\/(agents|people|skills|tools)\b|\/v1\/sessions?\b/.test(one.route);
      if (isOpen || !/ \/(v1|api\/tools|webhook)\//.test(one.route)) continue;
      const answer = await ask(bound, one);
      const detail = `${one.route}: ${answer.status} ${answer.text.slice(0, 200)}`;
      const isRight = READS.test(one.route) ? answer.status === 200 : answer.status === 422;
      if (!isRight && ![403, 404].includes(answer.status)) wrong.push(detail);
      const { tenant: _, secret: __, ...ids } = owned;
      const leaked = [CANARY, ...Object.values(ids)].filter((text) => answer.text.includes(text));
      if (leaked.length > 0) wrong.push(`${detail} tells ${leaked.join(", ")}`);
    }
    expect(wrong).toEqual([]);
    expect(await seen()).toBe(before);
  });
});

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
      const detail = `${one.route}: ${answer.status} ${answer.text.slice(0, 200)}`;
      const isRight = one.other === "nothing of it" ? answer.status < 300 : answer.status === one.other;
      if (!isRight) wrong.push(detail);
      const isOwnName = one.route === "POST /v1/agents";
      const { tenant: _, secret: __, ...ids } = owned;
      const leaked = [CANARY, ...Object.values(ids)].filter((text) => answer.text.includes(text));
      if (!isOwnName && leaked.length > 0) wrong.push(`${detail} tells ${leaked.join(", ")}`);
    }
    expect(wrong).toEqual([]);
    expect(await seen()).toBe(before);
  });

  test("is refused as an id that was never there is", async () => {
    const unknown = "task_00000000000000000000000000";
    for (const rest of [
      "",
      "/events",
      "/log",
      "/ledger",
      "/files",
      "/files/x.txt",
      "/file-versions/x.txt",
      "/trace",
      "/subtasks",
      "/tree",
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
  test("open no route under /v1 and /api/tools of a tenant's", async () => {
    for (const one of CASES) {
      if (!/ \/(v1|api\/tools)\//.test(one.route)) continue;
      expect((await ask(system.anonymous, one)).status, one.route).toBe(401);
      if (
        / \/v1\/(tenants|audit|integrations\/composio\/rotate)/.test(one.route) ||
        one.route.startsWith("GET /v1/tools")
      )
        continue;
      if (one.route === "POST /v1/session") continue;
      expect([403, 404], one.route).toContain((await ask(system.operator, one)).status);
    }
  });
});
