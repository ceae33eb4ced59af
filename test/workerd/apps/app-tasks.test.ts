/** Tasks with apps in the real runtime: what they pin, what the gate and the rights let them call, and how they wait. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { forgetAppRightsFromEnv, workspaceAppsFromEnv } from "../../../adapters/env/app-rights.ts";
import type { CapabilityGate } from "../../../core/agents/agent.ts";
import type { AppAssignment } from "../../../core/apps/workspace/access.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { connect } from "../connections/app-of-tests.ts";
import { expectProblem } from "../http/entry.ts";
import { taskOf, waitIdOf } from "../tasks/client.ts";
import {
  ACTIONS,
  addAppToWorkspace,
  APP,
  type AppOffice,
  crmTool,
  factsOf,
  openAppOffice,
  readCalls,
} from "./app-tasks.ts";

const completed = ({ status }: TaskView) => status === "completed";
const waits = (kind: string) => (view: TaskView) => view.pending.some((entry) => entry.kind === kind);
const LIST = { name: "composio_crm_list_issues", arguments: {} };
const CREATE = { name: "composio_crm_create_issue", arguments: { title: "Roof" } };
const DELETE = { name: "composio_crm_delete_issue", arguments: { title: "Roof" } };
const full = (app: string, change: Partial<AppAssignment> = {}): AppAssignment => {
  return { app, isActive: true, level: "full", actions: [], ...change };
};

async function sourcesOf(office: AppOffice, task: TaskView): Promise<string[]> {
  return (await factsOf(office, task)).sources.flatMap(({ name }) => (name.startsWith("app:") ? [name] : []));
}

describe("a new task", () => {
  test("pins the apps of its agent, shows the actions that fit, and hints at the rest", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const task = await office.ask("Create an issue for the roof, due next week.", []);
    const { apps, sources } = await factsOf(office, task);
    expect(sources.map(({ name }) => name)).toContain("app:crm");
    expect(apps?.shown[0]).toBe("composio_CRM_CREATE_ISSUE");
    expect(apps?.shown).not.toContain("composio_CRM_DELETE_ISSUE");
    expect(apps?.intent.capabilities).toContain("issue.create");
    expect(apps?.hints).toMatch(/“next week” is \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\./);
  });

  test("names an app that is not connected, and pins it, so that it can be used once it is", async () => {
    const office = await openAppOffice();
    const task = await office.ask("Create an issue for the roof.", []);
    const { apps } = await factsOf(office, task);
    expect(apps?.shown).toEqual([]);
    expect(apps?.hints).toBe("Could do this, not connected: crm. Ask for it with request_connection.");
    expect(await sourcesOf(office, task)).toEqual(["app:crm"]);
  });

  test("has none of the apps that its agent may not use, or that nobody could connect", async () => {
    const office = await openAppOffice();
    const agent = await office.createAgent();
    await office.assign(agent, [full("other")]);
    const task = await office.ask("Create an issue.", [], { agent });
    expect([await sourcesOf(office, task), (await factsOf(office, task)).apps]).toEqual([[], undefined]);
    await office.assign(agent, [full(APP)]);
    expect(await sourcesOf(office, await office.ask("Create an issue.", [], { agent }))).toEqual(["app:crm"]);
    await office.assign(agent, [full(APP, { isActive: false })]);
    expect(await sourcesOf(office, await office.ask("Create an issue.", [], { agent }))).toEqual([]);
    // A key without a person: no person could connect an account.
    const made = await office.admin.send("POST", "/v1/tasks", { input: "Create an issue." });
    expect(await sourcesOf(office, made.json)).toEqual([]);
    await connect(office.tenant, null, { label: "office@acme.example" });
    const shared = await office.admin.send("POST", "/v1/tasks", { input: "Create an issue." });
    expect(await sourcesOf(office, shared.json)).toEqual(["app:crm"]);
  });

  test("reads the rights of its agent, and none in a tenant without apps", async () => {
    const rights = vi.spyOn(workspaceAppsFromEnv(env), "rights");
    const readers: number[] = [];
    for (const office of [await openAppOffice(), await openAppOffice([])]) {
      const task = await office.ask("Create an issue.", [{ name: "get_current_datetime", arguments: {} }]);
      await office.until(task.id, completed);
      readers.push(rights.mock.calls.filter(([tenant]) => tenant === office.tenant).length);
    }
    rights.mockRestore();
    expect(readers).toEqual([1, 0]);
  });
});

/** How each call ends, by the gate: with a request to read, and with one to create and delete. */
const READS: Readonly<Record<CapabilityGate, readonly [list: string, create: string, remove: string]>> = {
  enforce: ["made", "blocked", "blocked"],
  ask: ["made", "asked", "blocked"],
  off: ["made", "made", "asked"],
};

async function tryCall(office: AppOffice, agent: string, words: string, call: object): Promise<string> {
  const task = await office.ask(words, [call], { agent });
  const view = await office.until(task.id, (one) => completed(one) || waits("approval")(one));
  if (waits("approval")(view)) return "asked";
  const [made] = await readCalls(office, task);
  if (made?.code !== "blocked_by_policy") return "made";
  expect(made.details).toEqual({ error_type: "validation_blocked" });
  expect(made.message).toMatch(/^Action not allowed for this intent: CRM_/);
  return "blocked";
}

describe("the capability gate", () => {
  test.each(["enforce", "ask", "off"] as const)("%s rules on calls by what was asked for", async (gate) => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ capability_gate: gate });
    const reads: string[] = [];
    for (const call of [LIST, CREATE, DELETE]) reads.push(await tryCall(office, agent, "List the open issues.", call));
    expect(reads).toEqual(READS[gate]);
    const writes: string[] = [];
    const words = "Create an issue for the roof. Delete the issue of the cellar.";
    for (const call of [LIST, CREATE, DELETE]) writes.push(await tryCall(office, agent, words, call));
    expect(writes).toEqual(["made", "made", "asked"]);
  });

  test("asks when the agent says nothing, and an approved call is made", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const task = await office.ask("List the open issues.", [CREATE]);
    const view = await office.until(task.id, waits("approval"));
    expect(view.pending[0]).toMatchObject({ reason: expect.stringContaining("the request does not ask for it") });
    const path = `/v1/tasks/${task.id}/approvals/${waitIdOf(view)}`;
    expect((await office.send("POST", path, { decision: "approve", arguments: { title: "Other" } })).status).toBe(200);
    await office.until(task.id, completed);
    const [made] = await readCalls(office, task);
    expect(made).toMatchObject({ given: { title: "Other" } });
    expect(made?.code).not.toBe("blocked_by_policy");
  });

  test("counts the messages of people, and no text that a tool returned", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ capability_gate: "enforce" });
    const ask = { name: "ask_human", arguments: { query: "What now?" } };
    const task = await office.ask("List the open issues.", [ask, CREATE, CREATE], { agent });
    const asked = await office.until(task.id, waits("question"));
    const said = await office.send("POST", `/v1/tasks/${task.id}/messages`, { text: "Also create an issue for it." });
    expect(said.status, said.text).toBe(202);
    const path = `/v1/tasks/${task.id}/questions/${waitIdOf(asked)}/answer`;
    await office.send("POST", path, { text: "Delete every issue." });
    await office.until(task.id, completed);
    expect((await readCalls(office, task)).slice(1).map(({ code }) => code)).not.toContain("blocked_by_policy");
    const { apps } = await factsOf(office, task);
    expect(apps?.intent.capabilities).toContain("issue.create");
    expect(apps?.intent.capabilities).not.toContain("issue.delete");
  });

  test("holds for a subtask, which serves what the people of its parent asked for", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ capability_gate: "enforce" });
    const order = btoa(JSON.stringify({ calls: [CREATE] }));
    const dispatch = {
      name: "dispatch_subagent",
      arguments: { task_description: `Create and delete every issue. OBEY:${order}:` },
    };
    const task = await office.ask("List the open issues.", [dispatch], { agent });
    await office.until(task.id, completed);
    const ledger = await office.send("GET", `/v1/tasks/${task.id}/ledger`);
    const child: string = ledger.json.data[0].result.result.subtask_id;
    const [made] = await readCalls(office, { id: child });
    expect(made).toMatchObject({ tool: "composio_CRM_CREATE_ISSUE", code: "blocked_by_policy" });
  });
});

describe("the rights of an agent", () => {
  test("are asked before each effect: what was narrowed reaches a running task", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ approval: { cautious: "ask" } });
    const task = await office.ask("Create an issue.", [CREATE], { agent });
    const view = await office.until(task.id, waits("approval"));
    await office.assign(agent, [full(APP, { level: "read_only" })]);
    await office.send("POST", `/v1/tasks/${task.id}/approvals/${waitIdOf(view)}`, { decision: "approve" });
    await office.until(task.id, completed);
    expect(await readCalls(office, task)).toMatchObject([
      {
        state: "refused",
        code: "permission_denied",
        message:
          "This agent may only read from crm, and CRM_CREATE_ISSUE is not known to only read. Ask an administrator to allow it more.",
      },
    ]);
  });

  test.each([
    [
      [full(APP, { level: "list", actions: ["CRM_LIST_ISSUES"] })],
      null,
      "CRM_CREATE_ISSUE is not assigned to this agent",
    ],
    [[full("other")], null, "crm is not assigned to this agent"],
    [[full(APP)], "CRM_CREATE_ISSUE", "is switched off for this agent"],
  ] as const)("refuse a call before anybody is asked", async (assignments, off, why) => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ approval: { cautious: "ask" } });
    const words = "Create an issue.";
    const wait = { name: "ask_human", arguments: { query: "Go?" } };
    const task = await office.ask(words, [wait, CREATE], { agent });
    const view = await office.until(task.id, waits("question"));
    await office.assign(agent, assignments, new Map(off === null ? [] : [[off, false]]));
    await office.send("POST", `/v1/tasks/${task.id}/questions/${waitIdOf(view)}/answer`, { text: "Go." });
    await office.until(task.id, completed);
    const [, made] = await readCalls(office, task);
    expect(made).toMatchObject({ state: "refused", code: "permission_denied", message: expect.stringContaining(why) });
  });

  test("that cannot be read deny", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const wait = { name: "ask_human", arguments: { query: "Go?" } };
    const task = await office.ask("Create an issue.", [wait, CREATE]);
    const view = await office.until(task.id, waits("question"));
    const table = workspaceAppsFromEnv(env);
    const read = vi.spyOn(table, "rights").mockResolvedValue({
      ok: false,
      error: { code: "upstream_failed", message: "The database is away." },
    });
    forgetAppRightsFromEnv(env, office.tenant);
    await office.send("POST", `/v1/tasks/${task.id}/questions/${waitIdOf(view)}/answer`, { text: "Go." });
    await office.until(task.id, completed);
    read.mockRestore();
    const [, made] = await readCalls(office, task);
    expect(made).toMatchObject({ state: "refused", code: "upstream_failed" });
  });

  test("that cannot be read when a task is created do not stop it: it has its apps, whose calls are denied", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const table = workspaceAppsFromEnv(env);
    const away = { ok: false, error: { code: "upstream_failed", message: "The database is away." } } as const;
    const read = vi.spyOn(table, "rights").mockResolvedValue(away);
    forgetAppRightsFromEnv(env, office.tenant);
    const task = await office.ask("Create an issue.", [CREATE]);
    await office.until(task.id, completed);
    read.mockRestore();
    expect(await readCalls(office, task)).toMatchObject([{ state: "refused", code: "upstream_failed" }]);
  });

  test("hold for a call over the API, whose caller asks for the action by its name", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    const agent = await office.createAgent({ capability_gate: "enforce" });
    const call = async (action: string) =>
      (await office.send("POST", `/v1/tools/composio_${action}/call`, { agent, arguments: {} })).json;
    expect((await call("CRM_CREATE_ISSUE")).error.code).not.toBe("blocked_by_policy");
    expect((await call("CRM_DELETE_ISSUE")).error.code).toBe("needs_approval");
    await office.assign(agent, [full(APP, { level: "read_only" })]);
    expect((await call("CRM_CREATE_ISSUE")).error).toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining("may only read from crm"),
    });
  });
});

describe("request_connection", () => {
  const request = { name: "request_connection", arguments: { app: "CRM", why: "To file the issue." } };

  test("waits for the app, and continues with its tools once it is connected", async () => {
    const office = await openAppOffice();
    const search = { name: "find_tools", arguments: { query: "create an issue" } };
    const task = await office.ask("Create an issue.", [search, request, CREATE]);
    const waiting = await office.until(task.id, waits("connection"));
    expect(waiting.pending).toMatchObject([
      { kind: "connection", app: APP, reason: "missing", person_id: office.person, why: "To file the issue." },
    ]);
    // A report that comes too early opens the wait again.
    const stub = taskOf({ tenant: office.tenant, id: task.id });
    expect((await stub.connected(waitIdOf(waiting))).ok).toBe(true);
    const again = await office.until(
      task.id,
      (view) => waits("connection")(view) && waitIdOf(view) !== waitIdOf(waiting),
    );
    await office.connectPerson();
    await stub.connected(waitIdOf(again));
    await office.until(task.id, completed);
    const [found, requested, made] = await readCalls(office, task);
    expect(found?.state).toBe("confirmed");
    expect(requested).toMatchObject({ tool: "request_connection", state: "confirmed" });
    expect(made).toMatchObject({ tool: "composio_CRM_CREATE_ISSUE" });
    expect(made?.code).not.toBe("permission_denied");
    const ledger = await office.send("GET", `/v1/tasks/${task.id}/ledger`);
    const [search_] = ledger.json.data;
    expect(search_.result.result).toMatchObject({ unconnected_apps: [APP] });
    expect(JSON.stringify(search_.result.result.tools)).not.toContain("CRM_");
    expect(ledger.json.data[1].result.result).toEqual({ app: APP, connected: true, account: "ana@acme.example" });
  });

  test("ends at once for a connected app, and refuses one that the agent may not use", async () => {
    const office = await openAppOffice();
    await office.connectPerson();
    await addAppToWorkspace(office.tenant, "helpdesk", [
      crmTool(
        "HELPDESK_LIST_TICKETS",
        { capabilities: ["issue.list"] },
        {
          name: "composio_HELPDESK_LIST_TICKETS",
          toolbox: "app:helpdesk",
        },
      ),
    ]);
    const agent = await office.createAgent();
    await office.assign(agent, [full(APP)]);
    const other = { ...request, arguments: { app: "helpdesk", why: "To read." } };
    const task = await office.ask("List issues.", [request, other], { agent });
    await office.until(task.id, completed);
    expect(await readCalls(office, task)).toMatchObject([{ state: "confirmed" }, { code: "not_found" }]);
  });

  test("is no tool of a task without apps", async () => {
    const office = await openAppOffice([]);
    const task = await office.ask("List issues.", [request]);
    await office.until(task.id, completed);
    expect(await readCalls(office, task)).toMatchObject([{ state: "refused", code: "permission_denied" }]);
  });
});

test("a mail search gets the dates of the request, and the model reads why", async () => {
  const search = crmTool("GMAIL_FETCH_EMAILS", { capabilities: ["email.read"] }, { effect: "none" });
  const { app: _, ...open } = search;
  const gmail = { ...open, toolbox: "app:gmail", origin: { ...search.origin, app: "gmail" } } as typeof search;
  const office = await openAppOffice([]);
  await addAppToWorkspace(office.tenant, "gmail", [gmail]);
  const call = (query: string) => ({ name: "composio_gmail_fetch_emails", arguments: { query } });
  const task = await office.ask("Read the emails of last week.", [call("from:ana after:2020/01/01"), call("from:ana")]);
  await office.until(task.id, completed);
  const [corrected, plain] = await readCalls(office, task);
  expect(corrected?.given).toEqual({ query: expect.stringMatching(/^from:ana after:20\d\d\/\d\d\/\d\d before:20/) });
  expect(JSON.stringify(corrected?.given)).not.toContain("2020/01/01");
  expect(plain?.given).toEqual({ query: "from:ana" });
  const trace = await office.send("GET", `/v1/tasks/${task.id}/ledger`);
  expect(trace.text).toContain("composio_GMAIL_FETCH_EMAILS");
});

test("an administrator sees which actions a request would get", async () => {
  const office = await openAppOffice();
  await office.connectPerson();
  const path = "/api/tools/debug/resolve?q=create%20an%20issue";
  const reply = await office.send("GET", path);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({
    strategy: "sdk_search",
    actions: [{ name: "CRM_CREATE_ISSUE", app_name: APP, tool: "composio_CRM_CREATE_ISSUE", is_shown: true }, {}],
    apps: [{ app_name: APP, state: "usable" }],
    intent: { is_generic: false },
  });
  expect(reply.json.actions[0].score).toBeGreaterThan(0);
  expect(reply.json.tiers.map(({ tier }: { tier: string }) => tier)).toEqual([
    "exact_lookup",
    "sdk_search",
    "cache_ranked",
  ]);
  // The tiers have what the agent may call, as its tasks do.
  const agent = await office.createAgent();
  const found = async () => {
    const { tiers, actions } = (await office.send("GET", `${path}&agent=${agent}`)).json;
    const names = tiers.flatMap(({ first }: { first: string[] }) => first);
    return [
      names.includes("CRM_CREATE_ISSUE"),
      actions.some(({ name }: { name: string }) => name === "CRM_CREATE_ISSUE"),
    ];
  };
  await office.assign(agent, [full(APP)]);
  expect(await found()).toEqual([true, true]);
  await office.assign(agent, [full(APP)], new Map([["CRM_CREATE_ISSUE", false]]));
  expect(await found()).toEqual([false, false]);
  await office.assign(agent, [full(APP, { level: "read_only" })]);
  expect(await found()).toEqual([false, false]);
  const empty = await (await openAppOffice([])).send("GET", path);
  expect(empty.json).toMatchObject({ strategy: "none", actions: [], apps: [] });
  expectProblem(await office.send("GET", "/api/tools/debug/resolve?q=x&agent=nobody"), 404);
  expect(ACTIONS).toHaveLength(3);
});
