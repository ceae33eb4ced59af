/** What an agent may use of the apps of its tenant: what an administrator sets, and the reasons of a refusal. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { appRightsFromEnv } from "../../../adapters/env/app-rights.ts";
import { getActionToolName } from "../../../core/apps/workspace/outside-tools.ts";
import { ok } from "../../../core/base/errors.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { openOffice } from "../connections/connect-client.ts";
import { callerOf, type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { storeAccount } from "./stored-account.ts";

const LONG = `SLACK_${"FETCH_A_VERY_LONG_NAME_".repeat(4)}END`;
const APPS: readonly GivenApp[] = [
  {
    app: "gmail",
    title: "Gmail",
    actions: [{ action: "GMAIL_SEND_EMAIL", effect: "probe", security: "dangerous" }, { action: "GMAIL_LIST_THREADS" }],
  },
  { app: "slack", title: "Slack", actions: [{ action: "SLACK_POST", effect: "probe" }, { action: LONG }] },
  { app: "tavily", title: "Tavily", isOpen: true, actions: [{ action: "TAVILY_SEARCH", isOpen: true }] },
  { app: "gone", title: "Gone", status: "removed", actions: [{ action: "GONE_RUN" }] },
];

const add = async (caller: Caller, app: string) => {
  const added = await caller.send("POST", "/api/tools/add-to-workspace", { app_name: app });
  expect(added.status, added.text).toBe(200);
};
const makeAgent = async (caller: Caller, config: object = {}): Promise<string> => {
  const body = { name: "worker", instructions: "Work.", tools: ["*"], permissions: ["network"], ...config };
  const made = await caller.send("POST", "/v1/agents", body);
  expect(made.status, made.text).toBe(201);
  return made.json.id;
};
const set = async (caller: Caller, agent: string, body: object) =>
  await caller.send("PUT", `/v1/agents/${agent}/apps`, { assignments: [], permissions: [], ...body });
const ask = async (caller: Caller, agent: string, tool: string) => {
  const answer = await caller.send("GET", `/api/tools/access?agent=${agent}&tool=${tool}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};

beforeEach(() => {
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(makeSnapshot(APPS)));
});

describe("the apps of an agent", () => {
  test("are set as a whole, by names in any form, and read back", async () => {
    const caller = await makeCaller();
    const agent = await makeAgent(caller);
    expect((await caller.send("GET", `/v1/agents/${agent}/apps`)).json).toEqual({
      agent,
      assignments: [],
      permissions: [],
    });
    const made = await set(caller, "worker", {
      assignments: [
        { app_name: "Slack", level: "read_only", is_active: false },
        { app_name: "gmail", level: "list", actions: ["composio_GMAIL_LIST_THREADS"], is_active: true },
      ],
      permissions: [{ tool: "gmail_send_email", is_active: false }],
    });
    expect(made.status, made.text).toBe(200);
    const expected = {
      agent,
      assignments: [
        { app_name: "gmail", level: "list", actions: ["GMAIL_LIST_THREADS"], is_active: true },
        { app_name: "slack", level: "read_only", actions: [], is_active: false },
      ],
      permissions: [{ tool: "GMAIL_SEND_EMAIL", is_active: false }],
    };
    expect(made.json).toEqual(expected);
    expect((await caller.send("GET", `/v1/agents/${agent}/apps`)).json).toEqual(expected);
    const { permissions } = valueOf(await appRightsFromEnv(env, caller.tenant).read(agent));
    expect(permissions).toEqual(new Map([["GMAIL_SEND_EMAIL", false]]));
    const acts = (await caller.send("GET", "/v1/audit?action=agent.set_apps")).json.data;
    expect(acts).toMatchObject([{ target: agent }]);
    expect((await set(caller, agent, {})).json).toEqual({ agent, assignments: [], permissions: [] });
    expect(valueOf(await appRightsFromEnv(env, caller.tenant).read(agent)).permissions.size).toBe(0);
  });

  test("may name an action by its tool's name that was cut", async () => {
    const caller = await makeCaller();
    const cut = await getActionToolName(LONG);
    expect(cut).toHaveLength(64);
    const agent = await makeAgent(caller);
    const made = await set(caller, agent, { permissions: [{ tool: cut, is_active: false }] });
    expect(made.json.permissions).toEqual([{ tool: LONG, is_active: false }]);
  });

  test.each([
    [{ assignments: [{ app_name: "nothing", level: "full", is_active: true }] }, "assignments.0.app_name"],
    [
      {
        assignments: [
          { app_name: "gmail", level: "full", is_active: true },
          { app_name: "GMAIL", level: "full", is_active: true },
        ],
      },
      "assignments.1.app_name",
    ],
    [
      { assignments: [{ app_name: "gmail", level: "full", actions: ["GMAIL_SEND_EMAIL"], is_active: true }] },
      "assignments.0.actions",
    ],
    [
      { assignments: [{ app_name: "gmail", level: "list", actions: ["NO_SUCH"], is_active: true }] },
      "assignments.0.actions",
    ],
    [{ permissions: [{ tool: "NO_SUCH", is_active: true }] }, "permissions.0.tool"],
    [
      {
        permissions: [
          { tool: "SLACK_POST", is_active: true },
          { tool: "slack_post", is_active: false },
        ],
      },
      "permissions.1.tool",
    ],
    [{ assignments: [{ app_name: "gmail", level: "write", is_active: true }] }, "assignments.0.level"],
  ])("are refused: %j", async (body, field) => {
    const caller = await makeCaller();
    expectProblem(await set(caller, "default", body), 422, field);
    expect((await caller.send("GET", "/v1/agents/default/apps")).json.assignments).toEqual([]);
  });

  test("can be set again when the catalogue lost what was set", async () => {
    const caller = await makeCaller();
    const body = {
      assignments: [{ app_name: "gmail", level: "list", actions: ["GMAIL_LIST_THREADS"], is_active: true }],
      permissions: [{ tool: "GMAIL_SEND_EMAIL", is_active: false }],
    };
    await set(caller, "default", body);
    vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(makeSnapshot([])));
    expect((await set(caller, "default", body)).status).toBe(200);
  });

  test("need admin, and an agent of the tenant", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    const agent = await makeAgent(caller);
    expectProblem(await set(stranger, agent, {}), 404);
    expectProblem(await stranger.send("GET", `/v1/agents/${agent}/apps`), 404);
    const key = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read", "tasks:write"] });
    const reader = callerOf(caller.tenant, key.json.key);
    expectProblem(await set(reader, agent, {}), 403);
    expectProblem(await reader.send("GET", `/v1/agents/${agent}/apps`), 403);
  });
});

describe("the access of an agent", () => {
  test("says the first reason of a refusal", async () => {
    const caller = await makeCaller();
    for (const app of ["gmail", "tavily"]) await add(caller, app);
    const agent = await makeAgent(caller);
    const no = async (tool: string) => {
      const { allowed, reason } = await ask(caller, agent, tool);
      expect(allowed).toBe(false);
      return reason as string;
    };
    expect(await ask(caller, agent, "TAVILY_SEARCH")).toEqual({ allowed: true, reason: null });
    expect(await no("NO_SUCH")).toContain("There is no tool NO_SUCH");
    expect(await no("GONE_RUN")).toContain("is no longer offered");
    expect(await no("SLACK_POST")).toContain("slack is not added to this workspace");
    expect(await no("gmail_list_threads")).toBe("gmail is not connected. Ask for it with request_connection.");
    await caller.send("POST", "/api/tools/tavily/actions", { actions: [] });
    expect(await no("TAVILY_SEARCH")).toContain("is not enabled in this workspace");
    await set(caller, agent, { permissions: [{ tool: "TAVILY_SEARCH", is_active: false }] });
    expect(await no("composio_TAVILY_SEARCH")).toContain("is switched off for this agent");
    const bare = await makeAgent(caller, { name: "bare", permissions: [] });
    expect((await ask(caller, bare, "TAVILY_SEARCH")).reason).toContain("requires :network permission");
  });

  test("depends on the caller's account, on the level, and on an override", async () => {
    const office = await openOffice();
    const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
    await add(office.admin, "gmail");
    const agent = await makeAgent(office.admin);
    await storeAccount(office.tenant, "gmail", ana);
    expect(await ask(ana, agent, "GMAIL_SEND_EMAIL")).toEqual({ allowed: true, reason: null });
    expect((await ask(ben, agent, "GMAIL_SEND_EMAIL")).reason).toContain("gmail is not connected");
    await set(office.admin, agent, { assignments: [{ app_name: "gmail", level: "read_only", is_active: true }] });
    expect((await ask(ana, agent, "GMAIL_SEND_EMAIL")).reason).toContain("may only read from gmail");
    expect((await ask(ana, agent, "GMAIL_LIST_THREADS")).allowed).toBe(true);
    const overrides = { GMAIL_LIST_THREADS: { effect: "once" } };
    await office.admin.send("PUT", "/api/tools/gmail/overrides", { overrides });
    expect((await ask(ana, agent, "GMAIL_LIST_THREADS")).reason).toContain("may only read from gmail");
  });

  test("to other tools is that of the agent's patterns and permissions", async () => {
    const caller = await makeCaller();
    const agent = await makeAgent(caller, { tools: ["read_file"], permissions: ["read"] });
    expect(await ask(caller, agent, "read_file")).toEqual({ allowed: true, reason: null });
    expect((await ask(caller, agent, "write_file")).reason).toContain('"worker" does not have the tool write_file');
    expectProblem(await caller.send("GET", "/api/tools/access?agent=nobody&tool=read_file"), 404, "agent");
    expectProblem(await caller.send("GET", `/api/tools/access?agent=${agent}`), 422, "tool");
  });
});
