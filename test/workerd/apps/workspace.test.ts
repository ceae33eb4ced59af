/** Apps of a workspace: adding and removing them, enabled actions, overrides, and what the names of apps exclude. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { appRightsFromEnv } from "../../../adapters/env/app-rights.ts";
import { appClientsFromEnv } from "../../../adapters/env/connections.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { ok } from "../../../core/base/errors.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { connect, openOffice, readOnly } from "../connections/connect-client.ts";
import { callerOf, type Caller, expectProblem, makeCaller } from "../http/entry.ts";

const LARGE: GivenApp = {
  app: "large",
  title: "Large",
  actions: Array.from({ length: 120 }, (_, at) => ({
    action: `LARGE_ACT_${at}`,
    tags: at === 7 || at === 111 ? ["important"] : [],
  })),
};
const APPS: readonly GivenApp[] = [
  {
    app: "gmail",
    title: "Gmail",
    actions: [
      { action: "GMAIL_SEND_EMAIL", effect: "probe", security: "dangerous", schemaHash: "h1" },
      { action: "GMAIL_LIST_THREADS", description: "Lists mail threads." },
      { action: "GMAIL_DELETE_THREAD", effect: "probe", isDestructive: true, security: "critical" },
    ],
  },
  LARGE,
  { app: "tavily", title: "Tavily", isOpen: true, actions: [{ action: "TAVILY_SEARCH", isOpen: true }] },
  { app: "gone", title: "Gone", status: "removed", actions: [{ action: "GONE_RUN" }] },
];

function serve(apps: readonly GivenApp[]): void {
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(makeSnapshot(apps)));
}

const add = async (caller: Caller, app: string) =>
  await caller.send("POST", "/api/tools/add-to-workspace", { app_name: app });
const enabledOf = async (caller: Caller, app: string): Promise<string[]> => {
  const { json } = await caller.send("GET", `/api/tools/${app}/actions`);
  return json.filter(({ enabled }: { enabled: boolean }) => enabled).map(({ name }: { name: string }) => name);
};
const publishedOf = async ({ tenant }: Caller, app: string): Promise<readonly OutsideTool[]> => {
  const sources = toolSourcesFromEnv(env);
  const found = valueOf(await sources.present(tenant)).find(({ name }) => name === `app:${app}`);
  return found === undefined ? [] : valueOf(await sources.read(tenant, found.hash));
};
const actionsOf = (tools: readonly OutsideTool[]) =>
  tools.map(({ origin }) => (origin.kind === "app" ? origin.action : ""));
const actsOf = async (caller: Caller, target: string) =>
  (await caller.send("GET", `/v1/audit?target=${target}`)).json.data.map(({ action }: { action: string }) => action);

beforeEach(() => serve(APPS));

describe("adding an app", () => {
  test("enables and publishes its actions, and is one act", async () => {
    const caller = await makeCaller();
    expect((await add(caller, "GMail")).json).toEqual({
      status: "success",
      message: "Gmail was added. 3 of its 3 actions are enabled.",
      app_name: "gmail",
    });
    expect((await add(caller, "gmail")).json).toMatchObject({ status: "already_added", app_name: "gmail" });
    expect(await enabledOf(caller, "gmail")).toHaveLength(3);
    const tools = await publishedOf(caller, "gmail");
    expect(tools.map(({ name }) => name)).toEqual([
      "composio_GMAIL_DELETE_THREAD",
      "composio_GMAIL_LIST_THREADS",
      "composio_GMAIL_SEND_EMAIL",
    ]);
    expect(tools[1]).toEqual({
      name: "composio_GMAIL_LIST_THREADS",
      summary: "Lists mail threads.",
      toolbox: "app:gmail",
      category: "api",
      permissions: ["network"],
      security: "cautious",
      effect: "none",
      timeoutMs: 60_000,
      input: { type: "object", properties: {} },
      output: null,
      origin: {
        kind: "app",
        provider: "composio",
        app: "gmail",
        action: "GMAIL_LIST_THREADS",
        version: "20261101_00",
        capabilities: ["message.read"],
        isDestructive: false,
      },
      app: { app: "gmail", provider: "composio", owner: "either", scopes: [] },
    });
    expect(await actsOf(caller, "gmail")).toEqual(["app.add"]);
    const { added } = valueOf(await appRightsFromEnv(env, caller.tenant).read("agent_default"));
    expect(added.get("gmail")?.size).toBe(3);
  });

  test("starts a large app with what its provider calls important, and an open one without an account", async () => {
    const caller = await makeCaller();
    expect((await add(caller, "large")).json.message).toBe("Large was added. 2 of its 120 actions are enabled.");
    expect(await enabledOf(caller, "large")).toEqual(["LARGE_ACT_7", "LARGE_ACT_111"]);
    await add(caller, "tavily");
    expect((await publishedOf(caller, "tavily"))[0]?.app).toBeUndefined();
  });

  test("is refused for an app that is unknown or no longer offered, and needs admin", async () => {
    const caller = await makeCaller();
    expectProblem(await add(caller, "nothing"), 404, "app_name");
    expectProblem(await add(caller, "gone"), 404);
    const key = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read", "tasks:write"] });
    const reader = callerOf(caller.tenant, key.json.key);
    expectProblem(await add(reader, "gmail"), 403);
    expectProblem(await reader.send("DELETE", "/api/tools/remove-from-workspace/gmail"), 403);
    expectProblem(await reader.send("POST", "/api/tools/gmail/actions", { actions: [] }), 403);
    expectProblem(await reader.send("PUT", "/api/tools/gmail/overrides", { overrides: {} }), 403);
    expect(await publishedOf(caller, "gmail")).toEqual([]);
  });

  test("is seen by its tenant alone", async () => {
    const [caller, stranger] = [await makeCaller(), await makeCaller()];
    await add(caller, "gmail");
    expect(await enabledOf(stranger, "gmail")).toEqual([]);
    expect((await stranger.send("GET", "/api/tools/connected")).json.total).toBe(0);
    expectProblem(await stranger.send("DELETE", "/api/tools/remove-from-workspace/gmail"), 404);
    expectProblem(await stranger.send("POST", "/api/tools/gmail/actions", { actions: [] }), 409);
    expect(await enabledOf(caller, "gmail")).toHaveLength(3);
  });
});

test("an app that is added is listed as such, also after a change of its connections", async () => {
  const office = await openOffice();
  const ana = await office.add("Ana");
  await connect(ana, "ana", { app: "crm" });
  await add(office.admin, "gmail");
  const { apps, total } = (await ana.send("GET", "/api/tools/connected")).json;
  expect([total, apps[0].app_name, apps[0].is_added]).toEqual([2, "crm", false]);
  expect(apps[1]).toMatchObject({
    app_name: "gmail",
    status: "added",
    is_added: true,
    is_connected: false,
    connected_at: null,
    connection_id: null,
    is_listed: true,
  });
  expect((await ana.send("GET", "/api/tools/workspace")).json.total).toBe(2);
  const listed = (await ana.send("GET", "/api/tools/marketplace?app=gmail")).json.apps[0];
  expect(listed).toMatchObject({ status: "active", is_added: true });
  await office.admin.send("DELETE", "/api/tools/remove-from-workspace/gmail");
  expect((await ana.send("GET", "/api/tools/connected")).json.total).toBe(1);
  expect((await ana.send("GET", "/api/tools/marketplace?app=gmail")).json.apps[0].is_added).toBe(false);
});

describe("one name", () => {
  const document = {
    openapi: { openapi: "3.1.0", info: { title: "Mail" }, paths: { "/x": { get: { operationId: "look" } } } },
    base_url: "https://nowhere.example",
  };
  const server = (name: string) => ({ name, url: "http://127.0.0.1:1/mcp" });

  test("is not given to an app while an import or an MCP server has it", async () => {
    const caller = await makeCaller();
    const imported = await caller.send("POST", "/v1/tools/import", { ...document, name: "gmail" });
    expect(imported.status, imported.text).toBe(201);
    expect((await caller.send("POST", "/v1/mcp-servers", server("tavily"))).status).toBe(201);
    for (const app of ["gmail", "tavily"]) expectProblem(await add(caller, app), 409, "app_name");
    expect((await caller.send("GET", "/api/tools/connected")).json.total).toBe(0);
    await caller.send("DELETE", "/v1/tool-sources/openapi:gmail");
    await caller.send("DELETE", "/v1/mcp-servers/tavily");
    for (const app of ["gmail", "tavily"]) expect((await add(caller, app)).status).toBe(200);
  });

  test("is not given to an import or an MCP server while an app has it", async () => {
    const caller = await makeCaller();
    for (const app of ["gmail", "tavily"]) await add(caller, app);
    expectProblem(await caller.send("POST", "/v1/tools/import", { ...document, name: "gmail" }), 409, "name");
    expectProblem(await caller.send("POST", "/v1/mcp-servers", server("tavily")), 409, "name");
    expectProblem(
      await caller.send("PUT", "/v1/mcp-servers", { mcpServers: { tavily: { url: server("x").url } } }),
      409,
    );
    for (const app of ["gmail", "tavily"])
      expect((await caller.send("DELETE", `/api/tools/remove-from-workspace/${app}`)).status).toBe(200);
    expect((await caller.send("POST", "/v1/tools/import", { ...document, name: "gmail" })).status).toBe(201);
    expect((await caller.send("POST", "/v1/mcp-servers", server("tavily"))).status).toBe(201);
  });

  test("is not given to an app while connections of an earlier import have it", async () => {
    serve([...APPS, { app: "crm", title: "Crm", actions: [{ action: "CRM_LIST" }] }]);
    const office = await openOffice();
    const ana = await office.add("Ana");
    expectProblem(await add(office.admin, "crm"), 409, "app_name");
    await connect(ana, "ana", { app: "crm" });
    const { id } = await readOnly(ana);
    valueOf(await appClientsFromEnv(env, office.tenant).remove("crm"));
    const refused = await add(office.admin, "crm");
    expectProblem(refused, 409, "app_name");
    expect(refused.json.detail).toBe(
      "There are connections of an earlier import or MCP server crm. Delete them first.",
    );
    expect(id).toMatch(/^con_/);
  });

  test("of a tool that another source has refuses the app, and nothing of it is stored", async () => {
    const caller = await makeCaller();
    const own = { name: "composio_gmail_list_threads", summary: "x", security: "safe", input: { type: "object" } };
    const request = { url: "https://nowhere.example/look" };
    expect((await caller.send("POST", "/v1/tools", { ...own, request })).status).toBe(201);
    serve([{ app: "gmail", title: "Gmail", actions: [{ action: "gmail_list_threads" }] }]);
    expectProblem(await add(caller, "gmail"), 409, "name");
    expect((await caller.send("GET", "/api/tools/connected")).json.total).toBe(0);
    expect(await actsOf(caller, "gmail")).toEqual([]);
  });
});

describe("removing an app", () => {
  test("withdraws its source and its rights, and lets it be added again", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    const removed = await caller.send("DELETE", "/api/tools/remove-from-workspace/GMAIL");
    expect(removed.json).toEqual({ status: "success", message: "gmail was removed.", app_name: "gmail" });
    expect(await publishedOf(caller, "gmail")).toEqual([]);
    expect(await enabledOf(caller, "gmail")).toEqual([]);
    expect(valueOf(await appRightsFromEnv(env, caller.tenant).read("agent_default")).added.size).toBe(0);
    expectProblem(await caller.send("DELETE", "/api/tools/remove-from-workspace/gmail"), 404);
    expect((await add(caller, "gmail")).json.status).toBe("success");
    expect(await actsOf(caller, "gmail")).toEqual(["app.add", "app.remove", "app.add"]);
  });

  test("says of a name that cannot be stored that it is not added", async () => {
    expectProblem(await (await makeCaller()).send("DELETE", "/api/tools/remove-from-workspace/%00"), 404);
  });

  test("is possible for one that the catalogue lost", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    serve([]);
    expect((await caller.send("DELETE", "/api/tools/remove-from-workspace/gmail")).status).toBe(200);
    expect(await publishedOf(caller, "gmail")).toEqual([]);
  });
});

describe("enabling actions", () => {
  const enable = async (caller: Caller, actions: readonly string[], app = "gmail") =>
    await caller.send("POST", `/api/tools/${app}/actions`, { actions });

  test("replaces the enabled ones, by the names of actions or of tools", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    const one = await enable(caller, ["composio_GMAIL_SEND_EMAIL", "gmail_send_email"]);
    expect(one.json).toEqual({ status: "success", enabled_count: 1, app_name: "gmail" });
    expect(actionsOf(await publishedOf(caller, "gmail"))).toEqual(["GMAIL_SEND_EMAIL"]);
    expect((await enable(caller, [])).json.enabled_count).toBe(0);
    expect(await publishedOf(caller, "gmail")).toEqual([]);
    expect((await caller.send("GET", "/api/tools/connected")).json.apps[0].status).toBe("added");
    expect((await enable(caller, ["GMAIL_LIST_THREADS"])).json.enabled_count).toBe(1);
    expect(actionsOf(await publishedOf(caller, "gmail"))).toEqual(["GMAIL_LIST_THREADS"]);
    expect((await enable(caller, ["GMAIL_LIST_THREADS"])).status).toBe(200);
    expect(await actsOf(caller, "gmail")).toEqual(["app.enable", "app.enable", "app.enable", "app.add"]);
  });

  test("is refused for actions of another app, and for an app that is not added", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    expectProblem(await enable(caller, ["TAVILY_SEARCH"]), 422, "actions");
    expectProblem(await enable(caller, ["GMAIL_SEND_EMAIL"], "nothing"), 404);
    expectProblem(await enable(caller, ["TAVILY_SEARCH"], "tavily"), 409);
    expect(await enabledOf(caller, "gmail")).toHaveLength(3);
  });

  test("by several at the same time leaves row and source alike", async () => {
    const caller = await makeCaller();
    await add(caller, "large");
    const lists = Array.from({ length: 6 }, (_, at) => [`LARGE_ACT_${at}`, `LARGE_ACT_${at + 10}`]);
    const made = await Promise.all(lists.map(async (list) => await enable(caller, list, "large")));
    expect(made.map(({ status }) => status)).toEqual(lists.map(() => 200));
    const enabled = await enabledOf(caller, "large");
    expect(lists).toContainEqual(enabled);
    expect(actionsOf(await publishedOf(caller, "large")).toSorted()).toEqual(enabled.toSorted());
  });
});

describe("overrides", () => {
  const override = async (caller: Caller, overrides: Record<string, unknown>) =>
    await caller.send("PUT", "/api/tools/gmail/overrides", { overrides });

  test("count in the list and in the published tool, and are written to the audit log", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    const made = await override(caller, { gmail_send_email: { effect: "once", security: "cautious" } });
    expect(made.json).toEqual({ status: "success", overridden_count: 1, app_name: "gmail" });
    const [send, list] = (await caller.send("GET", "/api/tools/gmail/actions")).json;
    expect(send).toMatchObject({ effect: "once", security: "cautious", is_overridden: true });
    expect(send.because).toBe("An administrator of this workspace set it.");
    expect(list.is_overridden).toBe(false);
    expect((await publishedOf(caller, "gmail")).at(-1)).toMatchObject({ effect: "once", security: "cautious" });
    const [act] = (await caller.send("GET", "/v1/audit?action=app.override")).json.data;
    expect(act).toMatchObject({ target: "gmail", details: { GMAIL_SEND_EMAIL: "once, cautious" } });
    await override(caller, {});
    expect((await publishedOf(caller, "gmail")).at(-1)).toMatchObject({ effect: "probe", security: "dangerous" });
  });

  test("never let an action that destroys count as one that reads", async () => {
    const caller = await makeCaller();
    await add(caller, "gmail");
    expectProblem(await override(caller, { GMAIL_DELETE_THREAD: { effect: "none" } }), 422);
    expectProblem(await override(caller, { GMAIL_SEND_EMAIL: {} }), 422);
    expectProblem(await override(caller, { TAVILY_SEARCH: { effect: "none" } }), 422, "overrides");
    expect((await override(caller, { GMAIL_DELETE_THREAD: { security: "dangerous" } })).status).toBe(200);
    const other = await makeCaller();
    expectProblem(await override(other, { GMAIL_SEND_EMAIL: { effect: "none" } }), 409);
  });
});
